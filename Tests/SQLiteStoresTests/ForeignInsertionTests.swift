import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// New, restored and duplicated records in tables of other programs.
@Suite struct ForeignInsertionTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static let defaults = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT 'it''s', n INTEGER DEFAULT '7', \
    r REAL DEFAULT 1, b BLOB DEFAULT x'00ff', at TEXT DEFAULT CURRENT_TIMESTAMP, \
    required TEXT NOT NULL DEFAULT "q", x NUMERIC DEFAULT (1 + 1))
    """

  @Test func aNewRecordStartsWithTheDefaultsOfItsColumns() throws {
    let path = try folder.database("other.db", Self.defaults)
    let store = try SQLiteStore(at: path)
    let context = ModelContext(
      try ModelContainer(configurations: SQLiteConfiguration(path: path))
    )
    let record = Record(entity: try store.schema.entity(named: "t"))
    context.insert(record)
    try context.save()
    let row = try otherProgram(path).rows("SELECT a, n, r, b, at IS NOT NULL, required, x FROM t")
    #expect(
      row == [
        [
          .text("it's"), .integer(7), .real(1), .bytes([0, 255]), .integer(1), .text("q"),
          .integer(2),
        ]
      ]
    )
  }

  @Test func missingValuesOfARecordStayMissing() throws {
    let path = try folder.database(
      "other.db",
      Self.defaults,
      "INSERT INTO t VALUES (5, NULL, NULL, NULL, NULL, NULL, 'z', NULL)"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    let empty: [SQLValue] = [.integer(5), .null, .null, .null, .null, .null, .text("z"), .null]
    _ = try store.commit(ChangeSet(deleted: [record]), author: nil)
    _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
    #expect(try otherProgram(path).rows("SELECT * FROM t") == [empty])
    try store.insert("t", ["required": .text("z")])
    let copy = try otherProgram(path).rows("SELECT a, n, r, b, required FROM t WHERE id = 6")
    #expect(copy == [[.null, .null, .null, .null, .text("z")]])
  }

  @Test func aNewRecordMayChooseItsNumber() throws {
    let path = try folder.database(
      "chosen.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')"
    )
    let context = ModelContext(
      try ModelContainer(configurations: SQLiteConfiguration(path: path))
    )
    let entity = try context.schema.entity(named: "t")
    func insert(_ number: Int64?) throws -> Record {
      let record = Record(entity: entity)
      if let number { try record.set(.integer(number), for: "id") }
      context.insert(record)
      return record
    }
    let (chosen, next) = (try insert(50), try insert(nil))
    try context.save()
    #expect([chosen, next].map(\.persistentModelID.description) == ["50", "51"])
    #expect(next[attribute: "id"] == .integer(51))
    #expect(throws: PersistenceError.self) { try chosen.set(.integer(7), for: "id") }
    for numbers in [[1], [60, 60]] as [[Int64]] {
      for number in numbers { _ = try insert(number) }
      let error = #expect(throws: PersistenceError.self) { try context.save() }
      #expect(error?.code == .notUnique)
      #expect(
        error?.message.hasSuffix("t.id: must be unique; record \(numbers[0]) already exists")
          == true
      )
      context.rollback()
    }
    #expect(try otherProgram(path).number("SELECT count(*) FROM t") == 3)
  }

  @Test(arguments: [
    "id INTEGER PRIMARY KEY, a TEXT", "id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT", "a TEXT",
  ])
  func aNewRecordLeavesTheKeyOfARestoredOne(columns: String) throws {
    let path = try folder.database("restored.db", "CREATE TABLE t (\(columns))")
    for name in ["x", "y", "z"] {
      try otherProgram(path).run("INSERT INTO t (a) VALUES (\(.text(name)))")
    }
    let context = ModelContext(
      try ModelContainer(configurations: SQLiteConfiguration(path: path))
    )
    let records = try context.records(for: context.fetchIdentifiers(matching: Query("t")))
    let former = records[2].persistentModelID
    context.delete(records[2])
    context.closeUndoStep(named: "delete")
    try context.save()
    _ = try #require(try context.undo())
    let other = Record(entity: try context.schema.entity(named: "t"))
    try other.set(.text("other"), for: "a")
    context.insert(other)
    try context.save()
    #expect(
      try otherProgram(path).rows("SELECT a FROM t ORDER BY rowid")
        == ["x", "y", "z", "other"].map { [.text($0)] }
    )
    #expect(former.description == "3" && other.persistentModelID.description == "4")
  }

  /// The columns turn into text once such a default is read back, while the save is in progress.
  @Test func defaultsThatDoNotFitTheTypeStay() throws {
    let path = try folder.database(
      "defaults.db",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT, due DATETIME DEFAULT '0000-00-00 00:00:00', \
      qty INTEGER DEFAULT '', at DATE NOT NULL DEFAULT 'never')
      """,
      "INSERT INTO t VALUES (1, 'a', '2020-01-01 10:00:00', 5, '2020-01-01')"
    )
    let store = try SQLiteStore(at: path)
    try store.insert("t", ["n": .text("b")])
    try store.insert("t", ["n": .text("c"), "qty": .text("7"), "at": .text("now")])
    let other = try otherProgram(path)
    let made: [SQLValue] = [.text("0000-00-00 00:00:00"), .text(""), .text("never")]
    #expect(
      try other.rows("SELECT id, n, due, qty, at FROM t WHERE id > 1") == [
        [.integer(2), .text("b")] + made,
        [.integer(3), .text("c"), .null, .integer(7), .text("now")],
      ]
    )
  }

  /// A record that was not saved yet.
  private func newRecord(_ entity: String, _ values: [Value], _ store: SQLiteStore) throws
    -> DefaultSnapshot
  {
    DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: entity)
        .temporaryIdentifier(1, context: 1),
      layout: try store.schema.entity(named: entity).layout,
      orderedValues: values
    )
  }

  @Test func aNewRecordCannotChooseTheKeyOfARestoredOne() throws {
    let path = try folder.database(
      "chosen.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "CREATE TABLE u (k TEXT PRIMARY KEY NOT NULL, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')",
      "INSERT INTO u VALUES ('k', 'x')"
    )
    for (name, field, key) in [("t", "id", Value.integer(1)), ("u", "k", .text("k"))] {
      let store = try SQLiteStore(at: path)
      let record = try store.all(name)[0]
      _ = try store.commit(ChangeSet(deleted: [record]), author: nil)
      let new = try newRecord(name, [key, .text("new")], store)
      let error = #expect(throws: PersistenceError.self) {
        try store.commit(ChangeSet(inserted: [new, record]), author: nil)
      }
      #expect(error?.message.contains("\(name).\(field): must be unique; record") == true)
    }
  }

  /// Rows that a trigger adds get the next number, which may be that of a restored record.
  @Test func aRestoredRecordComesBeforeARowOfATrigger() throws {
    let path = try folder.database(
      "trigger.db",
      "CREATE TABLE log (id INTEGER PRIMARY KEY, a TEXT)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO log (a) VALUES (NEW.a); END",
      "INSERT INTO log VALUES (1, 'x')"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("log")[0]
    _ = try store.commit(ChangeSet(deleted: [record]), author: nil)
    let new = try newRecord("t", [.null, .text("y")], store)
    _ = try store.commit(ChangeSet(inserted: [new, record]), author: nil)
    #expect(
      try otherProgram(path).rows("SELECT * FROM log") == [
        [.integer(1), .text("x")], [.integer(2), .text("y")],
      ]
    )
  }

  @Test func uniqueValuesCanBeSwapped() throws {
    let path = try folder.database(
      "swap.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE, n INTEGER UNIQUE, d REAL UNIQUE)",
      "CREATE TABLE child (id INTEGER PRIMARY KEY, a TEXT REFERENCES t(a) ON UPDATE CASCADE)",
      "INSERT INTO t VALUES (1, 'x', 1, 0.5), (2, 'y', 2, 1.5), (3, 'z', 3, 2.5)",
      "INSERT INTO child VALUES (1, 'x'), (2, 'y')"
    )
    let store = try SQLiteStore(at: path)
    let records = try store.all("t")
    let updates = records.indices.map { place in
      var after = records[place]
      for slot in 1...3 {
        after.orderedValues[slot] = records[(place + 1) % 3].orderedValues[slot]
      }
      return RecordUpdate(before: records[place], after: after)
    }
    _ = try store.commit(ChangeSet(updated: updates), author: nil)
    let other = try otherProgram(path)
    let rows = try other.rows("SELECT a, n, d FROM t")
    #expect(
      rows == [
        [.text("y"), .integer(2), .real(1.5)], [.text("z"), .integer(3), .real(2.5)],
        [.text("x"), .integer(1), .real(0.5)],
      ]
    )
    let last = try store.all("t")[0]
    let error = #expect(throws: PersistenceError.self) { try store.set(last, ["a": .text("z")]) }
    #expect(error?.code == .notUnique)
  }

  @Test func aTextKeyWithoutNotNullIdentifiesRecords() throws {
    let path = try folder.database(
      "text.db",
      "CREATE TABLE tag (name TEXT PRIMARY KEY, note TEXT)",
      "CREATE TABLE post (id INTEGER PRIMARY KEY, tag TEXT REFERENCES tag)",
      "INSERT INTO tag VALUES ('red', 'a'), ('blue', 'b')",
      "INSERT INTO post VALUES (1, 'blue')"
    )
    let store = try SQLiteStore(at: path)
    #expect(try store.schema.entity(named: "post").attribute(named: "tag").type == .link("tag"))
    #expect(try store.all("post")[0]["tag"]?.text == "blue")
    #expect(store.entityNotes.isEmpty)
    try store.set(try store.all("tag")[0], ["note": .text("new")])
    // A row without a key may come later.
    try otherProgram(path).run("INSERT INTO tag VALUES (NULL, 'c')")
    #expect(
      try store.listing(matching: Query("tag")).records(in: 0..<9, attributes: nil).count == 3
    )
    #expect(try store.all("tag").count == 3)
    #expect(store.entityNotes == ["tag": "rows have no key"])
  }

  /// Another program may remove a part of a key after the opening, which has looked for such rows.
  @Test(arguments: [10, 10_000], [[], [SortKey("v")]])
  func aMissingPartOfAKeyIsNoticedByTheListing(place: Int, sort: [SortKey]) throws {
    let path = try folder.database(
      "parts.db",
      "CREATE TABLE t (a INTEGER, b TEXT, v TEXT, PRIMARY KEY (a, b))",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000) \
      INSERT INTO t SELECT i, 'b', 'v' FROM c
      """
    )
    let store = try SQLiteStore(at: path)
    try otherProgram(path).run(SQLText("UPDATE t SET b = NULL WHERE a = \(place)"))
    let listing = try store.listing(matching: Query("t", sort: sort))
    func readAll(_ listing: any Listing) throws -> Int {
      try listing.records(in: 0..<20_000, attributes: nil).count { $0.snapshot != nil }
    }
    if place > 8192 {
      let first = try listing.identifiers(in: 0..<1)
      #expect(first.map(\.description) == ["1/b"])
      let error = #expect(throws: PersistenceError.self) { try readAll(listing) }
      #expect(error?.code == .conflict)
      #expect(throws: PersistenceError.self) { try listing.position(of: first[0]) }
    }
    let again = try store.listing(matching: Query("t", sort: sort))
    #expect(try readAll(again) == 10_000)
    #expect(try again.identifiers(in: 0..<1).map(\.description) == ["1"])
    #expect(store.entityNotes == ["t": "rows have no key"])
  }

  @Test func aReferenceToNoRecordNamesRecordAndField() throws {
    let path = try folder.database(
      "references.db",
      "CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER NOT NULL REFERENCES artist)",
      """
      CREATE TABLE song (n TEXT NOT NULL PRIMARY KEY, disc TEXT REFERENCES disc(code) DEFERRABLE INITIALLY DEFERRED) \
      WITHOUT ROWID
      """,
      "CREATE TABLE disc (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
      "INSERT INTO artist VALUES (1, 'a')",
      "INSERT INTO album VALUES (7, 1)",
      "INSERT INTO disc VALUES (1, 'c')",
      "INSERT INTO song VALUES ('s', 'c')"
    )
    let store = try SQLiteStore(at: path)
    func message(_ body: () throws -> Void) -> String? {
      #expect(throws: PersistenceError.self) { try body() }?.message
    }
    let nobody = IdentifierScope(store: store.identifier, entity: "artist").identifier(number: 99)
    let album = message { try store.set(try store.all("album")[0], ["artist": .link(nobody)]) }
    #expect(
      album == "album.artist: \"99\" is not a record of artist (record 7); nothing was saved"
    )
    let song = message { try store.set(try store.all("song")[0], ["disc": .text("d")]) }
    #expect(song == "song.disc: \"d\" is not a record of disc (record s); nothing was saved")
    let disc = message {
      _ = try store.commit(ChangeSet(deleted: try store.all("disc")), author: nil)
    }
    #expect(
      disc
        == "song.disc: a row refers to a record of disc that would no longer exist; nothing was saved"
    )
    #expect(try otherProgram(path).value("SELECT artist FROM album") == .integer(1))
  }
}
