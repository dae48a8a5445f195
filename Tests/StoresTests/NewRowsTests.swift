import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData
@testable import Stores

/// Large saves of new records, which become rows without a change set.
@Suite struct NewRowsTests {
  /// Every type except links, a required and a unique attribute.
  private static let schema = Schema(
    Schema.Entity(
      "Thing",
      attributes: TableFixture.entity().fields.filter { $0.type.destination == nil } + [
        Schema.Attribute("place", .integer, isOptional: false),
        Schema.Attribute("code", .text, isUnique: true),
      ]
    ),
    Schema.Entity("Other", attributes: [Schema.Attribute("name", .text)])
  )

  private static func things(_ numbers: Range<Int>, _ random: inout SeededGenerator)
    -> [DefaultSnapshot]
  {
    let entity = schema.entities[0]
    let scope = IdentifierScope(store: nil, entity: "Thing")
    return numbers.map { number in
      DefaultSnapshot(
        persistentIdentifier: scope.temporaryIdentifier(UInt64(number), context: 1),
        layout: entity.layout,
        orderedValues: entity.fields.map { field in
          switch field.name {
          case "place": .integer(Int64(number))
          case "code": number % 9 == 0 ? .null : .text("code \(number)")
          default: TableFixture.value(of: field.type, using: &random)
          }
        }
      )
    }
  }

  private static func memory() throws -> MemoryStore {
    try MemoryStore(MemoryStoreConfiguration(schema: schema, random: { 42 }))
  }

  /// The values of all records in order, without their identifiers.
  private static func values(_ store: some QueryableStore) throws -> [[Value]] {
    try store.snapshots(matching: Query("Thing")).map(\.orderedValues)
  }

  @Test(arguments: [256, 257, 319, 320, 1000])
  func manyNewRecordsAreStoredLikeFew(count: Int) throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let records = Self.things(0..<count, &random)
    let store = try Self.memory()
    for part in [0..<3, 3..<count] where !part.isEmpty {
      let result = try store.commit(ChangeSet(inserted: Array(records[part])), author: "Ann")
      #expect(result.remappedIdentifiers.count == part.count, "seed \(seed)")
    }
    #expect(try Self.values(store) == records.map(\.orderedValues), "seed \(seed)")
    store.withSession { $0.table.checkInvariants() }
    let transactions = try store.transactions(after: nil, touching: nil)
    let inserted = transactions.flatMap(\.changes.inserted)
    #expect(try inserted == store.snapshots(matching: Query("Thing")), "seed \(seed)")
    #expect(transactions.map(\.author) == Array(repeating: "Ann", count: transactions.count))
  }

  @Test func aLogHasManyNewRecordsAfterReopening() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let configuration = LogStoreConfiguration(path: folder.file("a.catlog"), schema: Self.schema)
    let records = Self.things(0..<900, &random)
    do {
      let store = try LogStore(configuration)
      for part in [0..<300, 300..<310, 310..<900] {
        _ = try store.commit(ChangeSet(inserted: Array(records[part])), author: nil)
      }
      #expect(try Self.values(store) == records.map(\.orderedValues), "seed \(seed)")
    }
    let store = try LogStore(configuration)
    #expect(try Self.values(store) == records.map(\.orderedValues), "seed \(seed)")
    let inserted = try store.transactions(after: nil, touching: nil).map(\.changes.inserted)
    #expect(inserted.map(\.count) == [300, 10, 590], "seed \(seed)")
    #expect(try Array(inserted.joined()) == store.snapshots(matching: Query("Thing")))
    let next = ChangeSet(inserted: Self.things(900..<901, &random))
    let result = try store.commit(next, author: nil)
    let new = try #require(result.remappedIdentifiers.values.first)
    let last = try #require(inserted.last?.last).persistentIdentifier
    #expect(new > last)
  }

  /// The slot and the value that a save of many records must reject.
  static let mistakes: [(field: String, value: Value, code: PersistenceError.Code)] = [
    ("place", .null, .invalidValue), ("place", .text("1"), .invalidValue),
    ("code", .text("code 1"), .notUnique), ("code", .text("code 401"), .notUnique),
    ("price", .decimal(.nan), .invalidValue),
    ("day", .date(CalendarDate(daysSince1970: .max)), .invalidValue),
    ("moment", .datetime(.distantFuture.addingTimeInterval(1e14)), .invalidValue),
  ]

  @Test(arguments: mistakes.indices)
  func aMistakeAmongManyRecordsIsNamed(number: Int) throws {
    let mistake = Self.mistakes[number]
    var random = SeededGenerator(seed: 1)
    let store = try Self.memory()
    _ = try store.commit(ChangeSet(inserted: Self.things(0..<300, &random)), author: nil)
    let before = try Self.values(store)
    var records = Self.things(400..<700, &random)
    let slot = try #require(records[0].layout.slot(of: mistake.field))
    records[270].orderedValues[slot] = mistake.value
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(ChangeSet(inserted: records), author: nil)
    }
    #expect(error?.code == mistake.code)
    #expect(error?.message.contains("t670") == true, "\(error?.message ?? "")")
    #expect(try Self.values(store) == before)
    #expect(store.withSession { $0.lastToken } == 1)
  }

  // MARK: Columns

  /// The records as columns.
  private static func columns(_ records: [DefaultSnapshot]) throws -> NewRecords {
    let entity = schema.entities[0]
    var columns = try entity.fields.map { try #require(PackedColumn($0.type.kind)) }
    for record in records {
      for slot in columns.indices {
        let isAppended = columns[slot].append(record.orderedValues[slot])
        #expect(isAppended)
      }
    }
    return NewRecords(columns, of: entity, firstSerial: 1, context: 1)
  }

  @Test func columnsAreStoredLikeRecords() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let configuration = LogStoreConfiguration(path: folder.file("a.catlog"), schema: Self.schema)
    let records = Self.things(0..<900, &random)
    let parts = [Array(records[..<300]), Array(records[300...])]
    do {
      let store = try LogStore(configuration)
      for part in parts {
        let columns = try Self.columns(part)
        let result = try store.commit(CommitRequest(.columns(columns), author: "Ann", message: "m"))
        #expect(result?.identifiers.temporary == columns.identifiers, "seed \(seed)")
      }
      #expect(try Self.values(store) == records.map(\.orderedValues), "seed \(seed)")
      store.withSession { $0.table.checkInvariants() }
    }
    let store = try LogStore(configuration)
    #expect(try Self.values(store) == records.map(\.orderedValues), "seed \(seed)")
    let transactions = try store.transactions(after: nil, touching: nil)
    #expect(transactions.map(\.changes.inserted.count) == [300, 600])
    #expect(transactions.map(\.author) == ["Ann", "Ann"])
    #expect(transactions.map(\.message) == ["m", "m"])
    let memory = try Self.memory()
    _ = try memory.commit(CommitRequest(.columns(Self.columns(records))))
    #expect(try Self.values(memory) == records.map(\.orderedValues), "seed \(seed)")
    let history = try memory.transactions(after: nil, touching: nil).flatMap(\.changes.inserted)
    #expect(try history == memory.snapshots(matching: Query("Thing")), "seed \(seed)")
  }

  /// Columns with a mistake have to be saved as a change set, which names the record.
  @Test(arguments: [("place", Value.null), ("code", .text("code 401")), ("code", .text("code 1"))])
  func columnsWithAMistakeAreNotTaken(field: String, value: Value) throws {
    var random = SeededGenerator(seed: 1)
    let store = try Self.memory()
    _ = try store.commit(ChangeSet(inserted: Self.things(0..<300, &random)), author: nil)
    var records = Self.things(400..<700, &random)
    let slot = try #require(records[0].layout.slot(of: field))
    let few = try Self.columns(Array(records[..<10]))
    records[270].orderedValues[slot] = value
    for columns in [try Self.columns(records), few] {
      #expect(try store.commit(CommitRequest(.columns(columns))) == nil)
    }
    #expect(store.withSession { $0.lastToken } == 1)
  }

  @Test func aNewLogBeginsWithColumns() throws {
    var random = SeededGenerator(seed: 3)
    let folder = try TemporaryFolder()
    let records = Self.things(0..<300, &random)
    let steps = [SchemaStep(.createEntity(Self.schema.entities[0]))].compactMap { $0 }
    do {
      let store = try LogStore(LogStoreConfiguration(path: folder.file("a.catlog")))
      let result = try store.commit(CommitRequest(.columns(Self.columns(records)), after: steps))
      #expect(result?.identifiers.count == 300)
      // The log is no longer new: a change of the schema with records is a migration.
      let more = [SchemaStep(.createEntity(Self.schema.entities[1]))].compactMap { $0 }
      #expect(
        try store.commit(CommitRequest(.columns(Self.columns(records)), after: more)) == nil
      )
      #expect(store.withSession { $0.lastToken } == 1)
    }
    let store = try LogStore(LogStoreConfiguration(path: folder.file("a.catlog")))
    #expect(try Self.values(store) == records.map(\.orderedValues))
    #expect(store.schema.entities.map(\.name) == ["Thing"])
    #expect(try store.check().isEmpty)
  }

  @Test func entitiesMayAlternate() throws {
    var random = SeededGenerator(seed: 2)
    let things = Self.things(0..<300, &random)
    let scope = IdentifierScope(store: nil, entity: "Other")
    let others = (0..<300).map { number in
      DefaultSnapshot(
        persistentIdentifier: scope.temporaryIdentifier(UInt64(1000 + number), context: 1),
        layout: Self.schema.entities[1].layout,
        orderedValues: [.text("other \(number)")]
      )
    }
    let store = try Self.memory()
    let mixed = zip(things, others).flatMap { [$0, $1] }
    let result = try store.commit(ChangeSet(inserted: mixed), author: nil)
    let permanent = mixed.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
    let keys = permanent.compactMap(\.recordKey)
    #expect(keys.count == mixed.count && keys == keys.sorted())
    #expect(try Self.values(store) == things.map(\.orderedValues))
    let names = try store.snapshots(matching: Query("Other")).map(\.orderedValues)
    #expect(names == others.map(\.orderedValues))
  }
}
