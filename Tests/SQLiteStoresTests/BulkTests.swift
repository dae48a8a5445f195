import Foundation
import OpenSwiftData
import SQL
import Stores
import Synchronization
import Testing

@testable import SQLiteStores

/// Copies and deletions of many records, which are not read into memory.
@Suite struct BulkTests {
  /// The text of a key does not tell which of its parts are numbers, and the row is gone.
  @Test(arguments: [
    "a INT, b INT, PRIMARY KEY (a, b)", "a TEXT, b INT, PRIMARY KEY (a, b)",
    "a REAL PRIMARY KEY NOT NULL, b INT", "a, b, PRIMARY KEY (a, b)",
  ]) func aDeletedRecordIsFoundInAListing(columns: String) throws {
    let folder = try TestFolder()
    let path = try folder.database(
      "listed.db",
      "CREATE TABLE c (\(columns))",
      "INSERT INTO c VALUES (1, 1), (2, 1), ('3', '1')"
    )
    let store = try SQLiteStore(at: path)
    let listing = try store.listing(matching: Query("c"))
    let records = try store.all("c")
    _ = try store.commit(ChangeSet(deleted: records), author: nil)
    #expect(
      try records.map { try listing.position(of: $0.persistentIdentifier) } == [0, 1, 2]
    )
  }

  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static let schema = Schema([
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("price", .decimal),
        Schema.Attribute("part", .link("Film")), Schema.Attribute("parts", .links("Film")),
      ]
    ),
    Schema.Entity("Note", attributes: [Schema.Attribute("text", .text)]),
  ])

  /// Records that refer to each other; a link and an entry of a list refer to a record that does not exist.
  private func fill(_ store: any QueryableStore) throws {
    let film = try store.schema.entity(named: "Film")
    let scope = IdentifierScope(store: nil, entity: "Film")
    let identifiers = (1...40).map { scope.temporaryIdentifier(UInt64($0), context: 7) }
    let result = try store.commit(
      ChangeSet(
        inserted: identifiers.enumerated().map { place, identifier in
          DefaultSnapshot(
            persistentIdentifier: identifier,
            layout: film.layout,
            orderedValues: [
              .text("film \(place)"), .decimal(Decimal(place) / 4),
              .link(identifiers[(place + 1) % 40]),
              .links([identifiers[place == 3 ? 7 : 0], identifiers[place]]),
            ]
          )
        }
      ),
      author: nil
    )
    let gone = try #require(result.remappedIdentifiers[identifiers[7]])
    let record = try #require(try store.snapshots(for: [gone])[gone])
    _ = try store.commit(ChangeSet(deleted: [record]), author: nil)
  }

  private func contents(_ store: any QueryableStore) throws -> [[Value]] {
    let records = try store.snapshots(matching: Query("Film"))
    let places = Dictionary(
      uniqueKeysWithValues: records.enumerated().map { ($1.persistentIdentifier, $0) }
    )
    func place(_ link: PersistentIdentifier) -> Value {
      places[link].map { .integer(Int64($0)) } ?? .text("gone")
    }
    return records.map { record in
      record.orderedValues.flatMap { value -> [Value] in
        switch value {
        case .link(let link): [place(link)]
        case .links(let links): links.map(place)
        default: [value]
        }
      }
    }
  }

  private func target() throws -> SQLiteStore {
    let store = try SQLiteStore(at: try folder.newPath("copy.db"), schema: Self.schema)
    store.session.withLock { $0.bulkLimit = 10 }
    return store
  }

  @Test func aMemoryStoreIsCopiedWithItsLinks() throws {
    let source = try MemoryStore(MemoryStoreConfiguration(schema: Self.schema))
    try fill(source)
    let copy = try target()
    let copied = try #require(try copy.copyRecords(of: source, author: "ann"))
    #expect(copied.count == 39)
    // The links to the deleted record are dropped, the list of record 3 is shorter.
    #expect(copied.lostLinks == 2)
    var expected = try contents(source)
    expected[6][2] = .null
    #expect(expected[3].remove(at: 3) == .text("gone"))
    #expect(try contents(copy) == expected)
    let transaction = try #require(try copy.transactions(after: nil, touching: nil).last)
    #expect(transaction.message == "copied 39 records")
    #expect(transaction.author == "ann")
    #expect(transaction.isIncomplete && !transaction.isExternal)
    #expect(try copy.check().isEmpty)
    try copy.insert("Note", ["text": .text("new")])
    copy.close()
    let again = try SQLiteStore(at: copy.configuration.path)
    #expect(try contents(again) == expected)
    #expect(try again.insert("Film", [:]).remappedIdentifiers.count == 1)
  }

  @Test func aDatabaseOfAnotherProgramIsCopiedWithNewKeys() throws {
    let path = try folder.database(
      "other.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, up INTEGER REFERENCES t)",
      "INSERT INTO t VALUES (1, 'a', NULL), (5, 'b', 1), (9, 'c', 5)"
    )
    let source = try SQLiteStore(at: path)
    let copy = try SQLiteStore(at: try folder.newPath("copy.db"), schema: source.schema)
    copy.session.withLock { $0.bulkLimit = 2 }
    let copied = try #require(try copy.copyRecords(of: source, author: nil))
    #expect(copied == CopiedRecords(count: 3, lostLinks: 0))
    let records = try copy.all("t")
    #expect(records.map { $0["a"] } == [.text("a"), .text("b"), .text("c")])
    #expect(
      records.map { $0["up"] ?? .null }.dropFirst() == [
        .link(records[0].persistentIdentifier), .link(records[1].persistentIdentifier),
      ]
    )
  }

  @Test func aDatabaseOfOurOwnIsCopiedByItsTables() throws {
    let source = try SQLiteStore(at: try folder.newPath("source.db"), schema: Self.schema)
    try fill(source)
    let copy = try target()
    let copied = try #require(try copy.copyRecords(of: source, author: nil))
    #expect(copied.count == 39)
    #expect(try contents(copy) == contents(source))
    #expect(
      try copy.all("Film").map(\.persistentIdentifier.description)
        == source.all("Film").map(\.persistentIdentifier.description)
    )
    #expect(copy.identifier != source.identifier)
    let greatest = try #require(try source.insert("Note", [:]).remappedIdentifiers.values.first)
    let new = try #require(try copy.insert("Note", [:]).remappedIdentifiers.values.first)
    #expect(new != greatest)
  }

  @Test func databasesAreCopiedIntoOtherStoresThroughATable() throws {
    let path = try folder.database(
      "other.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, up INTEGER REFERENCES t)",
      "INSERT INTO t VALUES (1, 'a', NULL), (5, 'b', 1), (9, 'c', 77)",
      // The order of these keys is not that of their texts.
      "CREATE TABLE u (p TEXT, q INTEGER, PRIMARY KEY (p, q)) WITHOUT ROWID"
    )
    let source = try SQLiteStore(at: path)
    func copy() throws -> (LogStore, CopiedRecords?) {
      let log = try LogStore(
        LogStoreConfiguration(path: try folder.newPath("copy.catlog"), schema: source.schema)
      )
      return (log, try log.copyRecords(of: source, author: nil))
    }
    let (log, copied) = try copy()
    #expect(copied == CopiedRecords(count: 3, lostLinks: 1))
    let records = try log.snapshots(matching: Query("t"))
    #expect(records.map { $0["a"] } == [.text("a"), .text("b"), .text("c")])
    #expect(records[1]["up"] == .link(records[0].persistentIdentifier))
    try otherProgram(path).run("INSERT INTO u VALUES ('n', 2), ('n', 10)")
    #expect(try copy().1 == nil)
  }

  @Test func fewRecordsAreLeftToTheCaller() throws {
    let source = try MemoryStore(MemoryStoreConfiguration(schema: Self.schema))
    try fill(source)
    let copy = try SQLiteStore(at: try folder.newPath("copy.db"), schema: Self.schema)
    #expect(try copy.copyRecords(of: source, author: nil) == nil)
    #expect(!FileManager.default.fileExists(atPath: copy.configuration.path))
  }

  @Test func aCopyThatIsCanceledLeavesNoFile() throws {
    let source = try MemoryStore(MemoryStoreConfiguration(schema: Self.schema))
    try fill(source)
    let copy = try target()
    let count = Mutex(0)
    #expect(throws: Interruption.Stopped.self) {
      try Interruption.allowed(by: {
        count.withLock {
          $0 += 1; return $0 > 20
        }
      }) {
        _ = try copy.copyRecords(of: source, author: nil)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: copy.configuration.path))
    #expect(try copy.copyRecords(of: source, author: nil)?.count == 39)
  }

  /// In a database of our own, records that get the same values or are deleted share statements.
  @Test func manyChangesOfOneKindAreSavedAsEachOfThem() throws {
    let store = try SQLiteStore(at: try folder.newPath("own.db"), schema: Self.schema)
    try fill(store)
    let films = try store.all("Film")
    let updates = films.enumerated().map { place, film in
      var after = film
      after.orderedValues[1] = .decimal(place < 20 ? 1 : place < 21 ? 2 : 3)
      if place == 5 { after.orderedValues[0] = .text("e\u{301}") }
      if place == 6 { after.orderedValues[0] = .text("\u{E9}") }
      return RecordUpdate(before: film, after: after)
    }
    let statements = try store.statements(of: ChangeSet(updated: updates))
    // The sixth and seventh films have other titles, and four of 39 have the price already.
    #expect(statements.count == 6, "\(statements)")
    _ = try store.commit(ChangeSet(updated: updates), author: nil)
    let saved = try store.all("Film")
    #expect(saved == updates.map(\.after))
    #expect(saved[5]["title"] != saved[6]["title"])
    let notes = (1...3).map { _ in "n" }
    for note in notes { try store.insert("Note", ["text": .text(note)]) }
    let deleted = ChangeSet(deleted: try store.all("Film") + store.all("Note"))
    #expect(try store.statements(of: deleted).count == 2)
    _ = try store.commit(deleted, author: nil)
    #expect(try store.all("Film").isEmpty && store.all("Note").isEmpty)
    let last = try #require(try store.transactions(after: nil, touching: nil).last)
    #expect(last.changes.deleted.count == 42)
    _ = try store.commit(last.changes.inverse, author: nil)
    #expect(try store.all("Film") == saved)
  }

  @Test func oneOfManyRecordsThatIsGoneFailsTheSave() throws {
    let path = try folder.newPath("own.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    try fill(store)
    let other = try otherProgram(path)
    try other.run(
      """
      CREATE TRIGGER keep BEFORE DELETE ON Film WHEN old.title = 'film 9' \
      BEGIN SELECT raise(IGNORE); END
      """
    )
    let error = #expect(throws: PersistenceError.self) {
      try store.commit(ChangeSet(deleted: store.all("Film")), author: nil)
    }
    #expect(error?.message.contains("the database deleted 0 rows instead of one") == true)
    #expect(try store.all("Film").count == 39)
  }

  @Test(arguments: [10, 100]) func queriesDeleteTheirRecords(_ limit: Int) throws {
    let store = try SQLiteStore(at: try folder.newPath("own.db"), schema: Self.schema)
    try fill(store)
    store.session.withLock { $0.bulkLimit = limit }
    let many = Filter.compare("price", .greaterOrEqual, .decimal(2))
    let some = Filter.text("title", TextMatch(.contains, "FILM 3", options: .caseInsensitive))
    let queries = [Query("Film", filter: many), Query("Film", filter: some)]
    #expect(try store.delete(matching: queries, author: "ann") == 33)
    #expect(
      try store.all("Film").map { $0["title"] ?? .null }
        == ["film 0", "film 1", "film 2", "film 4", "film 5", "film 6"].map { .text($0) }
    )
    let last = try #require(try store.transactions(after: nil, touching: nil).last)
    #expect(last.author == "ann")
    #expect(last.isIncomplete == (limit == 10))
    #expect(last.changes.deleted.count == (limit == 10 ? 0 : 33))
    #expect(last.message == (limit == 10 ? "deleted the records of a query: Film" : nil))
  }

  @Test func queriesDeleteInDatabasesOfOtherPrograms() throws {
    let path = try folder.database(
      "other.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "CREATE TABLE u (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t)",
      "CREATE VIEW v AS SELECT * FROM t",
      "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
      "INSERT INTO u VALUES (1, 3)"
    )
    let store = try SQLiteStore(at: path)
    store.session.withLock { $0.bulkLimit = 0 }
    #expect(
      throws: PersistenceError.self,
      performing: { try store.delete(matching: [Query("t")], author: nil) }
    )
    #expect(throws: PersistenceError.self) {
      try store.delete(matching: [Query("v")], author: nil)
    }
    #expect(try store.count(matching: Query("t")) == 3)
    let query = Query("t", filter: .compare("id", .less, .integer(3)))
    #expect(try store.delete(matching: [query], author: nil) == 2)
    #expect(try store.all("t").map { $0["a"] } == [.text("c")])
    #expect(try store.transactions(after: nil, touching: nil).last?.isIncomplete == true)
  }

  /// Records of another store keep their keys, so that the database looks for all of them first.
  @Test func aSaveOfManyRecordsIsStoppedBeforeItWrites() throws {
    let schema = Schema(Schema.Entity("T", attributes: [Schema.Attribute("n", .integer)]))
    let path = try folder.newPath("stopped.db")
    let store = try SQLiteStore(at: path, schema: schema)
    let scope = IdentifierScope(store: store.identifier, entity: "T")
    let layout = SnapshotLayout(["n"])
    var generator = RecordKeyGenerator()
    let records = (0..<20_000).map { number in
      DefaultSnapshot(
        persistentIdentifier: scope.identifier(key: generator.next()),
        layout: layout,
        orderedValues: [.integer(Int64(number))]
      )
    }
    for limit in [1, 3, 10, 30, 100, 300] {
      let asked = Atomic(0)
      #expect(throws: Interruption.Stopped.self) {
        try Interruption.allowed(by: {
          asked.add(1, ordering: .relaxed).newValue >= limit
        }) { _ = try store.commit(ChangeSet(inserted: records), author: nil) }
      }
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try store.count(matching: Query("T")) == 0)
    }
    _ = try store.commit(ChangeSet(inserted: records), author: nil)
    #expect(try store.count(matching: Query("T")) == records.count)
  }
}
