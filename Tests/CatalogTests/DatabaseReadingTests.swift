import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Reading databases of other programs: what is left next to them, and what of them is exported.
@Suite struct DatabaseReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String], _ commands: String...) throws -> ProgramRun {
    try folder.run(arguments + commands.flatMap { ["-e", $0] })
  }

  @Test func readingLeavesNoFiles() throws {
    for name in ["a.db", "b.db"] {
      try folder.database(
        name,
        "PRAGMA journal_mode = WAL",
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
        "INSERT INTO t VALUES (1, 'x')"
      )
    }
    #expect(try folder.names() == ["a.db", "b.db"])
    let before = try folder.read("a.db")
    #expect(try run(["--read-only", "a.db"], "list t").output == "id\ta\tb\n1\t1\tx\n")
    #expect(try run(["a.db"], "diff b.db").status == 0)
    #expect(try run(["--read-only", "a.db"], "diff b.db").status == 0)
    #expect(try run(["--read-only", "a.db"], "check").status == 0)
    #expect(try folder.run(["--read-only", "a.db", "--keys", "-"], input: "j").status == 0)
    #expect(try folder.names() == ["a.db", "b.db"])
    #expect(try folder.read("a.db") == before)
  }

  @Test func theTableOfALocationOpensOnTheScreen() throws {
    try folder.database(
      "o.db",
      "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)"
    )
    for keys in [#": "e o.db#book" Enter"#, #": "open sqlite:o.db#book" Enter"#] {
      let run = try folder.run(["memory:", "--keys", "-"], input: keys)
      #expect(run.output.contains("book 2/2") && run.output.contains("title"), "\(run)")
    }
  }

  /// Another program may be about to write.
  @Test func filesOfAnotherProgramStay() throws {
    let other = try folder.database(
      "a.db",
      "PRAGMA journal_mode = WAL",
      "CREATE TABLE t (a INTEGER PRIMARY KEY)",
      "PRAGMA wal_checkpoint(TRUNCATE)"
    )
    #expect(try run(["--read-only", "a.db"], "count t").output == "0\n")
    #expect(try folder.names() == ["a.db", "a.db-shm", "a.db-wal"])
    try other.run("INSERT INTO t VALUES (7)")
    #expect(try run(["--read-only", "a.db"], "count t").output == "1\n")
  }

  @Test func recordsOfAViewAreNotDeleted() throws {
    try folder.database(
      "o.db",
      "CREATE TABLE k (code TEXT PRIMARY KEY NOT NULL)",
      "INSERT INTO k VALUES ('p'), ('q')",
      "CREATE VIEW v AS SELECT code FROM k"
    )
    let refused = try run(["o.db"], "delete v where true")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("records of v cannot be deleted: the table is a view"))
    let done = try run(["o.db"], "delete k where code = 'p'", "save", "count v")
    #expect(done.output.hasSuffix("\n1\n"), "\(done)")
  }

  @Test func identifiersWithoutMeaningAreNotExported() throws {
    try folder.database(
      "o.db",
      "CREATE TABLE n (a, b)",
      "INSERT INTO n VALUES (1, 'x'), (2, 'y')",
      "CREATE TABLE k (code TEXT PRIMARY KEY NOT NULL, b)",
      "INSERT INTO k VALUES ('p', 1)",
      "CREATE VIEW v AS SELECT a AS id, b FROM n"
    )
    #expect(try run(["o.db"], "export n.csv n").status == 0)
    #expect(try folder.read("n.csv") == "a,b\r\n1,x\r\n2,y\r\n")
    #expect(try run(["o.db"], "export v.json v").status == 0)
    #expect(try folder.read("v.json").contains("_id") == false)
    let back = try run(["new.db"], "import v.json", "save", "schema")
    #expect(back.status == 0, "\(back.errors)")
    #expect(back.output.contains("_id") == false, "\(back.output)")
    #expect(try run(["o.db"], "export k.csv k").status == 0)
    #expect(try folder.read("k.csv") == "id,code,b\r\np,p,1\r\n")
    #expect(try run(["o.db"], "export i.csv n fields id,a").status == 0)
    #expect(try folder.read("i.csv") == "id,a\r\n1,1\r\n2,2\r\n")
  }
}
