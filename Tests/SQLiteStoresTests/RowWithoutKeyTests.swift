import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Unsaved changes of rows without a key, while other programs write.
@Suite struct RowWithoutKeyTests {
  private let folder: TestFolder
  private let other: SQLiteConnection
  private let context: ModelContext

  init() throws {
    folder = try TestFolder()
    let path = try folder.database(
      "rows.db",
      "CREATE TABLE t (a TEXT, b TEXT)",
      "CREATE TABLE u (n INTEGER)",
      "INSERT INTO t VALUES ('1', 'x'), ('2', 'x'), ('3', 'x')"
    )
    other = try otherProgram(path)
    context = ModelContext(try ModelContainer(configurations: SQLiteConfiguration(path: path)))
  }

  private func row(_ place: Int) throws -> Record {
    try context.records(for: context.fetchIdentifiers(matching: Query("t")))[place]
  }

  private func rows() throws -> [String] {
    try other.rows("SELECT a || b FROM t ORDER BY rowid").map { $0[0].literal }
  }

  @Test func aWriteToOtherRowsIsNoConflict() throws {
    try row(1).set(.text("y"), for: "b")
    context.delete(try row(2))
    try other.run("INSERT INTO u VALUES (1)")
    try other.run("UPDATE t SET b = 'z' WHERE a = '1'")
    try context.save()
    #expect(try rows() == ["'1z'", "'2y'"])
  }

  /// A context reads a record again when another program has written, and then has the values of another row.
  @Test(arguments: [RecordConflict.Side.mine, .theirs], [true, false])
  func anotherRowInItsPlaceIsAConflict(side: RecordConflict.Side, isSeenEarly: Bool) throws {
    let record = try row(1)
    try record.set(.text("y"), for: "b")
    try other.run("DELETE FROM t WHERE a = '1'")
    try other.run("VACUUM")
    if isSeenEarly { _ = try context.fetchCount(matching: Query("t")) }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    let conflict = try #require(error?.conflicts.first)
    #expect(conflict.differences.map(\.name) == ["a", "b"])
    #expect(try rows() == ["'2x'", "'3x'"])
    try context.resolveConflict(of: record.persistentModelID, keeping: side)
    #expect(try context.conflicts().isEmpty)
    try context.save()
    #expect(try rows() == (side == .mine ? ["'2x'", "'2y'"] : ["'2x'", "'3x'"]))
    #expect(try context.conflicts().isEmpty && !context.hasChanges)
  }

  /// No side deletes the row that has the number now: the one that was meant has another number.
  @Test(arguments: [RecordConflict.Side.mine, .theirs])
  func aDeletionOfAnotherRowIsAConflict(side: RecordConflict.Side) throws {
    let record = try row(1)
    context.delete(record)
    try other.run("DELETE FROM t WHERE a = '1'")
    try other.run("VACUUM")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.conflicts.count == 1)
    #expect(try rows() == ["'2x'", "'3x'"])
    func resolve() throws {
      try context.resolveConflict(of: record.persistentModelID, keeping: side)
      try context.save()
    }
    if side == .mine {
      let error = #expect(throws: PersistenceError.self) { try resolve() }
      #expect(error?.message.contains("delete record 1 instead") == true)
    } else {
      try resolve()
    }
    #expect(try rows() == ["'2x'", "'3x'"])
  }

  /// VACUUM changes the version of the schema, while a save waits for its end.
  @Test func aSaveIsRepeatedAfterVacuum() throws {
    let path = try folder.database(
      "vacuum.db",
      "CREATE TABLE k (id INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO k VALUES (1, 'a')"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("k")[0]
    var after = record
    after.orderedValues[1] = .text("b")
    let changes = ChangeSet(updated: [RecordUpdate(before: record, after: after)])
    var statements = ["VACUUM"]
    let other = try otherProgram(path)
    func save() throws {
      _ = try store.writing { session in
        if let statement = statements.popLast() { try other.run(SQLText(statement)) }
        return try session.commit(changes, author: nil, message: nil)
      }
    }
    try save()
    #expect(try other.value("SELECT v FROM k") == .text("b"))
    statements = ["ALTER TABLE k ADD COLUMN w TEXT"]
    let error = #expect(throws: PersistenceError.self) { try save() }
    #expect(error?.message.contains("another program changed the schema") == true)
  }
}
