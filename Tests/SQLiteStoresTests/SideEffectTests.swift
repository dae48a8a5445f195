import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// What foreign keys and triggers change beyond the records of a save.
@Suite struct SideEffectTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func context(_ path: String) throws -> ModelContext {
    ModelContext(try ModelContainer(configurations: SQLiteConfiguration(path: path)))
  }

  /// The record whose field has a value.
  private func record(_ entity: String, _ field: String, _ value: Value, _ context: ModelContext)
    throws -> Record
  {
    let query = Query(entity, filter: .compare(field, .equal, value))
    let identifier = try #require(try context.fetchIdentifiers(matching: query).first)
    return try #require(try context.records(for: [identifier]).first)
  }

  private func insert(_ entity: String, _ values: [String: Value], _ context: ModelContext) throws
    -> Record
  {
    let record = Record(entity: try context.schema.entity(named: entity))
    for (field, value) in values { try record.set(value, for: field) }
    context.insert(record)
    return record
  }

  private static let orders = [
    "CREATE TABLE orders (region TEXT, no INTEGER, note TEXT, PRIMARY KEY (region, no)) WITHOUT ROWID",
    """
    CREATE TABLE lines (region TEXT, no INTEGER, line INTEGER, item TEXT, \
    PRIMARY KEY (region, no, line), \
    FOREIGN KEY (region, no) REFERENCES orders ON DELETE CASCADE) WITHOUT ROWID
    """,
    """
    CREATE TABLE parcels (id INTEGER PRIMARY KEY, region TEXT, no INTEGER, \
    FOREIGN KEY (region, no) REFERENCES orders (region, no) ON DELETE SET NULL)
    """,
    "INSERT INTO orders VALUES ('n', 1, 'a'), ('n', 2, 'b')",
    "INSERT INTO lines VALUES ('n', 1, 1, 'x'), ('n', 1, 2, 'y'), ('n', 2, 1, 'z')",
    "INSERT INTO parcels VALUES (7, 'n', 1), (8, 'n', 2)",
  ]

  private func database(_ statements: [String]) throws -> String {
    let path = try folder.database()
    let connection = try otherProgram(path)
    for statement in statements { try connection.run(SQLText(statement)) }
    return path
  }

  private func rows(_ path: String, _ sql: SQLText) throws -> [[SQLValue]] {
    try otherProgram(path).rows(sql)
  }

  @Test func aCascadeIsReportedWithItsRecordsAndStandsInTheHistory() throws {
    let path = try database(Self.orders)
    let store = try SQLiteStore(at: path)
    let order = try #require(try store.all("orders").first)
    let effects = try store.commit(ChangeSet(deleted: [order]), author: nil).sideEffects
    #expect(effects.words == "2 lines deleted, 1 parcels updated")
    #expect(effects.changes.deleted.map(\.persistentIdentifier.description) == ["n/1/1", "n/1/2"])
    #expect(effects.changes.updated.map(\.before["no"]) == [.integer(1)])
    #expect(effects.changes.updated.map(\.after["no"]) == [.null])
    #expect(effects.triggered.isEmpty && !effects.isIncomplete)
    #expect(Set(effects.causes.values) == [order.persistentIdentifier])
    let changes = try store.transactions(after: nil, touching: nil).last?.changes
    #expect(changes?.deleted.count == 3 && changes?.updated.count == 1)
  }

  @Test func aDeletedRecordThatATriggerInsertsAgainIsReported() throws {
    let path = try database([
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
      "CREATE TRIGGER kept AFTER DELETE ON notes WHEN old.text = 'a' BEGIN "
        + "INSERT INTO notes VALUES (old.id, 'kept'); END",
      "INSERT INTO notes VALUES (1, 'a'), (2, 'b')",
    ])
    let context = try context(path)
    for text in ["a", "b"] { context.delete(try record("notes", "text", .text(text), context)) }
    context.closeUndoStep(named: "delete")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["1 notes inserted"])
    let records = try context.fetchSnapshots(matching: Query("notes"))
    #expect(records.map { $0["text"] } == [.text("kept")])
    #expect(try context.undo()?.unrestored?.contains("what triggers changed") == true)
  }

  @Test func undoRestoresWhatForeignKeysChanged() throws {
    let path = try database(Self.orders)
    let former = try Self.tables.map { try rows(path, $0) }
    let context = try context(path)
    let line = try record("lines", "item", .text("x"), context)
    let parcel = try record("parcels", "id", .integer(7), context)
    context.delete(try record("orders", "note", .text("a"), context))
    context.closeUndoStep(named: "delete")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["2 lines deleted, 1 parcels updated"])
    #expect(line.isDeleted)
    #expect(parcel[attribute: "no"] == .null)
    #expect(try rows(path, "SELECT count(*) FROM lines") == [[.integer(1)]])
    let step = try #require(try context.undo())
    #expect(step.unrestored == nil)
    try context.save()
    let restored = try Self.tables.map { try rows(path, $0) }
    #expect(restored == former)
    // And again in the other direction.
    #expect(try context.redo() != nil)
    try context.save()
    #expect(try rows(path, "SELECT item FROM lines") == [[.text("z")]])
    #expect(try rows(path, "SELECT no FROM parcels ORDER BY id") == [[.null], [.integer(2)]])
  }

  private static let tables: [SQLText] = [
    "SELECT * FROM orders", "SELECT * FROM lines", "SELECT * FROM parcels",
  ]

  @Test func aValueThatOthersFollowIsUndoneInAllOfThem() throws {
    let path = try database([
      "CREATE TABLE codes (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
      "CREATE TABLE uses (id INTEGER PRIMARY KEY, code TEXT REFERENCES codes (code) ON UPDATE CASCADE)",
      """
      CREATE TABLE named (code TEXT PRIMARY KEY NOT NULL \
      REFERENCES codes (code) ON UPDATE CASCADE, note TEXT)
      """,
      "INSERT INTO codes VALUES (1, 'a')",
      "INSERT INTO uses VALUES (1, 'a'), (2, 'a')",
      "INSERT INTO named VALUES ('a', 'n')",
    ])
    let store = try SQLiteStore(at: path)
    let before = try #require(try store.all("codes").first)
    var after = before
    after.orderedValues[1] = .text("b")
    let changes = ChangeSet(updated: [RecordUpdate(before: before, after: after)])
    let words = "1 named inserted, 1 named deleted, 2 uses updated"
    #expect(try store.cascades(of: changes).words == words, "known before the save")
    let context = try context(path)
    let code = try record("codes", "id", .integer(1), context)
    try code.set(.text("b"), for: "code")
    context.closeUndoStep(named: "set")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == [words])
    #expect(effects.flatMap(\.triggered).isEmpty)
    #expect(try rows(path, "SELECT code FROM uses") == [[.text("b")], [.text("b")]])
    _ = try context.undo()
    try context.save()
    #expect(try rows(path, "SELECT code FROM uses") == [[.text("a")], [.text("a")]])
    #expect(try rows(path, "SELECT * FROM named") == [[.text("a"), .text("n")]])
  }

  @Test func whatTriggersDoIsReportedAndLeftToThem() throws {
    let path = try database([
      "CREATE TABLE albums (id INTEGER PRIMARY KEY, title TEXT, count INTEGER)",
      "CREATE TABLE tracks (id INTEGER PRIMARY KEY, album INTEGER, name TEXT)",
      "CREATE TABLE audit (name TEXT, what TEXT, PRIMARY KEY (name, what)) WITHOUT ROWID",
      "CREATE TRIGGER less AFTER DELETE ON tracks BEGIN UPDATE albums SET count = count - 1; END",
      "CREATE TRIGGER more AFTER INSERT ON tracks BEGIN UPDATE albums SET count = count + 1; END",
      """
      CREATE TRIGGER audited AFTER DELETE ON tracks BEGIN \
      INSERT OR IGNORE INTO audit VALUES (old.name, 'deleted'); END
      """,
      "INSERT INTO albums VALUES (1, 'A', 0)",
      "INSERT INTO tracks VALUES (1, 1, 'x'), (2, 1, 'y')",
    ])
    let context = try context(path)
    let album = try record("albums", "id", .integer(1), context)
    context.delete(try record("tracks", "name", .text("x"), context))
    context.closeUndoStep(named: "delete")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["1 albums updated, 1 audit inserted"])
    #expect(album[attribute: "count"] == .integer(1))
    let step = try #require(try context.undo())
    #expect(step.unrestored == "what triggers changed (1 albums updated, 1 audit inserted)")
    // Only the deletion is undone; the trigger for new tracks counts the track again.
    #expect(context.pendingCounts == (1, 0, 0))
    try context.save()
    #expect(try rows(path, "SELECT count FROM albums") == [[.integer(2)]])
    #expect(album[attribute: "count"] == .integer(2))
  }

  @Test func aReplacedRowIsReportedAndComesBack() throws {
    let path = try database([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE, n INTEGER)",
      "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)",
    ])
    let former = try rows(path, "SELECT * FROM t")
    let context = try context(path)
    let second = try record("t", "id", .integer(2), context)
    try second.set(.text("a"), for: "name")
    context.closeUndoStep(named: "set")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["1 t deleted"])
    _ = try context.undo()
    try context.save()
    #expect(try rows(path, "SELECT * FROM t") == former)
  }

  @Test func saveThatChangesNothingElseReportsNothing() throws {
    let path = try database(Self.orders)
    let store = try SQLiteStore(at: path)
    let order = try #require(try store.all("orders").last)
    #expect(try store.set(order, ["note": .text("c")]).sideEffects.isEmpty)
    // The lines are deleted by the save, before or after the database does.
    let changes = ChangeSet(
      deleted: try store.all("orders").suffix(1)
        + store.all("lines").filter { $0["no"] == .integer(2) }
    )
    let effects = try store.commit(changes, author: nil).sideEffects
    #expect(effects.words == "1 parcels updated")
  }

  @Test func manyRowsAreCountedOnly() throws {
    let path = try database(Self.orders)
    let store = try SQLiteStore(at: path)
    store.session.withLock { $0.writer.watchLimit = 1 }
    let order = try #require(try store.all("orders").first)
    let effects = try store.commit(ChangeSet(deleted: [order]), author: nil).sideEffects
    #expect(effects.words == "2 lines deleted, 1 parcels updated")
    #expect(effects.isIncomplete)
    #expect(effects.changes.count == 1)
    #expect(effects.limitRemark == "undo restores at most 1 of the 3 rows")
  }

  @Test func foreignKeysAreFollowedBeforeASave() throws {
    let path = try database(
      Self.orders + [
        """
        CREATE TABLE notes (line INTEGER, region TEXT, no INTEGER, text TEXT, \
        FOREIGN KEY (region, no, line) REFERENCES lines (region, no, line) ON DELETE CASCADE)
        """,
        "INSERT INTO notes VALUES (1, 'n', 1, 'a'), (1, 'n', 1, 'b'), (1, 'n', 2, 'c')",
        """
        CREATE TABLE tree (id INTEGER PRIMARY KEY, up INTEGER, code INTEGER UNIQUE, \
        FOREIGN KEY (up) REFERENCES tree (code) ON DELETE CASCADE)
        """,
        "INSERT INTO tree VALUES (1, NULL, 10), (2, 10, 20), (3, 20, 30), (4, NULL, 40)",
      ]
    )
    let store = try SQLiteStore(at: path)
    let order = try #require(try store.all("orders").first)
    let parcels = try store.all("parcels")
    func words(_ changes: ChangeSet) throws -> String? { try store.cascades(of: changes).words }
    #expect(
      try words(ChangeSet(deleted: [order]))
        == "2 lines deleted, 2 notes deleted, 1 parcels updated"
    )
    var moved = parcels[0]
    moved.orderedValues[2] = .integer(2)
    let changes = ChangeSet(
      updated: [RecordUpdate(before: parcels[0], after: moved)],
      deleted: [order]
    )
    #expect(try words(changes) == "2 lines deleted, 2 notes deleted")
    #expect(try words(ChangeSet(deleted: [store.all("tree")[0]])) == "2 tree deleted")
    #expect(try words(ChangeSet(deleted: [store.all("tree")[3]])) == nil)
    store.session.withLock { $0.writer.watchLimit = 4 }
    #expect(
      try store.cascades(of: ChangeSet(deleted: [order])).limitRemark
        == "undo restores at most 4 of the 5 rows"
    )
    // It is what the save does.
    let saved = try store.commit(ChangeSet(deleted: [order]), author: nil).sideEffects
    #expect(saved.words == "2 lines deleted, 2 notes deleted, 1 parcels updated")
  }

  @Test func undoSaysHowManyRowsItCannotRestoreAndBlamesNoTrigger() throws {
    let path = try database(Self.orders)
    let context = try context(path)
    for store in context.container.stores {
      (store as? SQLiteStore)?.session.withLock { $0.writer.watchLimit = 2 }
    }
    context.delete(try record("orders", "note", .text("a"), context))
    context.closeUndoStep(named: "delete")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["2 lines deleted, 1 parcels updated"])
    let excess = effects.first?.excess ?? [:]
    #expect(excess.count == 1)
    let step = try #require(try context.undo())
    #expect(step.unrestored?.hasPrefix("rows above the limit of 2 (1 ") == true)
  }

  @Test func whatATriggerChangesInASavedRecordIsReportedAndLeftToIt() throws {
    let path = try database([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, stamp TEXT, n INTEGER)",
      "INSERT INTO t VALUES (1, 'a', 's', 0), (2, 'b', 's', 0)",
      """
      CREATE TRIGGER stamped AFTER UPDATE OF name ON t BEGIN \
      UPDATE t SET stamp = 'new', n = n + 1, name = upper(name) WHERE id = new.id; END
      """,
    ])
    let context = try context(path)
    let record = try record("t", "id", .integer(1), context)
    try record.set(.text("t"), for: "stamp")
    context.closeUndoStep(named: "stamp")
    try record.set(.text("x"), for: "name")
    context.closeUndoStep(named: "name")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["n of 1 t"])
    try record.set(.text("z"), for: "name")
    context.closeUndoStep(named: "again")
    #expect(try context.saveCounting().effects.compactMap(\.words) == ["n of 1 t"])
    #expect(record[attribute: "name"] == .text("Z"))
    // The values that the trigger made are those that an undo expects.
    let step = try #require(try context.undo())
    #expect(step.unrestored == "what triggers changed (n of 1 t)")
    try context.save()
    _ = try context.undo()
    _ = try context.undo()
    #expect(record[attribute: "stamp"] == .text("s"))
    try context.save()
    #expect(record[attribute: "name"] == .text("A"))
    for _ in 1...3 { #expect(try context.redo() != nil) }
    try context.save()
    #expect(record[attribute: "name"] == .text("Z"))
  }

  @Test func whatAForeignKeyChangesInASavedRecordIsRestored() throws {
    let path = try database(Self.orders + ["ALTER TABLE parcels ADD COLUMN note TEXT"])
    let context = try context(path)
    let parcel = try record("parcels", "id", .integer(7), context)
    let other = try otherProgram(path)
    try parcel.set(.text("late"), for: "note")
    context.delete(try record("orders", "note", .text("a"), context))
    context.closeUndoStep(named: "both")
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["2 lines deleted, no, region of 1 parcels"])
    #expect(parcel[attribute: "no"] == .null)
    let step = try #require(try context.undo())
    #expect(step.unrestored == nil)
    try context.save()
    #expect(
      try other.rows("SELECT * FROM parcels WHERE id = 7") == [
        [.integer(7), .text("n"), .integer(1), .null]
      ]
    )
    _ = try context.redo()
    try context.save()
    #expect(
      try other.rows("SELECT * FROM parcels WHERE id = 7") == [
        [.integer(7), .null, .null, .text("late")]
      ]
    )
  }

  @Test func redoOfANewRecordGivesItTheValuesThatTheDatabaseChose() throws {
    let path = try database([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, at TEXT DEFAULT (hex(randomblob(8))))"
    ])
    let context = try context(path)
    let record = try insert("t", ["name": .text("a")], context)
    context.closeUndoStep(named: "insert")
    try context.save()
    let former = try rows(path, "SELECT * FROM t")
    #expect(former.first?[2] != .null)
    #expect(record[attribute: "at"] != .null)
    _ = try context.undo()
    try context.save()
    #expect(try rows(path, "SELECT * FROM t").isEmpty)
    _ = try context.redo()
    try context.save()
    #expect(try rows(path, "SELECT * FROM t") == former)
  }

  @Test func redoDoesNotOverwriteARecordThatSomebodyGaveTheSameKey() throws {
    let path = try database([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO t VALUES (1, 'a')",
    ])
    let context = try context(path)
    _ = try insert("t", ["name": .text("mine")], context)
    context.closeUndoStep(named: "insert")
    try context.save()
    _ = try context.undo()
    try context.save()
    let other = try otherProgram(path)
    try other.run("INSERT INTO t VALUES (2, 'theirs')")
    _ = try context.redo()
    for _ in 1...3 { #expect(throws: PersistenceError.self) { try context.save() } }
    #expect(try rows(path, "SELECT name FROM t") == [[.text("a")], [.text("theirs")]])
  }

  @Test func aLibraryThatCannotTellSaysSoAndEverythingIsReadAgain() throws {
    let path = try database(Self.orders)
    let context = try context(path)
    for store in context.container.stores {
      (store as? SQLiteStore)?.session.withLock { $0.writer.canWatchRows = false }
    }
    let parcel = try record("parcels", "id", .integer(7), context)
    context.delete(try record("orders", "note", .text("a"), context))
    let effects = try context.saveCounting().effects
    #expect(effects.compactMap(\.words) == ["the program cannot tell what"])
    #expect(parcel[attribute: "no"] == .null)
  }
}
