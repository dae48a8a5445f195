import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Bases in columns: written, read, damaged, and in the form that earlier versions wrote.
@Suite struct LogColumnTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// Values of every kind, some missing, from a generator.
  private static func value(
    _ type: AttributeType,
    _ links: [String: [PersistentIdentifier]],
    _ random: inout SeededGenerator
  ) -> Value {
    if Int.random(in: 0..<4, using: &random) == 0 { return .null }
    let number = Int64.random(in: -200...70_000, using: &random)
    switch type {
    case .text, .json:
      let texts = ["", "Up", "Größe", "\u{1F600}", String(repeating: "long ", count: 80)]
      let text = texts[Int.random(in: 0..<texts.count, using: &random)]
      return type == .json ? .json("[\"\(text)\"]") : .text(text)
    case .integer: return .integer(Bool.random(using: &random) ? number : number << 40)
    case .number: return .number(Double(number) / 8)
    case .decimal:
      let text = Bool.random(using: &random) ? "\(number).25" : "1234567890123456789012345.5"
      return Decimal(string: text).map { .decimal($0) } ?? .null
    case .boolean: return .boolean(number % 2 == 0)
    case .date: return .date(CalendarDate(daysSince1970: Int32(number)))
    case .datetime: return .datetime(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .uuid: return .uuid(UUID(randomHigh: UInt64(bitPattern: number), low: 7))
    case .link(let entity):
      return links[entity]?.randomElement(using: &random).map { .link($0) } ?? .null
    case .links(let entity):
      return .links((links[entity] ?? []).filter { _ in Bool.random(using: &random) })
    }
  }

  /// Fills a log with random records, deletes and changes some, and compacts it.
  private func compactedLog(count: Int, _ random: inout SeededGenerator) throws -> LogStore {
    let store = try fixture.open(history: .none)
    var links: [String: [PersistentIdentifier]] = [:]
    for name in ["Studio", "Film"] {
      let entity = try store.schema.entity(named: name)
      let scope = IdentifierScope(store: nil, entity: name)
      let records = (0..<count).map { serial in
        DefaultSnapshot(
          persistentIdentifier: scope.temporaryIdentifier(UInt64(serial), context: 1),
          layout: entity.layout,
          orderedValues: entity.fields.map { field in
            let value = Self.value(field.type, links, &random)
            return value.isNull && !field.isOptional ? .text("required") : value
          }
        )
      }
      let result = try store.commit(ChangeSet(inserted: records), author: nil)
      links[name] = Array(result.remappedIdentifiers.values.sorted().prefix(5))
    }
    for film in try store.films().filter({ _ in Int.random(in: 0..<5, using: &random) == 0 }) {
      if Bool.random(using: &random) {
        try store.delete(film.persistentIdentifier)
      } else {
        try store.update(film.persistentIdentifier, "title", to: .text("changed"))
      }
    }
    _ = try store.compact(keeping: .none)
    return store
  }

  private func seed() -> UInt64 { SeededGenerator.testSeed }

  @Test func everyValueComesBackFromColumns() throws {
    let seed = seed()
    var random = SeededGenerator(seed: seed)
    for count in [1, 2, 63, 64, 65, 400] {
      let fixture = try LogFixture()
      let tests = LogColumnTests(fixture)
      let store = try tests.compactedLog(count: count, &random)
      let everything = try store.everything()
      let kinds = try fixture.frameKinds()
      #expect(kinds.contains(.baseColumns) && !kinds.contains(.baseChunk))
      let reopened = try fixture.open(schema: nil)
      #expect(try reopened.everything() == everything, "seed \(seed), \(count) records")
      #expect(try reopened.check() == [], "seed \(seed), \(count) records")
      try reopened.insertFilm("new")
      _ = try reopened.compact(keeping: .none)
      #expect(try fixture.open(schema: nil).everything().count == everything.count + 1)
    }
  }

  private init(_ fixture: LogFixture) { self.fixture = fixture }

  /// Texts and lists larger than a section, and more records than a group.
  @Test func largeTextsAndManyRecordsAreDivided() throws {
    let store = try fixture.open(history: .none)
    let text = String(repeating: "0123456789abcdef", count: 40_000)
    let films = try (0..<LogColumnEncoder.groupRows + 70).map {
      try store.new("Film", $0 + 1, ["title": .text($0 % 9_000 == 5 ? text : "\($0)")])
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    _ = try store.compact(keeping: .none)
    let reopened = try fixture.open(schema: nil)
    #expect(try reopened.titles() == store.titles())
    #expect(try reopened.check() == [])
  }

  // MARK: Damage

  /// Each bit of a base is part of something that is verified.
  @Test func everyFlippedBitIsNoticed() throws {
    let seed = seed()
    var random = SeededGenerator(seed: seed)
    _ = try compactedLog(count: 20, &random)
    let bytes = try fixture.bytes()
    for _ in 0..<300 {
      let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try fixture.put(damaged)
      // Only the copy of the schema at the end may be taken for an interrupted save.
      if let store = try? fixture.open(isReadOnly: true, schema: nil) {
        #expect(!store.openingNotes.isEmpty, "seed \(seed), bit \(bit)")
      }
      #expect(try fixture.bytes() == damaged)
    }
  }

  /// With correct checksums, changed bytes reach the code that reads columns: it refuses them, or
  /// gets a table that is consistent.
  @Test func changedSectionsAreRejectedOrConsistent() throws {
    let seed = seed()
    var random = SeededGenerator(seed: seed)
    _ = try compactedLog(count: 20, &random)
    let bytes = try fixture.bytes()
    let frames = try fixture.frames(of: .baseColumns)
    var refused = 0
    for _ in 0..<600 {
      var changed = bytes
      let frame = try #require(frames.randomElement(using: &random))
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let place = Int.random(in: frame.dropFirst(LogFormat.frameHeaderBytes), using: &random)
        changed[place] =
          Bool.random(using: &random)
          ? UInt8.random(in: 0...255, using: &random) : changed[place] ^ 1 << UInt8(place % 8)
      }
      try fixture.put(LogSealing.sealed(changed))
      do {
        // Opening checks the invariants of small tables.
        let store = try fixture.open(isReadOnly: true, schema: nil)
        _ = try store.everything()
      } catch let error as PersistenceError {
        refused += 1
        #expect([.damaged, .unsupported].contains(error.code), "seed \(seed): \(error)")
      }
    }
    #expect(refused > 40, "seed \(seed)")
  }

  @Test func rejectsMisplacedSections() throws {
    var random = SeededGenerator(seed: 11)
    _ = try compactedLog(count: 3, &random)
    let bytes = try fixture.bytes()
    let frame = try #require(try fixture.frames(of: .baseColumns).first)
    let start = frame.lowerBound + LogFormat.frameHeaderBytes
    // Another entity, column, first record, number of records, total, encoding, width, flags.
    for (offset, value) in [
      (0, 1), (0, 9), (4, 1), (8, 1), (12, 2), (16, 99), (20, 9), (20, 77), (21, 5), (22, 1),
      (23, 1),
      (24, 1), (31, 0x80),
    ] as [(Int, UInt8)] {
      var changed = bytes
      changed[start + offset] = value
      try fixture.put(LogSealing.sealed(changed))
      let code = errorCode { _ = try fixture.open(schema: nil) }
      #expect(code == .damaged || code == .unsupported, "\(offset) \(value)")
    }
  }

  // MARK: Transactions

  private func films(_ count: Int, _ store: LogStore, _ text: String = "") throws
    -> [DefaultSnapshot]
  {
    try (0..<count).map { try store.new("Film", $0 + 1, ["title": .text("\($0)\(text)")]) }
  }

  /// Many inserts of a save, together with an update, a delete and a single insert.
  @Test func aSaveOfManyRecordsIsWrittenInColumns() throws {
    let store = try fixture.open()
    let up = try store.insertFilm("Up")
    let cars = try store.insertFilm("Cars")
    let present = try store.snapshots(for: [up, cars])
    let before = try #require(present[up])
    var after = before
    after.orderedValues[0] = .text("Up!")
    let other = try fixture.open()
    let changes = ChangeSet(
      inserted: try films(70_000, store) + [try store.new("Studio", 1, ["name": .text("A")])],
      updated: [RecordUpdate(before: before, after: after)],
      deleted: [try #require(present[cars])]
    )
    let result = try store.commit(changes, author: "ada")
    #expect(try fixture.frames(of: .transactionColumns).count > 1)
    let everything = try store.everything()
    #expect(everything.count == 70_002)
    // A store that has records of the entity, and one that has none.
    #expect(try other.everything() == everything)
    #expect(try fixture.open(schema: nil).everything() == everything)
    #expect(try store.check() == [])
    let last = try #require(try other.transactions(after: 2, touching: nil).last)
    #expect(last.changes.inserted.count == 70_001 && last.changes.updated.count == 1)
    #expect(last.changes.deleted.count == 1 && last.author == "ada")
    let one = try #require(
      result.remappedIdentifiers[changes.inserted[69_000].persistentIdentifier]
    )
    let touching = try other.transactions(after: nil, touching: one)
    #expect(touching.map(\.changes.inserted.count) == [1])
    // As history only, then as part of the base.
    try other.deleteTransactions([1])
    #expect(try other.transactions(after: nil, touching: one).count == 1)
    try store.insertFilm("new")
    try store.deleteTransactions([4])
    #expect(try fixture.frameKinds().contains(.pastTransactionColumns))
    let kept = try fixture.open(schema: nil).transactions(after: nil, touching: nil)
    #expect(kept.map(\.token) == [2, 3])
    #expect(kept.last?.changes.inserted.count == 70_001)
    _ = try store.compact(keeping: .none)
    #expect(try fixture.open(schema: nil).everything().count == everything.count + 1)
  }

  /// Keys that do not ascend, or that were deleted before, are inserted one by one.
  @Test func deletedRecordsAreInsertedAgain() throws {
    let store = try fixture.open()
    _ = try store.commit(ChangeSet(inserted: try films(600, store)), author: nil)
    let everything = try store.everything()
    _ = try store.commit(ChangeSet(deleted: everything.reversed()), author: nil)
    try store.insertFilm("other")
    _ = try store.commit(ChangeSet(inserted: everything.reversed()), author: nil)
    #expect(try fixture.frames(of: .transactionColumns).count == 2)
    #expect(try store.everything().count == 601)
    #expect(try fixture.open(schema: nil).everything() == store.everything())
    #expect(try store.check() == [])
  }

  @Test func anInterruptedSaveInColumnsIsIgnored() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let text = String(repeating: "long ", count: 100)
    _ = try store.commit(ChangeSet(inserted: try films(9_000, store, text)), author: nil)
    let bytes = try fixture.bytes()
    let frames = try fixture.frames(of: .transactionColumns)
    #expect(frames.count > 3)
    for frame in frames {
      for end in [frame.lowerBound, frame.lowerBound + 50, frame.upperBound - 1] {
        try fixture.put(Array(bytes[..<end]))
        let cut = try fixture.open(isReadOnly: true, schema: nil)
        #expect(try cut.titles() == ["Up"])
        #expect(!cut.openingNotes.isEmpty)
      }
    }
    // With a missing, or a repeated section.
    try fixture.put(bytes)
    let report = try LogSalvage.run(from: fixture.path, to: fixture.folder.file("new.catlog"))
    #expect(report.recordCount == 9_001 && report.losses == [])
    var damaged = bytes
    damaged[frames[1].lowerBound + 90] ^= 1
    try fixture.put(damaged)
    let partial = try LogSalvage.run(from: fixture.path, to: fixture.folder.file("part.catlog"))
    #expect(partial.recordCount == 1)
    #expect(partial.losses.contains { $0.hasSuffix("skipped: incomplete") }, "\(partial)")
  }

  /// Logs of earlier versions go on without columns.
  @Test func logsWithoutTheFeatureStayWithoutColumns() throws {
    var header = LogHeader(identifier: UUID(), generation: 1, salt: 9)
    header.features = 0
    var bytes = header.encoded()
    try LogFrameWriter(continuing: LogChain(header)) { bytes += $0 }.write(LogFixture.schema)
    try fixture.put(bytes)
    let store = try fixture.open()
    _ = try store.commit(ChangeSet(inserted: try films(600, store)), author: nil)
    #expect(try fixture.frames(of: .transactionColumns).isEmpty)
    #expect(try fixture.open(schema: nil).everything() == store.everything())
  }

  // MARK: Salvage

  @Test func aDamagedSectionLosesOnlyItsValues() throws {
    let store = try fixture.open(history: .none)
    let text = String(repeating: "0123456789abcdef", count: 4_000)
    let films = try (0..<40).map {
      try store.new("Film", $0 + 1, ["title": .text("\($0)"), "extra": .json("\"\(text)\"")])
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    _ = try store.compact(keeping: .none)
    let everything = try store.everything()
    let frames = try fixture.frames(of: .baseColumns)
    #expect(frames.count > 2)
    // The last frame has the second half of the large values, and the columns after them.
    let last = try #require(frames.dropFirst().first)
    var bytes = try fixture.bytes()
    bytes[last.upperBound - 100] ^= 1
    try fixture.put(bytes)
    #expect(errorCode { _ = try fixture.open(schema: nil) } == .damaged)
    let new = fixture.folder.file("new.catlog")
    let report = try LogSalvage.run(from: fixture.path, to: new)
    let saved = try LogStore(LogStoreConfiguration(path: new))
    #expect(report.recordCount == 40)
    #expect(report.losses.contains { $0.hasPrefix("Film.extra: values of ") }, "\(report)")
    let found = try saved.films()
    #expect(found.map { $0["title"] } == everything.map { $0["title"] })
    let lost = zip(found, everything).filter { $0["extra"] != $1["extra"] }
    #expect((1..<40).contains(lost.count) && lost.allSatisfy { $0.0["extra"] == .null })
    #expect(try saved.check() == [])
  }

  @Test func lostKeysLoseTheirRecords() throws {
    let store = try fixture.open(history: .none)
    // So that each group fills a frame.
    let title = String(repeating: "title", count: 7)
    let films = try (0..<LogColumnEncoder.groupRows + 9).map {
      try store.new("Film", $0 + 1, ["title": .text("\($0) \(title)")])
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    _ = try store.compact(keeping: .none)
    let frames = try fixture.frames(of: .baseColumns)
    var bytes = try fixture.bytes()
    let last = try #require(frames.last)
    bytes[last.lowerBound + 60] ^= 1
    try fixture.put(bytes)
    let new = fixture.folder.file("new.catlog")
    let report = try LogSalvage.run(from: fixture.path, to: new)
    #expect(report.recordCount == LogColumnEncoder.groupRows)
    let total = films.count
    #expect(
      report.losses.contains("9 of \(total) records in the base lost"),
      "\(report)"
    )
  }

  // MARK: Other versions

  /// A log that version 1.0 compacted, with a base of records and one more save.
  @Test func aLogOfAnEarlierVersionIsReadAndWritten() throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/base-of-records.catlog")
    try fixture.put(Array(Data(contentsOf: source)))
    let content = try fixture.content()
    #expect(!content.header.hasColumns && content.header.generation == 2)
    #expect(try fixture.frameKinds().contains(.baseChunk))
    let store = try fixture.open(history: .none, schema: nil)
    let films = try store.films()
    #expect(films.map { $0["title"] } == [.text("Up"), .text("Cars"), .text("WALL·E")])
    #expect(films.map { $0["year"] } == [.integer(2009), .integer(2006), .null])
    #expect(films[0]["released"] == .date(CalendarDate(daysSince1970: 14_393)))
    #expect(films[0]["extra"] == .json(#"{"a":[1,2]}"#))
    let gross = Decimal(string: "1234567890123456789012345.5")
    #expect(films[1]["gross"] == gross.map { .decimal($0) })
    let studio = try store.snapshots(matching: Query("Studio"))[0]
    #expect(films[0]["studio"] == .link(studio.persistentIdentifier))
    #expect(try store.check() == [])
    try store.insertFilm("Coco")
    let everything = try store.everything()
    #expect(try fixture.open(schema: nil).everything() == everything)
    _ = try store.compact()
    #expect(try fixture.frameKinds().contains(.baseColumns))
    #expect(try fixture.open(schema: nil).everything() == everything)
  }

  /// A base as earlier versions wrote it, record by record.
  @Test func aBaseOfRecordsIsRead() throws {
    var random = SeededGenerator(seed: 5)
    let store = try compactedLog(count: 30, &random)
    let everything = try store.everything()
    let content = try fixture.content()
    var header = LogHeader(identifier: content.header.identifier, generation: 7, salt: 8)
    header.features = 0
    var bytes = header.encoded()
    let writer = LogFrameWriter(continuing: LogChain(header)) { bytes += $0 }
    try writer.write(content.schema.schema)
    var items = LogItemEncoder(content.schema)
    for record in everything {
      try writer.append { try items.append(LogItem.insert, record, to: &$0) }
    }
    try writer.finish(.baseChunk)
    let end = LogBaseEnd(
      horizon: content.lastToken,
      recordCount: everything.count,
      highestKey: content.highestKey,
      greatestNumbers: [0, 0]
    )
    writer.append { end.encode(to: &$0) }
    try writer.finish(.baseEnd)
    try fixture.put(bytes)
    let old = try fixture.open(history: .none, schema: nil)
    #expect(try old.everything() == everything)
    try old.insertFilm("new")
    _ = try old.compact()
    #expect(try fixture.open(schema: nil).everything().count == everything.count + 1)
    #expect(try fixture.content().header.hasColumns)
  }
}

extension LogFixture {
  /// The ranges of the frames of a kind.
  func frames(of kind: LogFormat.FrameKind) throws -> [Range<Int>] {
    try allFrames().filter { $0.kind == kind.rawValue }.map(\.range)
  }

  func frameKinds() throws -> [LogFormat.FrameKind] {
    try allFrames().compactMap { LogFormat.FrameKind(rawValue: $0.kind) }
  }

  private func allFrames() throws -> [(kind: UInt8, range: Range<Int>)] {
    let files = LocalFileSystem()
    let (file, status) = try files.openRegular(path, in: nil, .read)
    defer { files.closeQuietly(file) }
    let header = try bytes().withUnsafeBytes { try LogHeader($0) }
    var scanner = LogScanner(
      files,
      file,
      from: LogFormat.headerBytes,
      sizeBytes: status.sizeBytes,
      chain: LogChain(header)
    )
    var frames: [(kind: UInt8, range: Range<Int>)] = []
    while let frame = try scanner.next() {
      frames.append((frame.header.kind, frame.offset..<frame.endOffset))
    }
    return frames
  }
}
