import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Saves into databases that change while they are open, by triggers or by other programs.
@Suite struct ForeignSaveTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A trigger makes a column have values of several types; texts that look like other values are then quoted.
  @Test func aColumnThatBecomesTextDuringASaveIsNoConflict() throws {
    let path = try folder.database(
      "mixed.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v, n INTEGER)",
      "INSERT INTO t VALUES (1, '''x', 1), (2, 'y', 2), (3, '12', 3)",
      "CREATE TRIGGER c AFTER UPDATE OF n ON t BEGIN UPDATE t SET v = 5 WHERE id = NEW.id; END"
    )
    let container = try ModelContainer(configurations: SQLiteConfiguration(path: path))
    let context = ModelContext(container)
    let records = try context.records(for: context.fetchIdentifiers(matching: Query("t")))
    #expect(records.map { $0[attribute: "v"] } == [.text("'x"), .text("y"), .text("12")])
    try records[0].set(.text("'z"), for: "v")
    try records[1].set(.integer(9), for: "n")
    try records[2].set(.text("13"), for: "v")
    try context.save()
    #expect(
      try otherProgram(path).rows("SELECT v, n FROM t") == [
        [.text("'z"), .integer(1)], [.integer(5), .integer(9)], [.text("13"), .integer(3)],
      ]
    )
    #expect(
      try context.fetchSnapshots(matching: Query("t")).map { $0["v"] } == [
        .text("'''z'"), .text("5"), .text("'13'"),
      ]
    )
    #expect(records.map { $0[attribute: "v"] } == [.text("'''z'"), .text("5"), .text("'13'")])
    try records[0].set(.text("w"), for: "v")
    try context.save()
    #expect(try otherProgram(path).value("SELECT v FROM t") == .text("w"))
  }

  @Test(arguments: [
    "CREATE TABLE t (id INTEGER, v TEXT, code TEXT PRIMARY KEY NOT NULL)",
    "CREATE TABLE t (id INTEGER, v TEXT, code TEXT)", "CREATE TABLE u (id INTEGER)",
    "CREATE VIEW t AS SELECT 1 AS id, 'x' AS v, 'a' AS code",
  ])
  func anotherKeyOfATableIsAConflict(statement: String) throws {
    let path = try folder.database(
      "key.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, code TEXT)",
      "INSERT INTO t VALUES (1, 'x', 'a'), (2, 'x', 'b')"
    )
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    let other = try otherProgram(path)
    try other.run("ALTER TABLE t RENAME TO old")
    try other.run(SQLText(statement))
    if statement.hasPrefix("CREATE TABLE t") {
      try other.run("INSERT INTO t SELECT * FROM old ORDER BY id DESC")
    }
    let rows = try other.rows("SELECT * FROM old")
    let error = #expect(throws: PersistenceError.self) {
      try store.set(record, ["v": .text("mine")])
    }
    #expect(error?.message.contains("\n") == false)
    #expect(try other.rows("SELECT * FROM old") == rows)
    if !statement.contains(" u ") {
      #expect(try other.number("SELECT count(*) FROM t WHERE v <> 'x'") == 0)
      #expect(try store.all("t").allSatisfy { $0["v"] == .text("x") })
    }
  }

  /// A column of values of one type, a change of the first one, and what another program writes into the second.
  struct Widening: Sendable, CustomTestStringConvertible {
    let type: String
    let first: String
    let second: String
    let new: Value
    let other: String
    var testDescription: String { "\(type) \(first) \(other)" }

    init(_ type: String, _ first: String, _ second: String, _ new: Value, _ other: String) {
      (self.type, self.first, self.second) = (type, first, second)
      (self.new, self.other) = (new, other)
    }
  }

  private static let moment = Value.datetime(Date(timeIntervalSince1970: 1_000_000_000))
  static let widenings = [
    Widening("", "5", "6", .integer(7), "'abc'"),
    Widening("", "'''x'", "'y'", .text("'z"), "5"),
    Widening("", "'''x'''", "'y'", .text("'z'"), "5"),
    Widening("BOOLEAN", "1", "0", .boolean(false), "7"),
    Widening("REAL", "1.5", "2.0", .number(7), "'q'"),
    Widening("REAL", "0.1", "2.0", .number(1e300), "'q'"),
    Widening("DATE", "'2020-01-02'", "'2021-01-02'", .null, "'q'"),
    Widening("DATETIME", "'2020-01-02 03:04:05'", "'2021-01-02 03:04:05'", moment, "'q'"),
    Widening("BLOB", "X'0102'", "X'03'", .null, "'q'"),
    Widening("BLOB", "X'0102'", "X'03'", .text("BAU="), "'q'"),
    Widening("BLOB", "X'0102'", "X'03'", .null, "5"),
    Widening("BLOB", "X'0102'", "X'03'", .text("BAU="), "5"),
    Widening("INTEGER REFERENCES t", "1", "2", .null, "'q'"),
  ]

  @Test(arguments: widenings, [true, false])
  func undoKeepsTheValuesOfAColumnThatBecomesText(_ column: Widening, isSaved: Bool) throws {
    let path = try folder.database(
      "wide.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v \(column.type))",
      "INSERT INTO t VALUES (1, \(column.first)), (2, \(column.second))"
    )
    let other = try otherProgram(path)
    func stored() throws -> SQLValue? { try other.value("SELECT quote(v) FROM t WHERE id = 1") }
    let container = try ModelContainer(configurations: SQLiteConfiguration(path: path))
    let context = ModelContext(container)
    let record = try context.records(for: context.fetchIdentifiers(matching: Query("t")))[0]
    try record.set(column.new, for: "v")
    context.closeUndoStep(named: "set")
    if isSaved { try context.save() }
    let new = try stored()
    try other.run(SQLText("UPDATE t SET v = \(column.other) WHERE id = 2"))
    try container.refresh()
    _ = try context.fetchSnapshots(matching: Query("t"))
    try context.save()
    let saved = try stored()
    #expect(isSaved ? saved == new : saved != .text(column.first))
    _ = try #require(try context.undo())
    try context.save()
    #expect(try stored() == .text(column.first))
    _ = try #require(try context.redo())
    try context.save()
    #expect(try stored() == saved)
  }

  @Test(arguments: ["DROP TABLE t", "ALTER TABLE t RENAME TO u"])
  func changesOfARemovedTableSaySo(statement: String) throws {
    let path = try folder.database(
      "gone.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
      "CREATE TABLE other (id INTEGER PRIMARY KEY)",
      "INSERT INTO t VALUES (1, 'x')"
    )
    let container = try ModelContainer(configurations: SQLiteConfiguration(path: path))
    let context = ModelContext(container)
    let record = try context.records(for: context.fetchIdentifiers(matching: Query("t")))[0]
    try record.set(.text("mine"), for: "v")
    try otherProgram(path).run(SQLText(statement))
    for _ in 1...2 {
      let error = #expect(throws: PersistenceError.self) { try context.save() }
      #expect(
        error?.message
          == "t: removed by another program; your unsaved changes of 1 record cannot be saved"
      )
    }
    context.rollback()
    try context.save()
  }

  @Test(arguments: [true, false])
  func aSaveIntoAFileThatIsGoneWritesNothing(isReplaced: Bool) throws {
    let path = try folder.database("old.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    let store = try SQLiteStore(at: path)
    let record = try store.all("t")[0]
    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    if isReplaced {
      let other = try folder.database("new.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
      try FileManager.default.moveItem(atPath: other, toPath: path)
    }
    let error = #expect(throws: PersistenceError.self) { try store.set(record, ["a": .integer(2)]) }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("replaced or removed by another program") == true)
    #expect(FileManager.default.fileExists(atPath: path) == isReplaced)
    for file in [path + ".moved"] + (isReplaced ? [path] : []) {
      #expect(try otherProgram(file).value("SELECT a FROM t") == .integer(1))
    }
  }
}
