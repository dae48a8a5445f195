import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// `--dry-run` on databases: the database itself says whether it would take the save, and stays as it is.
@Suite struct DatabaseRehearsalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What must not change: the names, contents and dates of the files.
  private struct State: Equatable {
    var contents: [String: Data] = [:]
    var dates: [String: Date] = [:]

    init(_ folder: TemporaryFolder, _ name: String) throws {
      for file in try folder.names() where file.hasPrefix(name) {
        contents[file] = try Data(contentsOf: URL(fileURLWithPath: folder.file(file)))
        let facts = try FileManager.default.attributesOfItem(atPath: folder.file(file))
        dates[file] = facts[.modificationDate] as? Date
      }
    }
  }

  private func makeDatabases(_ mode: String) throws {
    for name in ["real.db", "rehearsed.db"] {
      let connection = try folder.database(
        name,
        "PRAGMA journal_mode = \(mode)",
        "CREATE TABLE P (id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT UNIQUE, n INTEGER CHECK (n > 0))",
        "CREATE TABLE C (id INTEGER PRIMARY KEY, p INTEGER REFERENCES P)",
        "CREATE TABLE Log (id INTEGER PRIMARY KEY, text TEXT)",
        """
        CREATE TRIGGER bad BEFORE INSERT ON P WHEN NEW.name = 'no' \
        BEGIN SELECT RAISE(ABORT, 'not this one'); END
        """,
        "CREATE TRIGGER good AFTER UPDATE ON P BEGIN INSERT INTO Log (text) VALUES (NEW.name); END",
        "INSERT INTO P VALUES (1, 'x', 'a', 1), (2, 'y', 'b', 2)",
        "INSERT INTO C VALUES (1, 1)"
      )
      _ = connection
    }
  }

  private func run(_ name: String, _ lines: [String], options: [String] = []) throws -> ProgramRun {
    try folder.run([name] + options + lines.flatMap { ["-e", $0] })
  }

  @Test(
    arguments: [
      "set P/1 n=0", "set P/1 name=", "set P/1 code=b", "delete P/1", "insert P name=no",
      "insert P code=z",
    ],
    ["delete", "wal"]
  )
  func aSaveThatTheDatabaseRefusesIsRefusedByTheRehearsal(line: String, mode: String) throws {
    try makeDatabases(mode)
    let before = try State(folder, "rehearsed.db")
    let rehearsed = try run("rehearsed.db", [line, "save"], options: ["--dry-run"])
    #expect(try State(folder, "rehearsed.db") == before)
    let real = try run("real.db", [line, "save"])
    #expect(rehearsed.status == real.status)
    func firstLine(_ run: ProgramRun) -> Substring? { run.errors.split(separator: "\n").first }
    #expect(firstLine(rehearsed) == firstLine(real))
    #expect(rehearsed.status != 0, "\(rehearsed)")
  }

  @Test(arguments: ["delete", "wal"])
  func aSaveThatTheDatabaseTakesIsNotMade(mode: String) throws {
    try makeDatabases(mode)
    let before = try State(folder, "rehearsed.db")
    let rehearsed = try run(
      "rehearsed.db",
      ["set P/1 n=5", "insert P name=new", "save", "set P/2 n=6", "save"],
      options: ["--dry-run"]
    )
    #expect(rehearsed.status == 0, "\(rehearsed)")
    #expect(rehearsed.output.contains("would save: 1 inserted, 1 updated, 0 deleted"))
    #expect(rehearsed.output.contains("the database would also change: 1 Log inserted"))
    #expect(rehearsed.output.contains("would save: 0 inserted, 1 updated, 0 deleted"))
    #expect(rehearsed.output.contains("~\tP\t1\tn: 1 → 5"), "\(rehearsed)")
    #expect(try State(folder, "rehearsed.db") == before)
  }

  /// More pages than the cache has are neither written to the file nor to a journal.
  @Test(arguments: ["delete", "wal", "truncate"])
  func aLargeRehearsalWritesNothing(mode: String) throws {
    let connection = try folder.database(
      "large.db",
      "PRAGMA journal_mode = \(mode)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10000) \
      INSERT INTO t SELECT i, hex(zeroblob(400)) FROM c
      """
    )
    let before = try State(folder, "large.db")
    let rehearsed = try run("large.db", ["set where true a=new", "save"], options: ["--dry-run"])
    #expect(rehearsed.status == 0, "\(rehearsed)")
    let after = try State(folder, "large.db")
    #expect(after.contents["large.db"] == before.contents["large.db"])
    #expect(after.dates["large.db"] == before.dates["large.db"])
    // Another program still has the database open.
    #expect(after.contents["large.db-wal"] == before.contents["large.db-wal"])
    #expect(after.contents.keys.sorted() == before.contents.keys.sorted())
    #expect(try connection.number("SELECT count(*) FROM t WHERE a = 'new'") == 0)
    try connection.run("UPDATE t SET a = 'other'")
  }

  /// A program that died has left saves in the log, which reading alone must not move to the file.
  @Test func aRehearsalLeavesTheLogOfAnotherProgram() throws {
    let connection = try folder.database(
      "live.db",
      "PRAGMA journal_mode = wal",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (a <> 'no'))",
      "INSERT INTO t VALUES (1, 'x')"
    )
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("live.db" + ending),
        toPath: folder.file("dead.db" + ending)
      )
    }
    let before = try State(folder, "dead.db")
    let refused = try run("dead.db", ["set 1 a=no", "save"], options: ["--dry-run"])
    #expect(refused.status == 5 && refused.errors.contains("CHECK"), "\(refused)")
    let taken = try run("dead.db", ["set 1 a=y", "save"], options: ["--dry-run"])
    #expect(taken.status == 0, "\(taken)")
    let after = try State(folder, "dead.db")
    for name in ["dead.db", "dead.db-wal"] {
      #expect(after.contents[name] == before.contents[name])
      #expect(after.dates[name] == before.dates[name])
    }
    withExtendedLifetime(connection) {}
  }

  @Test func aDatabaseOfOurOwnIsRehearsedWithItsSchema() throws {
    try folder.write(
      #"{"entities":[{"name":"T","attributes":[{"name":"a","type":"text","isUnique":true}]}]}"#,
      to: "unique.json"
    )
    let new = try run(
      "own.db",
      ["entity create T a:text n:integer", "insert T a=x", "save"],
      options: ["--dry-run"]
    )
    #expect(new.status == 0, "\(new)")
    #expect(try folder.names() == ["unique.json"])
    #expect(try run("own.db", ["entity create T a:text", "insert T a=x", "save"]).status == 0)
    let before = try State(folder, "own.db")
    let rehearsed = try run(
      "own.db",
      ["field add T n:integer", "set where a = 'x' n=1", "save", "list fields a,n"],
      options: ["--dry-run"]
    )
    #expect(rehearsed.status == 0 && rehearsed.output.contains("x\t1\n"), "\(rehearsed)")
    #expect(try State(folder, "own.db") == before)
  }
}
