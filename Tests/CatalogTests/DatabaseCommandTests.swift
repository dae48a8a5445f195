import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Commands on databases of other programs.
@Suite struct DatabaseCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ commands: String..., options: [String] = []) throws -> ProgramRun {
    try folder.run(["t.db"] + options + commands.flatMap { ["-e", $0] })
  }

  @Test func upsertFindsRecordsByAPrimaryKeyThatIsANumber() throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO t VALUES (7, 'a')"
    )
    let run = try run("upsert t by k k=7 v=b", "upsert t by k k=9 v=c", "save")
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      try other.rows("SELECT k, v FROM t") == [
        [.integer(7), .text("b")], [.integer(9), .text("c")],
      ]
    )
    let refused = try self.run("upsert t by v v=b k=8")
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("k: read-only field, the key of a saved record cannot be changed"),
      "\(refused.errors)"
    )
  }

  /// The statements have the columns of the table, and no other one for the identifier.
  @Test(arguments: ["k INTEGER PRIMARY KEY", "k TEXT PRIMARY KEY NOT NULL"])
  func theStatementsOfAnExportFillTheTableAgain(key: String) throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (\(key), v TEXT)",
      "INSERT INTO t VALUES (7, 'it''s'), (8, NULL)"
    )
    let before = try other.rows("SELECT k, v FROM t")
    for command in ["list", "export -"] {
      let run = try run(command, options: ["--format", "sql"])
      #expect(run.status == 0, "\(run)")
      try other.run("DELETE FROM t")
      for line in run.output.split(separator: "\n") { try other.run(SQLText(String(line))) }
      #expect(try other.rows("SELECT k, v FROM t") == before, "\(run)")
    }
  }

  @Test func aKeyThatAnotherProgramHasUsedFirstHasAWayOut() throws {
    try folder.database(
      "t.db",
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO t VALUES (1, 'a')"
    )
    let prompt = try ScreenRun([folder.file("t.db"), "--plain"], columns: 200)
    prompt.type("insert k=2 v=mine\r")
    #expect(prompt.shows("t1"))
    #expect(try run("insert k=2 v=theirs", "save").status == 0)
    prompt.type("save\r")
    #expect(prompt.shows("record 2 already exists; give yours another key, or undo it"))
    prompt.type("set t1 k=3\rsave\r")
    #expect(prompt.shows("saved: 1 inserted"))
    prompt.type("quit\r")
    #expect(prompt.wait() == .exited(0))
  }

  @Test func aReplacedDatabaseHasNoConflictsToResolve() throws {
    for name in ["t.db", "new.db"] {
      try folder.database(
        name,
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)",
        "INSERT INTO t VALUES (1, 'a')"
      )
    }
    let prompt = try ScreenRun([folder.file("t.db"), "--plain"], columns: 200)
    prompt.type("set where k=1 v=b\r")
    #expect(prompt.shows("set v of 1"))
    #expect(rename(folder.file("new.db"), folder.file("t.db")) == 0)
    prompt.type("save\r")
    #expect(prompt.shows("nothing was saved; reopen it\r\n"))
    prompt.type("saveas \(folder.file("copy.json"))\r")
    #expect(prompt.shows("cannot copy records: "))
    #expect(prompt.shows("reopen it; run \"changes\" first to list your unsaved changes"))
    prompt.type("changes\r")
    #expect(prompt.shows("v: \"a\" → \"b\""))
  }

  @Test func aNewRecordCanTakeAnotherKeyUntilItIsSaved() throws {
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO t VALUES (1, 'a')"
    )
    let run = try run("insert k=2 v=b", "set t1 k=3", "save")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try other.rows("SELECT k FROM t") == [[.integer(1)], [.integer(3)]])
    let refusal =
      "k: read-only field, the key of a saved record cannot be changed; leave it out\n"
    for line in ["set 3 k=4", "set where true k=4", "set where v='b' k=4"] {
      let refused = try self.run(line)
      #expect(refused.errors.hasSuffix(refusal), "\(line): \(refused.errors)")
      #expect(refused.status == 1)
    }
    let mixed = try self.run("insert k=5", "set where k > 2 k=6")
    #expect(mixed.errors.contains("the key of a saved record"), "\(mixed.errors)")
  }

  @Test(arguments: [
    "a INT, b INT, v TEXT, PRIMARY KEY (a, b)", "a REAL PRIMARY KEY, b INT, v TEXT",
  ])
  func aDeletedRecordLeavesTheScreenWhenItIsSaved(columns: String) throws {
    try folder.database(
      "t.db",
      "CREATE TABLE t (\(columns))",
      "INSERT INTO t VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 1, 'z')"
    )
    try folder.write("j d w", to: "keys")
    let screen = try folder.run(["t.db", "--keys", "keys", "--size", "60x12"]).output
    #expect(screen.contains(" of 2"), "\(screen)")
    #expect(!screen.contains("3 of 2"), "\(screen)")
  }

  @Test func aMissingValueNamesTheNewRecordAndItsLine() throws {
    try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, r TEXT NOT NULL)"
    )
    for options in [[], ["--dry-run"]] {
      let run = try run("insert n=1 r=x", "insert n=2", "save", options: options)
      #expect(run.errors.contains("t.r: a value is required (record t2)"), "\(run.errors)")
      #expect(run.errors.contains("t2 was inserted in line 2"), "\(run.errors)")
    }
  }

  @Test func aDatabaseWithoutTablesHintsAtNothingThatIsRefused() throws {
    try folder.database("t.db", "PRAGMA user_version = 1")
    let run = try run("list")
    #expect(run.errors.contains("no tables; create one with sqlite3"), "\(run.errors)")
    try folder.write("a", to: "keys")
    let screen = try folder.run(["t.db", "--keys", "keys", "--size", "100x12"]).output
    #expect(!screen.contains("entity create"), "\(screen)")
    #expect(screen.contains("no tables"), "\(screen)")
  }
}
