import Glibc
import SQL
import Testing

@testable import SQLiteStores

/// Edits on the screen, and recovered ones, of a record whose key another program gives to another record.
@Suite struct ReusedKeyRunTests {
  private let folder: TemporaryFolder
  private let other: SQLiteConnection

  init() throws {
    folder = try TemporaryFolder()
    other = try folder.database(
      "t.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, qty INTEGER, name TEXT, city TEXT)",
      "INSERT INTO t VALUES (1, 10, 'Ann', 'Oslo'), (2, 20, 'Bob', 'Bern')"
    )
  }

  private func replace() throws {
    try other.run("REPLACE INTO t VALUES (1, 10, 'Zed', 'Rome')")
  }

  private func quantity() throws -> SQLValue? {
    try other.value("SELECT qty FROM t WHERE id = 1")
  }

  /// The value that the cell shows is that of the other record as well.
  @Test func aTypedValueDoesNotReachAnotherRecord() throws {
    let run = try ScreenRun([folder.file("t.db")])
    #expect(run.shows("Oslo"))
    run.type("le")
    run.type("\u{15}77")
    try replace()
    #expect(run.shows("reloaded: changed by another program"), "\(run.received)")
    run.type("\r")
    #expect(run.shows("t record 1: only id 1 agrees"), "\(run.received)")
    run.type("\u{1b}")
    run.type("q")
    #expect(run.wait() == .exited(0), "\(run.received)")
    #expect(try quantity() == .integer(10))
  }

  @Test(arguments: ["set 1 qty=77", "set where id < 9 qty=77"])
  func aRecoveredChangeDoesNotReachAnotherRecord(line: String) throws {
    let run = try ScreenRun([folder.file("t.db"), "--plain"])
    #expect(run.shows("catalog> "))
    for line in [line, "status"] { run.type(line + "\n") }
    #expect(run.shows("updated: "), "\(run.received)")
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    try replace()
    let recovered = try folder.run(["t.db", "-e", "recover", "-e", "save"])
    #expect(recovered.output.contains("t 1: only id 1 agrees; skipped: qty"), "\(recovered)")
    #expect(try quantity() == .integer(10))
  }
}
