import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Logs with misplaced blocks, logs of newer programs, and intact frames with invalid contents.
@Suite struct LogForeignBytesTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// Eight saves of about a kilobyte, and the titles after each.
  private func makeLog() throws -> [[String]] {
    let store = try fixture.open(schema: Self.schema)
    var random = SeededGenerator(seed: 7)
    var states: [[String]] = []
    for number in 0..<8 {
      let noise = (0..<1000).map { _ in UInt8(33 + random.below(90)) }
      try store.insertFilm("\(number)" + String(decoding: noise, as: UTF8.self))
      states.append(try store.titles())
    }
    return states
  }

  private static let schema = Schema(
    Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)])
  )

  /// Opens changed bytes: they must be rejected and unchanged, or show a prefix of the saves with a
  /// report.
  private func look(_ changed: [UInt8], _ states: [[String]], _ what: @autoclosure () -> String)
    throws
  {
    try fixture.put(changed)
    do {
      let store = try fixture.open(schema: nil)
      let titles = try store.titles()
      if titles != states.last, store.openingReport.tail == .none || !states.contains(titles) {
        Issue.record("\(what()) shows \(titles.count) films, \(store.openingReport)")
      }
      try fixture.removeKept()
    } catch let error as PersistenceError {
      if ![.damaged, .notAStore, .unsupported].contains(error.code) {
        Issue.record("\(what()): \(error)")
      }
      if try fixture.bytes() != changed { Issue.record("\(what()) was refused and changed") }
    }
  }

  // Covers B03.
  @Test(arguments: [512, 4096])
  func aZeroBlockIsNeverAWrongValue(size: Int) throws {
    let states = try makeLog()
    let bytes = try fixture.bytes()
    for start in stride(from: 0, to: bytes.count, by: size) {
      var changed = bytes
      let end = min(start + size, bytes.count)
      changed.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
      try look(changed, states, "zeros at \(start)")
    }
  }

  // Covers B04.
  @Test func blocksThatAreExchangedOrRepeatedAreNeverAWrongValue() throws {
    let states = try makeLog()
    let bytes = try fixture.bytes()
    let count = bytes.count / 512
    func block(_ number: Int) -> ArraySlice<UInt8> { bytes[number * 512..<number * 512 + 512] }
    for first in 0..<count {
      for second in 0..<count where first != second {
        var changed = bytes
        changed.replaceSubrange(block(first).indices, with: block(second))
        if second > first {
          try look(changed, states, "block \(second) instead of \(first)")
          changed.replaceSubrange(block(second).indices, with: block(first))
          try look(changed, states, "blocks \(first) and \(second) exchanged")
        }
      }
      try look(
        Array(bytes[..<(first * 512 + 512)]) + block(first) + bytes[(first * 512 + 512)...],
        states,
        "block \(first) twice"
      )
    }
  }

  // Covers B06.
  @Test func aFrameOfAnOlderGenerationIsNotBelieved() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up")
    let start = try fixture.bytes().count
    try store.delete(up)
    let old = Array(try fixture.bytes()[start...])
    try store.insertFilm("Cars")
    _ = try store.compact(keeping: .none)
    let bytes = try fixture.bytes()
    try fixture.put(bytes + old)
    let reopened = try fixture.open()
    #expect(try reopened.titles() == ["Cars"])
    #expect(reopened.openingReport.mayHaveLostSave)
    #expect(try fixture.bytes() == bytes + old)
    try reopened.insertFilm("Coco")
    #expect(try fixture.bytes().starts(with: bytes))
    #expect(try fixture.open().titles() == ["Cars", "Coco"])
  }

  // Covers B12.
  @Test func garbageBehindTheLastSaveIsCutAndKept() throws {
    let states = try makeLog()
    let bytes = try fixture.bytes()
    let garbage = [UInt8]("#!/bin/sh\necho hello\n".utf8)
    try fixture.put(bytes + garbage)
    let store = try fixture.open(schema: nil)
    #expect(try store.titles() == states.last)
    #expect(store.openingNotes.count == 1)
    #expect(try fixture.bytes() == bytes + garbage, "reading cuts nothing")
    try store.insertFilm("Coco")
    let kept = try #require(store.openingReport.keptTailPath)
    #expect(try fixture.folder.bytes(splitPath(kept).name) == garbage)
    #expect(store.compactIfWorthwhile().contains { $0.contains(kept) })
    #expect(try fixture.bytes().starts(with: bytes))
  }

  /// An invalid length in a header with a correct checksum, which only a bug could write.
  ///
  /// Covers B07.
  @Test(arguments: [0, 1, 7, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
  func aLengthThatCannotBeIsRefusedBeforeAnythingIsRead(length: UInt32) throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let content = try fixture.content()
    try store.insertFilm("Cars")
    var bytes = try fixture.bytes()
    let start = content.committedOffset
    bytes.withUnsafeMutableBytes { all in
      let frame = UnsafeMutableRawBufferPointer(rebasing: all[start...])
      guard
        var header = LogFrameHeader(
          UnsafeRawBufferPointer(frame),
          salt: content.header.salt
        )
      else { return }
      header.payloadBytes = Int(length)
      header.encode(to: frame, salt: content.header.salt)
    }
    try fixture.put(bytes)
    guard length > 7 else {
      // The save ends before the end of the file, so there may have been more than one.
      #expect(errorCode { _ = try fixture.open() } == .damaged)
      #expect(try fixture.bytes() == bytes)
      return
    }
    let reopened = try fixture.open()
    #expect(try reopened.titles() == ["Up"])
    #expect(reopened.openingReport.tail.range == start..<bytes.count)
  }

  // Covers B08, B09.
  @Test func filesOfOtherProgramsAreRefusedAndUntouched() throws {
    var random = SeededGenerator(seed: 11)
    let noise = (0..<5000).map { _ in UInt8(random.below(256)) }
    let others: [[UInt8]] = [
      noise, [0xFF, 0xD8, 0xFF, 0xE0] + noise, Array("2026-01-01 started\n".utf8),
      Array(#"{"catalog": {"format": 1}}"#.utf8), [0], Array(LogFormat.magic.prefix(4)),
    ]
    for bytes in others {
      try fixture.put(bytes)
      #expect(errorCode { _ = try fixture.open() } == .notAStore)
      #expect(try fixture.bytes() == bytes)
      #expect(errorCode { _ = try fixture.open(isReadOnly: true) } == .notAStore)
    }
    try fixture.put(LogFormat.magic)
    #expect(errorCode { _ = try fixture.open() } == .damaged)
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  // MARK: Newer programs

  // Covers B11.
  @Test func anUnknownVersionOrFeatureIsRefused() throws {
    _ = try makeLog()
    let bytes = try fixture.bytes()
    for (offset, value) in [
      (LogFormat.Header.majorVersion, UInt8(2)), (LogFormat.Header.incompatibleFeatures, 2),
      (LogFormat.Header.incompatibleFeatures, 3),
      (LogFormat.Header.incompatibleFeatures + 3, 0x80),
    ] {
      try fixture.put(bytes)
      try fixture.changeHeader(at: offset, to: value)
      let changed = try fixture.bytes()
      #expect(errorCode { _ = try fixture.open() } == .unsupported)
      #expect(try fixture.bytes() == changed)
    }
    try fixture.put(bytes)
    try fixture.changeHeader(at: LogFormat.Header.length, to: 65)
    #expect(errorCode { _ = try fixture.open() } == .unsupported)
  }

  /// As a newer program would write it: the frames continue the header as written.
  ///
  /// Covers B11.
  @Test(
    arguments: [
      (LogFormat.Header.minorVersion, 9), (LogFormat.Header.readOnlyFeatures, 4),
    ] as [(Int, UInt8)]
  )
  func newerFilesAreReadOnly(offset: Int, value: UInt8) throws {
    let states = try makeLog()
    try fixture.changeHeader(at: offset, to: value)
    try fixture.put(LogSealing.sealed(try fixture.bytes()))
    let bytes = try fixture.bytes()
    let store = try fixture.open(schema: nil)
    #expect(store.isReadOnly)
    #expect(try store.titles() == states.last)
    let error = #expect(throws: PersistenceError.self) { try store.insertFilm("Up") }
    #expect(error?.code == .readOnly)
    #expect(error?.message.contains("written by a newer version") == true)
    #expect(try store.check() == [])
    #expect(try store.transactions(after: nil, touching: nil).count == states.count)
    #expect(errorCode { _ = try store.compact(keeping: .none) } == .readOnly)
    #expect(try fixture.bytes() == bytes)
    #expect(store.openingNotes.count == 1, "it says why")
  }

  // Covers B11.
  @Test func anUnknownFrameIsRefusedOrPassedOverAsItSays() throws {
    let states = try makeLog()
    let bytes = try fixture.bytes()
    try fixture.appendFrame(kind: 0x55, [1, 2, 3])
    let changed = try fixture.bytes()
    #expect(errorCode { _ = try fixture.open() } == .unsupported)
    #expect(try fixture.bytes() == changed)
    try fixture.put(bytes)
    try fixture.appendFrame(kind: 0xD5, [1, 2, 3])
    let store = try fixture.open(schema: nil)
    #expect(store.openingReport.tail == .none)
    #expect(try store.titles() == states.last)
    try store.insertFilm("Up")
    let reopened = try fixture.open(schema: nil)
    #expect(try reopened.titles().last == "Up")
    #expect(try reopened.transactions(after: nil, touching: nil).count == 9)
    _ = try reopened.compact(keeping: .last(8))
    #expect(try fixture.open(schema: nil).everything() == reopened.everything())
  }

  // MARK: Nonsense

  /// Items that verify but are impossible; the last byte string is not the key of any record.
  private static let nonsense: [(what: String, items: [UInt8])] = [
    ("a record without its entity", [0x11, 2, 0]),
    ("an entity that is not there", [0x04, 9, 0x11, 2, 0]),
    ("an item of no kind", [0x04, 0, 0x1F, 2, 0]),
    ("a key of no kind", [0x04, 0, 0x91, 2, 0]),
    ("a record that ends early", [0x04, 0, 0x11, 2]),
    ("a text that ends early", [0x04, 0, 0x11, 2, 1, 200]),
    ("a text longer than memory", [0x04, 0, 0x11, 2, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
    ("a number without end", [0x04, 0, 0x11] + [UInt8](repeating: 0xFF, count: 12)),
    ("a text that is not UTF-8", [0x04, 0, 0x11, 2, 1, 2, 0xC3, 0x28]),
    ("a change of no record", [0x04, 0, 0x12, 99, 1, 2, 1, 65]),
    ("a delete of no record", [0x04, 0, 0x13, 99, 0]),
    ("the same record twice", [0x04, 0, 0x11, 2, 0, 0x11, 2, 0]),
  ]

  // Covers B15.
  @Test(arguments: nonsense.indices)
  func nonsenseInASoundFrameIsRefusedAndSalvageNamesIt(index: Int) throws {
    let (what, items) = Self.nonsense[index]
    let states = try makeLog()
    try fixture.appendFrame(kind: 2, try fixture.transaction(items))
    let bytes = try fixture.bytes()
    let error = #expect(throws: PersistenceError.self, "\(what)") { _ = try fixture.open() }
    #expect(error?.code == .damaged, "\(what)")
    #expect(error?.message.contains("frame 11") == true, "\(what): \(error?.message ?? "")")
    #expect(try fixture.bytes() == bytes)
    let new = fixture.folder.file("new.catlog")
    let report = try LogSalvage.run(from: fixture.path, to: new)
    let saved = try LogStore(LogStoreConfiguration(path: new))
    #expect(try Set(saved.titles()).isSuperset(of: states.last ?? []), "\(what)")
    // A record that exists or is deleted, as the item states, does not count as lost.
    let isHarmless = ["the same record twice", "a delete of no record"].contains(what)
    #expect(report.losses.isEmpty == isHarmless, "\(what): \(report.losses)")
  }

  // Covers B15.
  @Test func framesOutOfPlaceAreRefused() throws {
    _ = try makeLog()
    let bytes = try fixture.bytes()
    let content = try fixture.content()
    func refuse(kind: UInt8, _ payload: @autoclosure () throws -> [UInt8], _ what: String) throws {
      try fixture.put(bytes)
      try fixture.appendFrame(kind: kind, payload())
      let code = try #require(errorCode { _ = try fixture.open() }, "\(what)")
      // Unknown content may come from a newer program.
      #expect([.damaged, .unsupported].contains(code), "\(what): \(code)")
    }
    try refuse(kind: 2, try fixture.transaction([], token: 77), "a token out of order")
    try refuse(kind: 2, try fixture.transaction([], token: 8), "a token twice")
    try refuse(kind: 2, try fixture.transaction([], schemaChecksum: 1), "another schema")
    try refuse(kind: 2, [1, 2, 3], "half a head")
    try refuse(kind: 5, [0x04, 0], "a part without its beginning")
    try refuse(kind: 6, try fixture.transaction([99]), "a change of the schema of no kind")
    try refuse(kind: 6, try fixture.transaction([]), "a change of the schema that is empty")
    try refuse(kind: 7, try fixture.transaction([]), "half a migration")
    try refuse(kind: 3, [], "a base in the middle")
    try refuse(kind: 4, [0, 0, 0], "the end of a base in the middle")
    var schema = PayloadWriter()
    LogSchemaCodec.encode(content.schema.schema, to: &schema)
    try refuse(kind: 1, schema.withContent { Array($0) }, "a second schema")
  }

  @Test func aTransactionThatBeginsWithinAnotherIsRefused() throws {
    _ = try makeLog()
    let content = try fixture.content()
    let bytes = try fixture.bytes()
    for kind in [UInt8(2), 6] {
      let open = LogFixture.frame(
        kind: 2,
        flags: LogFormat.continuesFlag,
        try fixture.transaction([0x04, 0]),
        behind: content.committedChain
      )
      var chain = content.committedChain
      chain.sequence += 1
      chain.checksum = open.withUnsafeBytes {
        $0.littleEndian(LogFormat.Frame.payloadChecksum, as: UInt64.self)
      }
      let next = LogFixture.frame(kind: kind, try fixture.transaction([]), behind: chain)
      try fixture.put(bytes + open + next)
      #expect(errorCode { _ = try fixture.open() } == .damaged)
      try fixture.put(bytes)
    }
  }

  @Test func aBaseThatCountsWrongIsRefused() throws {
    let header = LogHeader(identifier: UUID(), generation: 2, salt: 3)
    func log(_ write: (LogFrameWriter) throws -> Void) throws -> [UInt8] {
      var bytes = header.encoded()
      let writer = LogFrameWriter(continuing: LogChain(header)) { bytes += $0 }
      try writer.write(Self.schema)
      try write(writer)
      return bytes
    }
    func end(_ writer: LogFrameWriter, count: Int) throws {
      writer.append {
        LogBaseEnd(horizon: 5, recordCount: count, highestKey: nil, greatestNumbers: [0])
          .encode(to: &$0)
      }
      try writer.finish(.baseEnd)
    }
    try fixture.put(try log { try end($0, count: 0) })
    #expect(try fixture.open(schema: nil).titles() == [])
    for write: (LogFrameWriter) throws -> Void in [
      { try end($0, count: 1) },
      { _ in },
      { writer in
        // A base chunk that deletes.
        writer.append { $0.append(raw: [0x04, 0, 0x13, 2, 0]) }
        try writer.finish(.baseChunk)
        try end(writer, count: 0)
      },
      { writer in
        try end(writer, count: 0)
        try end(writer, count: 0)
      },
    ] {
      let bytes = try log(write)
      try fixture.put(bytes)
      #expect(errorCode { _ = try fixture.open(schema: nil) } == .damaged)
      #expect(try fixture.bytes() == bytes)
    }
  }
}

extension PayloadWriter {
  /// Appends bytes.
  fileprivate mutating func append(raw bytes: [UInt8]) {
    for byte in bytes { append(byte: byte) }
  }
}
