import CatalogApp
import OpenSwiftData
import SQL
import Stores
import Testing

@testable import CatalogProgram
@testable import SQLiteStores

/// Records that a command updates or adds, while other programs add them.
@Suite struct SoughtRecordTests {
  /// Formerly every program that found no record added one.
  @Test(arguments: ["t.csv", "t.jsonl", "t.json", "t.catlog", "t.db"])
  func upsertsAtTheSameTimeLeaveOneRecord(name: String) throws {
    let folder = try TemporaryFolder()
    switch name {
    case "t.csv": try folder.write("a,b\n1,x\n", to: name)
    case "t.jsonl": try folder.write("{\"a\": 1, \"b\": \"x\"}\n", to: name)
    default:
      let made = try folder.run(
        [name, "-e", "entity create t a:integer b:text", "-e", "insert a=1 b=x", "-e", "save"]
      )
      #expect(made.status == 0, "\(made)")
    }
    let run = try folder.inShell(
      """
      seq 8 | xargs -P 8 -I % "$catalog" \(name) -e "upsert by a a=5 b=w" -e save >/dev/null 2>>errors
      cat errors
      "$catalog" \(name) -e 'count where a = 5' -e 'count where b = "w"'
      """
    )
    #expect(run.output == "1\n1\n", "\(run)")
  }

  /// Values that differ are a conflict, and whoever keeps their own overwrites the one record.
  @Test(arguments: ["t.csv", "t.tsv", "t.jsonl", "t.json"])
  func differentValuesAtTheSameTimeLeaveOneRecord(name: String) throws {
    let folder = try TemporaryFolder()
    switch name {
    case "t.csv": try folder.write("a,b\n1,x\n2,y\n", to: name)
    case "t.tsv": try folder.write("a\tb\n1\tx\n2\ty\n", to: name)
    case "t.json": try folder.write("[{\"a\": 1, \"b\": \"x\"}]\n", to: name)
    default: try folder.write("{\"a\": 1, \"b\": \"x\"}\n", to: name)
    }
    let run = try folder.inShell(
      """
      seq 8 | xargs -P 8 -I % "$catalog" --wait 60 \(name) -e "upsert by a a=5 b=w%" \
        -e 'save keep mine' >/dev/null
      "$catalog" \(name) -e 'count where a = 5'
      """
    )
    #expect(run.output == "1\n", "\(run)")
  }

  /// The values of the later command are set on the record of the earlier one.
  @Test(arguments: ["t.csv", "t.catlog"])
  func eachCommandSetsItsFields(name: String) throws {
    let folder = try TemporaryFolder()
    if name == "t.csv" {
      try folder.write("a,b,c\n1,x,y\n", to: name)
    } else {
      let create = "entity create t a:integer b:text c:text"
      #expect(try folder.run([name, "-e", create, "-e", "save"]).status == 0)
    }
    let run = try folder.inShell(
      """
      printf 'b=w\\nc=z\\n' | xargs -P 2 -I % "$catalog" \(name) -e "upsert by a a=5 %" -e save >/dev/null
      "$catalog" \(name) -e 'list where a = 5 fields a,b,c'
      """
    )
    #expect(run.output == "a\tb\tc\n5\tw\tz\n", "\(run)")
  }

  private func session(_ name: String, in folder: TemporaryFolder) throws -> Session {
    let services = CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: 0,
      recoveryFolder: folder.file("recovery"),
      kinds: StoreKind.standard
    )
    return try services.session(on: folder.file(name))
  }

  /// A key that ignores the case of letters is the same for the save as for the command.
  @Test func aKeyThatOthersHaveAddedInAnotherSpellingIsFound() throws {
    let folder = try TemporaryFolder()
    let other = try folder.database(
      "t.db",
      "CREATE TABLE t (code TEXT COLLATE NOCASE UNIQUE, size INTEGER, note TEXT)"
    )
    let (mine, theirs) = (try session("t.db", in: folder), try session("t.db", in: folder))
    _ = try mine.perform("upsert by code code=ABC size=5")
    _ = try theirs.perform("insert code=abc size=7 note=x")
    _ = try theirs.perform("save")
    _ = try mine.perform("save")
    #expect(
      try other.rows("SELECT code, size, note FROM t") == [[.text("abc"), .integer(5), .text("x")]]
    )
  }

  /// What others have added with the same values was not changed here: there is nothing to undo.
  @Test(arguments: ["t.csv", "t.json", "t.catlog", "t.db"])
  func aRecordThatOthersHaveAddedAlikeLeavesNoStep(name: String) throws {
    let folder = try TemporaryFolder()
    if name == "t.csv" {
      try folder.write("a,b\n1,x\n2,y\n", to: name)
    } else {
      let create = ["entity create t a:integer b:text", "insert a=1 b=x", "insert a=2 b=y", "save"]
      #expect(try folder.run([name] + create.flatMap { ["-e", $0] }).status == 0)
    }
    let (mine, theirs) = (try session(name, in: folder), try session(name, in: folder))
    _ = try mine.perform("set where a = 1 b=z")
    for session in [mine, theirs] { _ = try session.perform("upsert by a a=5 b=w") }
    _ = try theirs.perform("save")
    _ = try mine.perform("set where a = 2 b=z")
    _ = try mine.perform("save")
    mine.context.checkInvariants()
    for _ in 1...2 { _ = try mine.perform("undo") }
    _ = try mine.perform("save")
    let saved = try mine.context.fetchSnapshots(matching: Query("t"))
    #expect(saved.map { $0["b"] } == [.text("x"), .text("y"), .text("w")])
  }

  /// New records of one command, of several, and with several fields in the key.
  @Test(arguments: ["t.csv", "t.json", "t.db"], ["import in.csv by a", "import in.csv by a,b"])
  func manySoughtRecordsAreFound(name: String, command: String) throws {
    let folder = try TemporaryFolder()
    if name == "t.csv" {
      try folder.write("a,b,c\n-1,-1,-1\n", to: name)
    } else {
      let create = "entity create t a:integer b:integer c:integer"
      #expect(try folder.run([name, "-e", create, "-e", "save"]).status == 0)
    }
    let rows = (0..<300).map { "\($0),\($0 % 7),1" }.joined(separator: "\n")
    try folder.write("a,b,c\n\(rows)\n", to: "in.csv")
    let (mine, theirs) = (try session(name, in: folder), try session(name, in: folder))
    _ = try mine.perform(command.replacing("in.csv", with: "'\(folder.file("in.csv"))'"))
    for number in 300..<310 { _ = try mine.perform("upsert by a a=\(number) c=1") }
    for number in [7, 150, 305] {
      _ = try theirs.perform("insert a=\(number) b=\(number % 7) c=0")
    }
    _ = try theirs.perform("save")
    _ = try mine.perform("save")
    let saved = try mine.context.fetchSnapshots(
      matching: Query("t", filter: .compare("a", .greaterOrEqual, .integer(0)))
    )
    #expect(saved.count == 310 && saved.allSatisfy { $0["c"]?.text == "1" })
  }

  /// In wide files most columns are compared together, but the fields after `by` one by one.
  @Test(arguments: [20, 280]) func aKeyInAWideFileDecides(place: Int) throws {
    let folder = try TemporaryFolder()
    func line(_ key: String, _ value: String) -> String {
      (0..<300).map { $0 == place ? key : $0 == 3 ? value : "\($0)" }.joined(separator: ",")
    }
    let heading = (0..<300).map { "c\($0)" }.joined(separator: ",")
    func write(_ lines: String...) throws {
      try folder.write(([heading] + lines).joined(separator: "\n") + "\n", to: "t.csv")
    }
    try write(line("a", "x"), line("b", "y"), line("c", "z"))
    let mine = try session("t.csv", in: folder)
    _ = try mine.perform("upsert by c\(place) c\(place)=b c5=77")
    try write(line("c", "y"), line("d", "y"), line("b", "other"))
    _ = try mine.perform("save")
    let changed = Query("t", filter: .compare("c5", .equal, .integer(77)))
    let saved = try mine.context.fetchSnapshots(matching: changed)
    #expect(saved.map { $0["c\(place)"] } == [.text("b")])
  }
}
