import DataStoreTesting
import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Databases that cannot be read or written: one line says why, and nothing is changed.
@Suite struct DatabaseBadInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
  }

  /// Runs the program, expects one line on standard error, and nothing changed or added.
  ///
  /// While this process has locks, it must not open the file elsewhere: closing it would release them.
  private func expect(
    _ status: Int32,
    _ text: String,
    _ arguments: [String],
    isLocked: Bool = false,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let names = try folder.names()
    let files = isLocked ? [] : names.filter { $0.contains(".db") }
    let before = files.map { try? bytes($0) }
    let run = try folder.run(arguments)
    #expect(run.status == status, "\(run.errors)", sourceLocation: location)
    #expect(run.errors.contains(text), "\(run.errors)", sourceLocation: location)
    let lines = run.errors.split(separator: "\n").filter { !$0.contains("discarded") }
    #expect(lines.count == 1, "\(run.errors)", sourceLocation: location)
    #expect(try folder.names() == names, sourceLocation: location)
    #expect(files.map { try? bytes($0) } == before, sourceLocation: location)
  }

  @Test func whatIsNoDatabaseIsNamed() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("folder.db"),
      withIntermediateDirectories: true
    )
    try folder.write("hello, long enough for a header", to: "text.db")
    var random = SeededGenerator(seed: SeededGenerator.testSeed)
    try Data((0..<8192).map { _ in UInt8.random(in: 1...250, using: &random) })
      .write(to: URL(fileURLWithPath: folder.file("encrypted.db")))
    try Data(SQLiteOpening.mark + Array(repeating: 7, count: 4080))
      .write(to: URL(fileURLWithPath: folder.file("header.db")))
    try folder.database(
      "newer.db",
      "PRAGMA application_id = \(OwnTables.applicationID)",
      "PRAGMA user_version = 2",
      "CREATE TABLE t (a)"
    )
    for options in [[], ["--read-only"]] {
      try expect(4, "no such folder", options + ["none/x.db", "-e", "list"])
      try expect(4, "is a directory", options + ["folder.db", "-e", "list"])
      try expect(4, "not a SQLite database", options + ["text.db", "-e", "list"])
      try expect(4, "or encrypted", options + ["encrypted.db", "-e", "list"])
      try expect(4, "not a SQLite database", options + ["header.db", "-e", "list"])
      try expect(4, "newer than this program supports", options + ["newer.db", "-e", "list"])
    }
  }

  @Test func aLockThatStaysNamesTheWay() throws {
    let other = try folder.database(
      "a.db",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
      "INSERT INTO t VALUES (1, 'x')"
    )
    let wait = ["--wait", "0.1", "a.db"]
    try other.run("BEGIN EXCLUSIVE")
    for options in [[], ["--read-only"]] {
      let text =
        "locked by another program (waited 0.1 s); try again, or run \"fuser a.db\" to find it"
      try expect(4, text, options + wait + ["-e", "list"], isLocked: true)
    }
    try other.run("ROLLBACK")
    try other.run("BEGIN IMMEDIATE")
    let save = wait + ["-e", "set 1 b=y", "-e", "save"]
    try expect(5, "nothing was saved; try again", save, isLocked: true)
    try other.run("ROLLBACK")
    // A reader keeps the save from being written.
    try other.run("BEGIN")
    #expect(try other.value("SELECT b FROM t") == .text("x"))
    let text = "a.db: locked by another program (waited 0.1 s); nothing was saved; try again"
    try expect(5, text, save, isLocked: true)
    try other.run("ROLLBACK")
    #expect(try other.value("SELECT b FROM t") == .text("x"))
    #expect(try folder.run(save).status == 0)
  }

  @Test func aMalformedPageIsNamedByItsTable() throws {
    try folder.database(
      "a.db",
      "CREATE TABLE g (id INTEGER PRIMARY KEY, v)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
      "INSERT INTO g VALUES (1, 'a')",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) \
      INSERT INTO t SELECT i, printf('%.500c', 'x') FROM c
      """
    )
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file("a.db")))
    try file.seek(toOffset: try file.seekToEnd() / 2 / 4096 * 4096)
    try file.write(contentsOf: Data(repeating: 0xA7, count: 4096))
    try file.close()
    try expect(1, #"table "t" is damaged"#, ["a.db", "-e", "stats v", "--entity", "t"])
    let intact = try folder.run(["a.db", "-e", "list g"])
    #expect(intact.output == "_id\tid\tv\n1\t1\ta\n")
  }

  /// A database whose writer was killed in the middle of a transaction that had grown over its cache.
  private func makeHotJournal() throws {
    let writer = try folder.database(
      "writer.db",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000) \
      INSERT INTO t SELECT i, printf('%.100c', 'x') FROM c
      """,
      "PRAGMA cache_size = 2",
      "BEGIN",
      "UPDATE t SET b = 'y'"
    )
    for ending in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("writer.db" + ending),
        toPath: folder.file("a.db" + ending)
      )
    }
    try writer.run("ROLLBACK")
    try FileManager.default.removeItem(atPath: folder.file("writer.db"))
  }

  @Test func anInterruptedSaveIsUndoneUnlessNothingMayBeWritten() throws {
    try makeHotJournal()
    let list = ["a.db", "-e", "count where b = 'y'"]
    try expect(4, "without --read-only", ["--read-only"] + list)
    let run = try folder.run(list)
    #expect(run.output == "0\n", "\(run.errors)")
    #expect(try folder.names() == ["a.db"])
  }

  // MARK: File systems that only root can make

  private static let canMount: Bool = {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "unshare -rm mount -t tmpfs none /mnt 2> /dev/null"]
    guard (try? shell.run()) != nil else { return false }
    shell.waitUntilExit()
    return shell.terminationStatus == 0
  }()

  /// Runs lines of shell that may mount file systems.
  private func mounting(_ script: String) throws -> ProgramRun {
    try folder.write(script, to: "script")
    return try folder.inShell("unshare -rm sh -e script")
  }

  @Test(.enabled(if: canMount, "no file system can be mounted here"))
  func aFullDiskIsNamed() throws {
    try folder.database(
      "a.db",
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
      "INSERT INTO t VALUES (1, 'x')"
    )
    try folder.database("w.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)")
    let run = try mounting(
      """
      mkdir m; mount -t tmpfs -o size=400k none m
      cp a.db w.db m; cd m
      dd if=/dev/zero of=rest bs=1k count=1000 2> /dev/null || true
      "$catalog" a.db -e list; echo $?
      "$catalog" a.db -e 'set 1 b=y' -e save || echo $?
      "$catalog" w.db -e list || echo $?
      "$catalog" n.db -e 'entity create T x:text' -e save || echo $?
      cmp a.db ../a.db; cmp w.db ../w.db; ls n.db* 2> /dev/null || true
      """
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "id\ta\tb\n1\t1\tx\n0\n5\n4\n5\n")
    let lines = run.errors.split(separator: "\n").filter { !$0.contains("discarded") }
    #expect(lines.count == 3, "\(run.errors)")
    for line in lines { #expect(line.contains("no space left on the device of "), "\(line)") }
  }

  /// A copy that does not fit leaves nothing behind, and works once there is room.
  @Test(.enabled(if: canMount, "no file system can be mounted here"))
  func aCopyToAFullDiskLeavesNothing() throws {
    let rows = (1...9000).map { "\($0),\(String(repeating: "x", count: 90))\n" }
    try folder.write("number,text\n" + rows.joined(), to: "a.csv")
    let run = try mounting(
      """
      mkdir m; mount -t tmpfs -o size=400k none m
      "$catalog" a.csv --to m/x.db || echo $?
      "$catalog" a.csv -e 'saveas m/y.db' || echo $?
      ls -A m; mount -o remount,size=4m m
      "$catalog" a.csv --to m/x.db --quiet; "$catalog" m/x.db -e 'count where number > 0'
      """
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "5\n5\n9000\n", "\(run.output)")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 2, "\(run.errors)")
    for line in lines {
      #expect(line.hasSuffix("database or disk is full; nothing was saved"), "\(line)")
    }
  }

  @Test(.enabled(if: canMount, "no file system can be mounted here"))
  func aReadOnlyMediumIsReadAsFarAsThatIsSafe() throws {
    try makeHotJournal()
    try folder.database("plain.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)")
    let writer = try folder.database(
      "w.db",
      "PRAGMA journal_mode = WAL",
      "CREATE TABLE t (a)",
      "INSERT INTO t VALUES (1)"
    )
    let run = try mounting(
      """
      "$catalog" r.catlog -e 'entity create T x:text' -e save --quiet; echo '[{"x": 1}]' > r.json
      mkdir m; cp a.db a.db-journal plain.db w.db w.db-wal r.* m
      mount --bind m m; mount -o remount,ro,bind m
      for option in --read-only --no-color; do
        "$catalog" $option m/plain.db -e 'count t'
        "$catalog" $option m/w.db -e 'count t' || echo $?
        "$catalog" $option m/a.db -e 'count t' || echo $?
      done
      ls m | wc -l
      for file in plain.db r.catlog r.json; do
        "$catalog" m/$file -e status | grep -c -e '^read-only: true' -e '^read-only-reason: .*read-only file system'
      done
      """
    )
    withExtendedLifetime(writer) {}
    #expect(run.output == "0\n4\n4\n0\n4\n4\n7\n2\n2\n2\n", "\(run.errors)")
    let lines = run.errors.split(separator: "\n")
    let notes = lines.filter { $0.contains("note: ") }
    #expect(notes.count == 4 && notes.allSatisfy { $0.contains("read-only") }, "\(notes)")
    #expect(lines.count == 4 + notes.count)
    for line in lines where !notes.contains(line) {
      #expect(line.contains("to another folder"), "\(line)")
    }
  }

  // MARK: Values

  @Test func unusualValuesAreShownAndStay() throws {
    let sql = [
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b, n INTEGER, f REAL)",
      """
      INSERT INTO t VALUES (1, 'a' || char(0) || 'b', 9007199254740993, 9e999), \
      (2, CAST(x'ff41' AS TEXT), -9223372036854775808, -9e999), (3, x'00ff', 5, 1.5)
      """,
    ]
    let other = try folder.database("a.db", sql[0], sql[1])
    let list = try folder.run(["a.db", "--format", "json", "-e", "list"])
    #expect(
      list.output == #"""
        [
          {"id": "1", "a": 1, "b": "a\u0000b", "n": 9007199254740993, "f": "Infinity"},
          {"id": "2", "a": 2, "b": "CAST(x'ff41' AS TEXT)", "n": -9223372036854775808, "f": "-Infinity"},
          {"id": "3", "a": 3, "b": "x'00ff'", "n": 5, "f": 1.5}
        ]

        """#
    )
    for (filter, count) in [
      ("n = 9007199254740993", 1), ("n = 9007199254740992", 0), ("n > 9007199254740992", 1),
      ("f > 1e308", 1), ("f < -1e308", 1), ("n < -9223372036854775807", 1),
    ] {
      #expect(
        try folder.run(["a.db", "-e", "count where \(filter)"]).output == "\(count)\n",
        "\(filter)"
      )
    }
    #expect(try folder.run(["a.db", "-e", "export x.json"]).status == 0)
    let commands = ["import x.json", "save", "list fields n,f"]
    let back = try folder.run(["n.db"] + commands.flatMap { ["-e", $0] })
    #expect(
      back.output.hasSuffix(
        "n\tf\n9007199254740993\tInfinity\n-9223372036854775808\t-Infinity\n5\t1.5\n"
      ),
      "\(back.output)\(back.errors)"
    )
    // In the form, the cursor passes all fields, and one of them is changed.
    let before = try other.rows("SELECT quote(b), n, f FROM t WHERE a < 3")
    let form = try folder.run(
      ["a.db", "--keys", "-"],
      input: #"G Enter Tab Tab Tab Tab Tab Escape g Enter Tab Tab End "5" Enter w"#
    )
    #expect(form.status == 0, "\(form.output)\(form.errors)")
    let after = try other.rows("SELECT quote(b), n, f FROM t WHERE a < 3")
    #expect(after[1] == before[1])
    #expect(after[0][0] == before[0][0] && after[0][2] == before[0][2])
  }
}
