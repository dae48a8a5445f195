import Foundation
import Glibc
import Testing

/// A view of a database that never ends: whatever reads it can be stopped, and ends with the program.
@Suite struct EndlessViewTests {
  private let folder: TemporaryFolder
  private var database: String { folder.file("s.db") }
  private static let keys = ["\t", "\tG", ":count v\r", ":count w\r"]

  init() throws {
    folder = try TemporaryFolder()
    try folder.database(
      "s.db",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)",
      "INSERT INTO t VALUES (1, 'one')",
      """
      CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
      SELECT x FROM c
      """,
      """
      CREATE VIEW w AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
      SELECT x FROM c WHERE x < 0
      """,
      "CREATE VIEW x AS SELECT abs(-9223372036854775808) AS x"
    )
  }

  /// The screen while it reads the view.
  private func reading(_ keys: String) throws -> (run: ScreenRun, child: pid_t) {
    let run = try ScreenRun([database])
    #expect(run.shows("one"))
    run.type(keys)
    #expect(run.shows("^C"), "\(keys)")
    return (run, try #require(run.child))
  }

  /// A view that comes first in the order of names is not what the screen opens.
  @Test func theScreenOpensOnATable() throws {
    try folder.database(
      "o.db",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)",
      "INSERT INTO t VALUES (1, 'one')",
      """
      CREATE VIEW a AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
      SELECT count(*) AS n FROM c
      """
    )
    let run = try ScreenRun([folder.file("o.db")])
    #expect(run.shows("one"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test func theListOfEntitiesDoesNotCountIt() throws {
    let screen = try folder.run([database, "--keys", "-", "--size", "80x24"], input: "T").output
    #expect(screen.contains(">t            1  shown"), "\(screen)")
    #expect(screen.contains("v  not counted"), "\(screen)")
  }

  @Test(arguments: keys) func theKeyThatQuitsQuits(keys: String) throws {
    let (run, child) = try reading(keys)
    run.type("q")
    #expect(run.wait() == .exited(0))
    #expect(ScreenRun.isGone(child))
  }

  @Test(arguments: keys, ["\u{3}", "\u{1B}"])
  func itIsStoppedAndTheScreenGoesOn(keys: String, stop: String) throws {
    let (run, _) = try reading(keys)
    run.type(stop)
    #expect(run.shows("canceled"))
    run.type("q")
    #expect(run.wait() == .exited(0))
  }

  @Test(arguments: keys, [SIGTERM, SIGHUP, SIGQUIT])
  func aSignalEndsTheProgram(keys: String, signal: Int32) throws {
    let (run, child) = try reading(keys)
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(ScreenRun.isGone(child))
  }

  @Test(arguments: keys, [false, true])
  func aTerminalThatIsClosedEndsTheProgram(keys: String, isKilled: Bool) throws {
    let (run, child) = try reading(keys)
    if isKilled { kill(run.process, SIGKILL) } else { run.hangUp() }
    #expect(run.wait() == .killed(isKilled ? SIGKILL : SIGHUP))
    #expect(ScreenRun.isGone(child), "it does not outlive its guard")
  }

  @Test(arguments: ["count v", "count w", "list v sort x"], [SIGINT, SIGTERM])
  func theFirstSignalStopsAScript(line: String, signal: Int32) throws {
    let run = try ScreenRun([database, "-e", line], redirecting: [1: folder.file("out")])
    #expect(run.shows("^C stop"), "\(line)")
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(run.received.contains("canceled"))
  }

  /// A view that yields no row keeps the identifiers of other tables from nobody.
  @Test(arguments: [
    "set t/1 b=uno", "set 1 b=uno", "delete t/1", "show t/1", "duplicate t/1", "history t/1",
    "each - set t/$id b=$b",
  ])
  func recordsOfOtherTablesAreFoundWithoutIt(line: String) throws {
    let run = try folder.inShell(
      """
      printf 'id,b\\n1,uno\\n' | timeout 60 "$catalog" s.db --entity t -e '\(line)' -e quit! >/dev/null; echo $?
      """
    )
    #expect(run.output == "0\n", "\(run)")
  }

  /// An identifier without its entity is not looked for in views, and overviews do not count them.
  @Test(arguments: [
    ("show 1", "id\t1"), ("set 1 b=uno", "0"), ("show 3", "name the view: v/3"),
    ("list t where a = 3", "a\tb"), ("entities", "t\t1\ta, b\nv\t\tx\nw\t\tx"),
    ("status", "t: 1\nv: not counted\nw: not counted"),
  ])
  func whatDoesNotNameThemDoesNotReadThem(line: String, answer: String) throws {
    let run = try folder.inShell(
      "timeout 60 \"$catalog\" s.db -e '\(line)' -e quit! 2>&1; echo $?"
    )
    #expect(run.output.contains(answer), "\(run)")
    #expect(run.output.hasSuffix(answer.contains("name") ? "1\n" : "0\n"), "\(run)")
  }

  /// Opening a pipe without a reader cannot be stopped.
  @Test(arguments: [SIGTERM, SIGHUP]) func theSecondSignalEndsWhatCannotBeStopped(signal: Int32)
    throws
  {
    #expect(mkfifo(folder.file("pipe.csv"), 0o600) == 0)
    let run = try ScreenRun([database])
    #expect(run.shows("one"))
    run.type(":import \(folder.file("pipe.csv"))\r")
    #expect(run.shows("^C"))
    let child = try #require(run.child)
    kill(run.process, signal)
    #expect(run.wait(milliseconds: 300) == .running)
    kill(run.process, signal)
    #expect(run.wait() == .killed(signal))
    #expect(ScreenRun.isGone(child))
  }
}
