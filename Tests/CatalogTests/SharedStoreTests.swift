import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Several programs that have the same store open.
@Suite struct SharedStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ name: String) throws -> String {
    #expect(try folder.run([folder.file(name), "--sample", "-e", "save"]).status == 0)
    return folder.file(name)
  }

  @Test(arguments: ["films.json", "films.catlog"])
  func aScreenShowsWhatOthersSave(name: String) throws {
    let store = try make(name)
    let run = try ScreenRun([store])
    #expect(run.shows("Toy Story"))
    run.type(":set where title='Up' director=me\r")
    #expect(run.shows("set director of"))
    let other = try folder.run([
      store, "-e", "set where title = 'Toy Story' title='Quite Zesty'", "-e",
      "set where title='Up' releaseYear=1", "-e", "save",
    ])
    #expect(other.status == 0)
    #expect(run.shows("Quite Zesty"), "nobody pressed a key")
    run.type("w")
    #expect(run.shows("inserted, 1 updated"))
    run.type("q")
    #expect(run.wait() == .exited(0))
    let both = try folder.run([store, "-e", "count where director = 'me' and releaseYear = 1"])
    #expect(both.output == "1\n", "merged by field")
  }

  /// The rows of a database are counted on the way: a new list knows only the first ones at once.
  @Test func theCursorStaysOnItsRecordFarDownADatabase() throws {
    let other = try folder.database(
      "s.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO t SELECT i, 'r' || i FROM n"
    )
    let run = try ScreenRun([folder.file("s.db")])
    #expect(run.shows("r20"))
    run.type("15000G")
    #expect(run.shows("r15000"))
    try other.run("UPDATE t SET a = 'new' WHERE id = 14999")
    #expect(run.shows("new"))
    run.type("d")
    #expect(run.shows("(r15000)"))
    run.type("wq")
    #expect(run.wait() == .exited(0))
    #expect(try other.number("SELECT count(*) FROM t WHERE id = 15000") == 0)
    #expect(try other.number("SELECT count(*) FROM t") == 19_999)
  }

  /// A program that looks at a database must not remove the write-ahead log of another one.
  @Test(arguments: [true, false])
  func aDatabaseKeepsItsLogWhileAProgramHasItOpen(isOwn: Bool) throws {
    if isOwn {
      _ = try make("s.db")
    } else {
      let other = try folder.database(
        "s.db",
        "PRAGMA journal_mode = WAL",
        "CREATE TABLE Film (id INTEGER PRIMARY KEY, title TEXT)",
        "INSERT INTO Film (title) VALUES ('Toy Story'), ('Up')"
      )
      withExtendedLifetime(other) {}
    }
    let run = try ScreenRun([folder.file("s.db")])
    #expect(run.shows("Toy Story"))
    func count(_ title: String) throws -> String {
      try folder.run(["s.db", "-e", "count where title = '\(title)'"]).output
    }
    #expect(try count("Up") == "1\n")
    #expect(try folder.names().contains("s.db-wal"))
    run.type(":set where title='Up' title=Kept\r")
    #expect(run.shows("(Up)"))
    run.type("w")
    #expect(run.shows("1 updated"))
    #expect(try count("Kept") == "1\n")
    // Looks at the file while it is open.
    run.type(":import \(folder.file("s.db"))\r")
    #expect(run.shows("is a SQLite database"))
    #expect(try count("Kept") == "1\n")
    #expect(try folder.names().contains("s.db-wal"))
    run.type("q")
    #expect(run.wait() != .running)
  }

  /// Runs the first part of a script, changes the store from outside, and runs the rest.
  private func script(_ store: String, _ first: String, _ between: String, _ rest: String) throws
    -> ProgramRun
  {
    let program = TemporaryFolder.program
    let text = """
      cd "\(folder.path)"
      { echo count; echo "\(first)"; i=0
        while [ ! -s out ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
        "\(program)" "\(store)" -e "\(between)" -e save >other 2>&1
        printf '%s\\n' "\(rest)"; } | "\(program)" "\(store)" >out 2>err
      echo $? >status
      """
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", text]
    var variables = ProcessInfo.processInfo.environment
    variables["HOME"] = folder.path
    variables["LC_ALL"] = "C.UTF-8"
    shell.environment = variables
    try shell.run()
    shell.waitUntilExit()
    let status = try #require(
      Int32(try folder.read("status").trimmingCharacters(in: .whitespacesAndNewlines))
    )
    #expect(try folder.read("other").contains("saved: 0 inserted, 1 updated"))
    return ProgramRun(
      status: status,
      output: try folder.read("out"),
      errors: try folder.read("err")
    )
  }

  // Covers D02.
  @Test(arguments: ["films.json", "films.catlog"])
  func aConflictEndsAScriptAndNothingIsWritten(name: String) throws {
    let store = try make(name)
    let run = try script(
      store,
      "set where title='Up' title=mine",
      "set where title='Up' title=theirs",
      "save"
    )
    #expect(run.status == 5)
    #expect(run.errors.contains("catalog: 3: not saved: Film.title: changed by another program"))
    #expect(run.errors.contains("changed by another program to \"theirs\""))
    let counts = try folder.run([
      store, "-e", "count where title='theirs'", "-e", "count where title='mine'",
    ])
    #expect(counts.output == "1\n0\n")
  }

  @Test func aScriptCanSettleAConflict() throws {
    let store = try make("films.json")
    let run = try script(
      store,
      "set where title='Up' title=mine releaseYear=1",
      "set where title='Up' title=theirs releaseYear=2",
      "conflicts\nresolve all mine title\nresolve all theirs\nconflicts\nsave"
    )
    #expect(run.status == 0, "\(run.errors)")
    let lines = withoutIdentifiers(run.output).split(separator: "\n")
    #expect(lines.contains("ID\tFilm\ttitle\tUp\tmine\ttheirs"), "\(lines)")
    #expect(lines.contains("ID\tFilm\treleaseYear\t2009\t1\t2"))
    let count = try folder.run([store, "-e", "count where title='mine' and releaseYear=2"])
    #expect(count.output == "1\n")
  }

  // Covers D10.
  @Test func changesToOtherFieldsAreMerged() throws {
    let store = try make("films.json")
    let run = try script(
      store,
      "set where title='Up' director=me",
      "set where title='Cars' director=other",
      "save"
    )
    #expect(run.status == 0, "\(run.errors)")
    let count = try folder.run([store, "-e", "count where director in ('me', 'other')"])
    #expect(count.output == "2\n")
  }

  /// Unsaved changes keep the context and its store until the program ends.
  @Test(arguments: ["films.json", "films.catlog"])
  func discardedChangesLeaveNoLockFile(name: String) throws {
    let store = try make(name)
    func locks() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        $0.hasSuffix(".lock")
      }
    }
    let runs = [
      try folder.run([store, "-e", "insert title=Up", "-e", "save", "-e", "delete where true"]),
      try folder.run([store, "--keys", "-"], input: "d w d\n"),
      try folder.inShell(
        "(ulimit -f 0; \"$catalog\" '\(store)' -e 'delete where true' -e save; echo $?) 2>&1 | cat"
      ),
    ]
    #expect(runs[0].status == 3 && runs[1].status == 3, "\(runs[0].errors) \(runs[1].errors)")
    #expect(runs[2].output.contains("not saved") && runs[2].output.hasSuffix("5\n"))
    #expect(try locks() == [])
  }

  @Test(arguments: ["x.json", "x.catlog"])
  func savingRejectsLinksToExternallyDeletedRecords(name: String) throws {
    try folder.write(
      """
      {"entities": [
        {"name": "A", "attributes": [{"name": "t", "type": "text"}]},
        {"name": "B", "attributes": [{"name": "t", "type": "text"}, {"name": "d", "type": "link:A:deny"}]}
      ]}
      """,
      to: "schema.json"
    )
    let store = folder.file(name)
    let made = try folder.run([
      "--schema", folder.file("schema.json"), store, "-e", "insert A t=one", "-e", "insert B t=b",
      "-e", "save",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let record = try #require(
      try folder.run([store, "-e", "list A fields id"]).output.split(separator: "\n").last
    )
    let run = try ScreenRun([store, "--plain"])
    #expect(run.shows("catalog> "))
    run.type("set B where t = 'b' d=\(record)\n")
    #expect(run.shows("set d of"), "\(run.received)")
    #expect(try folder.run([store, "-e", "delete \(record)", "-e", "save"]).status == 0)
    run.type("save\n")
    #expect(run.shows("no longer exists"), "\(run.received)")
    run.type("quit!\n")
    #expect(run.wait() == .exited(0))
    #expect(try folder.run([store, "-e", "check"]).output == "ok\n")
    #expect(try folder.run([store, "-e", "count B where d is null"]).output == "1\n")
  }
}
