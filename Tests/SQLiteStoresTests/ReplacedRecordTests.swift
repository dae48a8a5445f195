import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// New records with the keys of records that the same save deletes, in tables of other programs.
@Suite struct ReplacedRecordTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func context(_ key: String) throws -> (ModelContext, path: String) {
    let path = try folder.database(
      "other.db",
      "CREATE TABLE t (k \(key) PRIMARY KEY, n INTEGER, at TEXT DEFAULT CURRENT_TIMESTAMP)",
      "INSERT INTO t VALUES (7, 1, 'then'), (8, 2, 'then')"
    )
    let container = try ModelContainer(configurations: SQLiteConfiguration(path: path))
    return (ModelContext(container), path)
  }

  private func key(_ type: String, _ number: Int64) -> Value {
    type == "TEXT" ? .text(String(number)) : .integer(number)
  }

  @Test(arguments: ["TEXT", "INTEGER"], [true, false])
  func theNewRecordReplacesTheDeletedOne(type: String, deletesFirst: Bool) throws {
    let (context, path) = try context(type)
    let hearer = ModelContext(context.container)
    let heard = try hearer.records(for: hearer.fetchIdentifiers(matching: Query("t")))[0]
    let old = try context.records(for: context.fetchIdentifiers(matching: Query("t")))[0]
    let new = Record(entity: try context.schema.entity(named: "t"))
    try new.set(key(type, 7), for: "k")
    try new.set(.integer(6), for: "n")
    let steps = [("delete", { context.delete(old) }), ("insert", { context.insert(new) })]
    for (name, step) in deletesFirst ? steps : steps.reversed() {
      step()
      context.closeUndoStep(named: name)
    }
    try context.save()
    let other = try otherProgram(path)
    func stored() throws -> [[SQLValue]] { try other.rows("SELECT n, at FROM t ORDER BY k") }
    #expect(try stored() == [[.integer(6), .text("then")], [.integer(2), .text("then")]])
    #expect(new.persistentModelID.description == "7")
    #expect(new[attribute: "at"] == .text("then"))
    #expect(try context.records(for: [new.persistentModelID])[0] === new)
    _ = try hearer.fetchIdentifiers(matching: Query("t"))
    #expect(heard[attribute: "n"] == .integer(6) && !heard.isDeleted)
    let changes = try #require(try context.transactions().last).changes
    #expect(changes.inserted.isEmpty && changes.deleted.isEmpty)
    #expect(changes.updated.map { $0.before["n"] } == [.integer(1)])
    #expect(changes.updated.map { $0.after["n"] } == [.integer(6)])
    while try context.undo() != nil {}
    try context.save()
    #expect(try stored() == [[.integer(1), .text("then")], [.integer(2), .text("then")]])
    while try context.redo() != nil {}
    try context.save()
    #expect(try stored()[0][0] == .integer(6))
  }

  @Test func aChangeOfTheDeletedRecordByAnotherProgramIsAConflict() throws {
    let (context, path) = try context("TEXT")
    context.delete(try context.records(for: context.fetchIdentifiers(matching: Query("t")))[0])
    let new = Record(entity: try context.schema.entity(named: "t"))
    try new.set(.text("7"), for: "k")
    context.insert(new)
    try otherProgram(path).run("UPDATE t SET n = 99 WHERE k = '7'")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    for conflict in try context.conflicts() {
      try context.resolveConflict(of: conflict.persistentIdentifier, keeping: .mine)
    }
    try context.save()
    #expect(try otherProgram(path).rows("SELECT n FROM t WHERE k = '7'") == [[.null]])
  }

  @Test(arguments: [
    (["7"], "t.k: must be unique; record 7 already exists"),
    (["9", "9"], "t.k: must be unique; records t1 and t2 would both have \"9\""),
  ])
  func aKeyThatExistsIsNotUnique(keys: [String], message: String) throws {
    let (context, _) = try context("TEXT")
    for key in keys {
      let new = Record(entity: try context.schema.entity(named: "t"))
      try new.set(.text(key), for: "k")
      context.insert(new)
    }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    #expect(error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
    #expect(context.hasChanges)
  }

  /// Neither a redo of the deletion nor a save takes away what another program has inserted under the key of a
  /// restored record.
  @Test(arguments: ["TEXT", "INTEGER"], ["NULL", "9"])
  func theRecordOfAnotherProgramUnderTheKeyIsKept(type: String, number: String) throws {
    let (context, path) = try context(type)
    context.delete(try context.records(for: context.fetchIdentifiers(matching: Query("t")))[0])
    context.closeUndoStep(named: "delete")
    try context.save()
    try context.undo()
    let other = try otherProgram(path)
    try other.run("INSERT INTO t VALUES (7, \(number), 'now')")
    func stored() throws -> [SQLValue] { try other.rows("SELECT n, at FROM t WHERE k = 7")[0] }
    let theirs = try stored()
    for _ in 1...2 {
      let error = #expect(throws: PersistenceError.self) { try context.save() }
      #expect(error?.conflicts.first?.differences.map(\.name) == ["n", "at"])
    }
    #expect(try context.saveWithoutConflicts().count == 1)
    #expect(try stored() == theirs)
    try context.redo()
    #expect(!context.hasChanges)
    try context.undo()
    try context.redo()
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(matching: Query("t")) == 2)
    try context.save()
    #expect(try stored() == theirs)
  }

  @Test func aRowWithoutAKeyOfAnotherProgramIsKept() throws {
    let path = try folder.database(
      "rows.db",
      "CREATE TABLE t (n INTEGER, at TEXT)",
      "INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    )
    let context = ModelContext(
      try ModelContainer(configurations: SQLiteConfiguration(path: path))
    )
    context.delete(try context.records(for: context.fetchIdentifiers(matching: Query("t")))[1])
    context.closeUndoStep(named: "delete")
    try context.save()
    try context.undo()
    let other = try otherProgram(path)
    try other.run("INSERT INTO t VALUES (NULL, 'theirs')")
    _ = try? context.save()
    _ = try? context.redo()
    _ = try context.saveWithoutConflicts()
    #expect(
      try other.rows("SELECT n, at FROM t WHERE at = 'theirs'") == [[.null, .text("theirs")]]
    )
  }
}
