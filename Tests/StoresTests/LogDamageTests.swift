import Foundation
import OpenSwiftData
import Testing

@testable import Stores

@Suite struct LogDamageTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// A log of a few saves, and its size after its creation and after each save.
  private func makeLog(_ schema: Schema = LogFixture.schema) throws
    -> (sizes: [Int], titles: [[String]])
  {
    let store = try fixture.open(schema: schema)
    let up = try store.insertFilm("Up")
    var sizes = [try fixture.bytes().count]
    var titles = [try store.titles()]
    func note() throws {
      sizes.append(try fixture.bytes().count)
      titles.append(try store.titles())
    }
    try store.insertFilm("Cars")
    try note()
    try store.update(up, "title", to: .text("Up!"))
    try note()
    try store.delete(up)
    try note()
    return (sizes, titles)
  }

  /// The ends of the frames, as stated in their headers.
  private func frameEnds(_ bytes: [UInt8]) -> [Int] {
    var ends = [LogFormat.headerBytes]
    bytes.withUnsafeBytes { buffer in
      while let end = ends.last, end < buffer.count {
        let length = buffer.littleEndian(end + LogFormat.Frame.payloadLength, as: UInt32.self)
        ends.append(end + LogFormat.frameBytes(payload: Int(length)))
      }
    }
    return ends
  }

  // Covers A09, B02, D14.
  @Test func aLogTornAtAnyByteOpensWithEverySaveBeforeIt() throws {
    let (sizes, titles) = try makeLog()
    let bytes = try fixture.bytes()
    let first = try #require(sizes.first)
    for length in first...bytes.count {
      try fixture.put(Array(bytes[..<length]))
      let whole = sizes.lastIndex { $0 <= length } ?? 0
      let store = try fixture.open()
      #expect(try store.titles() == titles[whole], "\(length) bytes")
      let size = sizes[whole]
      #expect(try fixture.bytes().count == length, "opening cuts nothing")
      try store.insertFilm("Coco")
      if length > size {
        #expect(store.openingReport.tail == .torn(offset: size, sizeBytes: length - size))
        let kept = try #require(store.openingReport.keptTailPath)
        #expect(try fixture.folder.bytes(splitPath(kept).name) == Array(bytes[size..<length]))
        #expect(store.compactIfWorthwhile().first?.contains(kept) == true)
      } else {
        #expect(store.openingReport.tail == .none)
      }
      #expect(try fixture.open().titles() == titles[whole] + ["Coco"])
      try fixture.removeKept()
    }
  }

  /// A header that crosses the border of two sectors says less when its end is missing.
  ///
  /// Covers A09.
  @Test(arguments: [488, 496, 504])
  func aSaveWhoseHeaderWasWrittenInPartIsTorn(place: Int) throws {
    let store = try fixture.open()
    var titles: [String] = []
    var start = 0
    // Titles of growing length, until a save begins at the place in its sector.
    while start % 512 != place, titles.count < 2000 {
      start = titles.isEmpty ? 0 : try fixture.bytes().count
      titles.append(String(repeating: "x", count: titles.count % 40 + 1))
      try store.insertFilm(titles[titles.count - 1])
    }
    try #require(start % 512 == place)
    let bytes = try fixture.bytes()
    for kept in 0..<40 {
      var torn = bytes
      for offset in (start + kept)..<torn.count { torn[offset] = 0 }
      try fixture.put(torn)
      #expect(try fixture.open().titles() == titles.dropLast(), "\(kept) bytes of the header")
    }
  }

  // Covers B02.
  @Test func aLogTornBeforeItsFirstSaveIsRefusedOrEmptyAndNeverSomethingElse() throws {
    let (sizes, _) = try makeLog()
    let bytes = try fixture.bytes()
    for length in 0..<(try #require(sizes.first)) {
      try fixture.put(Array(bytes[..<length]))
      do {
        let store = try fixture.open()
        // A copy of the schema follows the first save in the file.
        #expect([[], ["Up"]].contains(try store.titles()))
      } catch let error as PersistenceError {
        #expect([.damaged, .notAStore].contains(error.code), "\(length): \(error)")
        #expect(try fixture.bytes() == Array(bytes[..<length]))
      }
    }
  }

  // Covers A10.
  @Test(arguments: [UInt8(0), 0xA5])
  func aTailThatNeverReachedTheDiskIsCut(filler: UInt8) throws {
    let (sizes, titles) = try makeLog()
    let bytes = try fixture.bytes()
    let size = sizes[sizes.count - 2]
    for start in size..<bytes.count {
      let tail = [UInt8](repeating: filler, count: bytes.count - start)
      guard tail != Array(bytes[start...]) else { continue }
      try fixture.put(Array(bytes[..<start]) + tail)
      let store = try fixture.open()
      #expect(try store.titles() == titles[titles.count - 2])
      #expect(store.openingReport.tail.range == size..<bytes.count)
      if filler == 0, start == size {
        #expect(!store.openingReport.mayHaveLostSave)
      }
      try fixture.removeKept()
    }
  }

  /// Flips every bit of the log: it is rejected, or opens without its last save and reports that,
  /// and never shows a wrong value.
  ///
  /// Covers B01.
  @Test(arguments: 0..<8)
  func everyFlippedBitIsFound(bit: Int) throws {
    let film = Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)])
    let (sizes, titles) = try makeLog(Schema(film))
    let bytes = try fixture.bytes()
    let lastSize = sizes[sizes.count - 2]
    let files = fixture.files.base
    let mask = UInt8(1) << UInt8(bit)
    for position in bytes.indices {
      try files.overwrite(fixture.path, at: position, bytes[position] ^ mask)
      fixture.files.inject()
      do {
        let store = try fixture.open(schema: nil)
        #expect(position >= lastSize, "byte \(position), bit \(bit)")
        #expect(try store.titles() == titles[titles.count - 2])
        #expect(store.openingReport.tail.range == lastSize..<bytes.count)
        try fixture.removeKept()
        try fixture.put(bytes)
      } catch let error as PersistenceError {
        if position >= lastSize { Issue.record("byte \(position), bit \(bit): \(error)") }
        if ![.damaged, .notAStore, .unsupported].contains(error.code) { throw error }
        // Only the lock file may be created and removed.
        let changing = fixture.files.calls.filter {
          $0.changesFiles && !$0.path.hasSuffix(".lock")
        }
        if !changing.isEmpty { Issue.record("a refused log was changed by \(changing)") }
        try files.overwrite(fixture.path, at: position, bytes[position])
      }
    }
    #expect(try fixture.bytes() == bytes)
    let lock = fixture.folder.file(".films.catlog.lock")
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  // Covers B05.
  @Test func framesRemovedDoubledOrExchangedAreRefused() throws {
    _ = try makeLog()
    let bytes = try fixture.bytes()
    let ends = frameEnds(bytes)
    let frames = zip(ends, ends.dropFirst()).map { Array(bytes[$0..<$1]) }
    #expect(frames.count == 6)
    let header = Array(bytes[..<LogFormat.headerBytes])
    func refuse(_ frames: [[UInt8]], _ what: String) throws {
      let changed = header + frames.flatMap { $0 }
      try fixture.put(changed)
      #expect(errorCode { _ = try fixture.open() } == .damaged, "\(what)")
      #expect(try fixture.bytes() == changed)
    }
    for index in frames.indices {
      if index < frames.count - 1 {
        var removed = frames
        removed.remove(at: index)
        try refuse(removed, "frame \(index) removed")
        var exchanged = frames
        exchanged.swapAt(index, index + 1)
        try refuse(exchanged, "frame \(index) exchanged")
      }
      var doubled = frames
      doubled.insert(frames[index], at: index)
      try refuse(doubled, "frame \(index) doubled")
    }
  }

  // Covers B06.
  @Test func aFrameOfAnotherLogIsNotBelieved() throws {
    let other = try LogFixture()
    try other.open().insertFilm("Cars")
    let foreign = try other.bytes()
    let ends = frameEnds(foreign)
    let (_, titles) = try makeLog()
    let bytes = try fixture.bytes()
    try fixture.put(bytes + Array(foreign[ends[1]...]))
    let store = try fixture.open()
    #expect(try store.titles() == titles.last)
    #expect(store.openingReport.mayHaveLostSave)
  }

  // Covers B08, B09, B10.
  @Test(arguments: [
    ([] as [UInt8], PersistenceError.Code.notAStore),
    ([UInt8](repeating: 0, count: 4096), .notAStore),
    (Array("SQLite format 3\0".utf8), .notAStore),
    ([0x89, 0x53, 0x44, 0x4C, 0x0A, 0x1A, 0x0A, 0x00], .damaged),
    ([0x09, 0x53, 0x44, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A], .damaged),
  ])
  func otherFilesAreRejectedAndUnchanged(bytes: [UInt8], code: PersistenceError.Code) throws {
    try fixture.put(bytes)
    #expect(errorCode { _ = try fixture.open() } == code)
    #expect(try fixture.bytes() == bytes)
  }

  // Covers B14.
  @Test func anErrorOfTheDiskIsNoTornTail() throws {
    _ = try makeLog()
    let bytes = try fixture.bytes()
    fixture.files.inject { $0.operation == .read && $0.number > 8 ? .fail(.inputOutput) : .none }
    #expect(errorCode { _ = try fixture.open() } == .inaccessible)
    fixture.files.inject()
    #expect(try fixture.bytes() == bytes)
  }
}

@Suite struct LogFailureTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  // Covers C03, C04.
  @Test func aFailedSyncEndsTheStore() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    fixture.files.inject { $0.operation == .synchronize ? .fail(.inputOutput) : .none }
    #expect(errorCode { try store.insertFilm("Cars") } == .outcomeUnknown)
    fixture.files.inject()
    #expect(errorCode { try store.insertFilm("Coco") } == .outcomeUnknown)
    #expect(errorCode { _ = try store.check() } == .outcomeUnknown)
    #expect(try store.titles() == ["Up"], "what was there can be saved elsewhere")
    #expect(fixture.files.count(of: .synchronize) == 0)
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  // Covers C06.
  @Test func aFailedWriteIsTakenBack() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let bytes = try fixture.bytes()
    for short in [0, 1, 17, 100] {
      fixture.files.inject { call in
        guard call.operation == .write else { return .none }
        return call.number <= 3 && short > 0 ? .shorten(short) : .fail(.noSpace)
      }
      #expect(errorCode { try store.insertFilm("Cars") } == .inaccessible)
      fixture.files.inject()
      #expect(try fixture.bytes() == bytes)
      #expect(try store.titles() == ["Up"])
    }
    try store.insertFilm("Coco")
    #expect(try fixture.open().titles() == ["Up", "Coco"])
  }

  @Test func aWriteThatCannotBeTakenBackEndsTheStore() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    fixture.files.inject {
      $0.operation == .write || $0.operation == .truncate ? .fail(.inputOutput) : .none
    }
    #expect(errorCode { try store.insertFilm("Cars") } == .outcomeUnknown)
    fixture.files.inject()
    #expect(errorCode { try store.insertFilm("Coco") } == .outcomeUnknown)
    #expect(try fixture.open().titles() == ["Up"])
  }

  // Covers B12.
  @Test func garbageOfADeadWriterIsCutBeforeTheNextSave() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try fixture.files.base.append([UInt8](repeating: 7, count: 99), to: fixture.path)
    #expect(try store.titles() == ["Up"])
    try store.insertFilm("Cars")
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  // Covers D15.
  @Test func followsAReplacedLogUnlessSavesAreMissing() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let old = try fixture.bytes()
    try fixture.open().insertFilm("Cars")
    let new = try fixture.bytes()
    try fixture.files.remove(fixture.path, in: nil)
    try fixture.put(new)
    try store.insertFilm("Coco")
    #expect(try fixture.open().titles() == ["Up", "Cars", "Coco"])
    try fixture.files.remove(fixture.path, in: nil)
    try fixture.put(old)
    #expect(errorCode { try store.insertFilm("Soul") } == .conflict)
    #expect(try fixture.bytes() == old)
  }

  // Covers D12.
  @Test(arguments: ["shortened", "removed", "exchanged"])
  func damagedFilesAreNotWritten(how: String) throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let bytes = try fixture.bytes()
    if how == "shortened" {
      try fixture.files.base.cut(fixture.path, to: bytes.count - 8)
    } else {
      try fixture.files.remove(fixture.path, in: nil)
      if how == "exchanged" {
        let other = try fixture.open()
        try other.insertFilm("Other")
      }
    }
    #expect(errorCode { try store.insertFilm("Cars") } == .conflict)
  }

  /// A person whose file was damaged must be able to save what is in memory elsewhere.
  @Test(arguments: [
    "shortened", "emptied", "exchanged", "exchanged for another kind of file",
    "exchanged for a damaged log",
  ])
  func recordsOfALostFileAreStillRead(how: String) throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    switch how {
    case "shortened": try fixture.files.base.cut(fixture.path, to: fixture.bytes().count - 8)
    case "emptied": try fixture.files.base.cut(fixture.path, to: 0)
    case "exchanged for another kind of file":
      try fixture.files.remove(fixture.path, in: nil)
      try fixture.put(Array("[]".utf8))
    case "exchanged for a damaged log":
      var bytes = try fixture.bytes()
      bytes[bytes.count / 2] ^= 1
      try fixture.files.remove(fixture.path, in: nil)
      try fixture.put(bytes)
    default:
      try fixture.files.remove(fixture.path, in: nil)
      try fixture.open().insertFilm("Other")
    }
    #expect(errorCode { try store.refresh() } == .conflict)
    for _ in 0..<2 { #expect(try store.titles() == ["Up"]) }
    #expect(errorCode { try store.refresh() } == .conflict)
    #expect(errorCode { try store.insertFilm("Cars") } == .conflict)
    #expect(try store.titles() == ["Up"])
  }

  @Test func aLogIsReadWhileAnotherProgramHoldsItsLock() throws {
    try fixture.open().insertFilm("Up")
    let directory = try fixture.files.openDirectory(fixture.folder.path)
    defer { fixture.files.closeQuietly(directory) }
    let lock = try FileLock(fileSystem: fixture.files, directory: directory, name: "films.catlog")
    try lock.acquire()
    let store = try fixture.open()
    #expect(try store.titles() == ["Up"])
    #expect(store.openingNotes.contains { $0.contains("locked by another program") })
    #expect(errorCode { try store.insertFilm("Cars") } == .busy)
    lock.release()
    try store.insertFilm("Cars")
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  /// In a shared folder, anybody can put a file there that nobody else may open.
  @Test func aLockFileOfAStrangerLeavesALogReadable() throws {
    try fixture.open().insertFilm("Up")
    try fixture.folder.put(".films.catlog.lock", [])
    fixture.files.inject {
      $0.operation == .open && $0.path.hasSuffix(".films.catlog.lock")
        ? .fail(.accessDenied) : .none
    }
    let store = try fixture.open()
    #expect(try store.titles() == ["Up"])
    #expect(store.isReadOnly)
    let note = store.openingNotes.joined()
    #expect(note.contains(".films.catlog.lock: lock file that only user "), "\(note)")
    #expect(note.contains("; delete it while no other program is saving"), "\(note)")
  }

  // Covers D03.
  @Test func aHeldLockIsReportedAsBusy() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let directory = try fixture.files.openDirectory(fixture.folder.path)
    defer { fixture.files.closeQuietly(directory) }
    let lock = try FileLock(
      fileSystem: fixture.files,
      directory: directory,
      name: "films.catlog"
    )
    try lock.acquire()
    #expect(errorCode { try store.insertFilm("Cars") } == .busy)
    #expect(try store.titles() == ["Up"])
    lock.release()
    try store.insertFilm("Cars")
  }

  /// Fails every call of opening and saving: acknowledged saves exist, failed ones do not, and the
  /// file can be opened.
  @Test(arguments: [SystemErrorCode.inputOutput, .noSpace, .interrupted, .accessDenied])
  func everyFailureLeavesWholeSaves(code: SystemErrorCode) throws {
    var number = 1
    while true {
      let fixture = try LogFixture()
      let failing = number
      var expected: [String] = []
      var maybe: String?
      fixture.files.inject { $0.number == failing ? .fail(code) : .none }
      do {
        for round in 0..<2 {
          let store = try fixture.open()
          for title in ["a\(round)", "b\(round)"] {
            maybe = title
            try store.insertFilm(title)
            expected.append(title)
            maybe = nil
          }
        }
      } catch {
        // The injected failure.
      }
      let count = fixture.files.calls.count
      fixture.files.inject()
      let titles = try fixture.open().titles()
      #expect(
        titles == expected || titles == expected + [maybe ?? ""],
        "call \(number) with \(code)"
      )
      #expect(fixture.files.openCount == 0, "call \(number)")
      if count < number { break }
      number += 1
    }
    #expect(number > 40)
  }
}
