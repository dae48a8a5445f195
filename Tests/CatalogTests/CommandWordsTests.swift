import Foundation
import Testing

/// Commands that answered nothing, or the wrong thing, to what people write.
@Suite struct CommandWordsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("sku,city,qty\nA1,Oslo,1\nB2,Rome,2\nC3,Oslo,3\n", to: "a.csv")
  }

  private func run(_ location: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([location] + commands.flatMap { ["-e", $0] })
  }

  /// Formerly `C:new`: a path without its backslashes is another one.
  @Test(
    arguments: ["set 1 city=", "insert city=", "upsert by qty qty=1 city="],
    [
      (#"C:\new\_x\-1.txt"#, #"C:\new\_x\-1.txt"#), (#"\é\1"#, #"\é\1"#),
      (#"New\ York"#, "New York"),
      (#"a\\b"#, #"a\b"#), (#"a\'\;"#, "a';"),
    ]
  )
  func aBackslashBeforeALetterIsOneItself(command: String, text: (typed: String, stored: String))
    throws
  {
    let run = try folder.run([
      "a.csv", "--format", "csv", "-e", command + text.typed, "-e", "list fields city",
      "-e", "quit!",
    ])
    let cities = run.output.split(whereSeparator: \.isNewline).map(String.init)
    #expect(cities.contains(text.stored), "\(run)")
  }

  /// Another reading of the text, such as a name or plain words, would hide what is wrong.
  @Test(arguments: [
    ("list fields ", "if qty = 1 then "), ("list sort ", "if qty = 1 then "),
    ("list by ", "if qty = 1 then "), ("count where ", "("), ("set 1 qty:=", "abs("),
    ("filter ", "("),
  ])
  func whatIsNestedTooDeeplyNamesTheDepth(start: String, part: String) throws {
    try folder.write(start + String(repeating: part, count: 2000) + "qty = 1", to: "deep")
    let run = try folder.run(["a.csv", "--script", "deep"])
    #expect(run.errors.contains("nested at most 64 deep"), "\(start): \(run.errors.prefix(300))")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func aViewIsNotLostSilently() throws {
    let run = try run("a.csv", "filter qty > 1", "view save many")
    #expect(run.status == 1 && run.errors.contains("not by scripts"), "\(run)")
  }

  /// The hint names a command that works for the store, or none.
  @Test(arguments: [
    ("a.csv", false), ("new.catlog", true), ("new.json", true), ("new.db", true),
    ("other.db", false),
  ])
  func theHintForAViewFitsTheStore(location: String, hasRoom: Bool) throws {
    _ = try folder.database("other.db", "CREATE TABLE t (a INTEGER)")
    if location.hasPrefix("new.") { _ = try run(location, "entity create T n:integer", "save") }
    let saved = try run(location, "view save many")
    #expect(saved.status == 1 && saved.errors.contains("not by scripts"), "\(saved)")
    #expect(saved.errors.contains("\"view write\" keeps one") == hasRoom, "\(saved)")
    let written = try run(location, "view write many", "save")
    #expect((written.status == 0) == hasRoom, "\(written)")
    if !hasRoom {
      #expect(written.errors.contains("has no room for views; \"view save\", on the screen"))
    }
  }

  @Test func aSchemaFileIsReplacedOnlyOnRequest() throws {
    try folder.write("mine\n", to: "s.json")
    let refused = try run("a.csv", "schema export s.json")
    #expect(refused.status == 1, "\(refused)")
    #expect(
      refused.errors.contains("\"s.json\" already exists; choose another name, or use --replace")
    )
    #expect(try folder.read("s.json") == "mine\n")
    let replaced = try run("a.csv", "schema export s.json replace", "schema export t.json")
    #expect(replaced.status == 0, "\(replaced)")
    let byOption = try folder.run(["--replace", "a.csv", "-e", "schema export s.json"])
    #expect(byOption.status == 0, "\(byOption)")
    #expect(try folder.read("s.json").hasPrefix("{"))
  }

  @Test(arguments: ["new.catlog", "new.json", "new.db"])
  func theCheckListsAllViolationsBeforeASave(location: String) throws {
    let field = { (name: String) in
      "{\"name\": \"\(name)\", \"type\": \"text\", \"required\": true"
    }
    let fields = field("a") + ", \"unique\": true}, " + field("b") + "}"
    try folder.write(
      "{\"entities\": [{\"name\": \"P\", \"attributes\": [\(fields)]}]}",
      to: "s.json"
    )
    let lines = ["insert a=x b=1", "insert a=x b=2", "insert a=y", "insert a=x b=3", "insert b=4"]
    let run = try folder.run(
      ["--schema", "s.json", location] + (lines + ["check"]).flatMap { ["-e", $0] }
    )
    #expect(run.status == 1, "\(run)")
    let found = run.output.split(separator: "\n").filter { $0.hasPrefix("not saved: P.") }
    #expect(found.count == 4, "\(run)")
    #expect(found.count { $0.contains("P.a: must be unique; records ") } == 2, "\(run)")
    #expect(found.count { $0.contains(": a value is required (record ") } == 2, "\(run)")
  }

  @Test func statementsOfANewSchemaAreRefusedWithTheReason() throws {
    let run = try run("new.db", "import a.csv into Item", "changes sql")
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("the schema has unsaved changes (create Item); save them first"))
  }

  // MARK: Answers of web services

  @Test(arguments: [
    ("f.json", ["Up"], true), ("f.json#items", ["Up"], false),
    ("g.json#data.rows[1]", ["Soul"], false),
    ("g.json#[\"data\"].rows", ["Up", "Soul"], false),
  ])
  func theRecordsInADocumentAreImported(location: String, titles: [String], isNoted: Bool) throws {
    try folder.write("{\"next\": null,\n \"items\": [{\"title\": \"Up\"}]}", to: "f.json")
    try folder.write(
      "{\"data\": {\"rows\": [[{\"title\": \"No\"}], [{\"title\": \"Soul\"}]]}}",
      to: "g.json"
    )
    if location.hasSuffix("rows") {
      try folder.write(
        "{\"data\": {\"rows\": [{\"title\": \"Up\"}, {\"title\": \"Soul\"}]}}",
        to: "g.json"
      )
    }
    let run = try folder.run([
      "memory:", "-e", "import '\(location)' into Film", "-e", "list fields title", "-e", "quit!",
    ])
    #expect(run.output.hasSuffix("title\n" + titles.map { $0 + "\n" }.joined()), "\(run)")
    #expect(
      run.errors.contains("not read: next; the records are those of \"items\"") == isNoted,
      "\(run)"
    )
    let keyed = try folder.run([
      "films.json", "-e", "entity create Film title:text", "-e",
      "import '\(location)' into Film by title",
      "-e", "save",
    ])
    #expect(keyed.status == 0, "\(keyed)")
  }

  /// In a pipe, an object on one line may be a record; on several lines it is a document.
  @Test(arguments: [
    ("{\"next\": 1, \"items\": [{\"title\": \"Up\"}]}", "import '-#items'", ["Up"], ""),
    (
      "{\"next\": 1,\n \"items\": [{\"title\": \"Up\"}]}", "import -", ["Up"],
      "not read: next; the records are those of \"items\""
    ),
    (
      "{\"title\": \"Up\", \"items\": [{\"title\": \"No\"}]}", "import -", ["Up"],
      "one record was read; for the objects in \"items\", import \"-#items\""
    ),
    ("{\"title\": \"Up\"}\n{\"title\": \"Soul\"}\n", "import -", ["Up", "Soul"], ""),
  ])
  func anAnswerInAPipeIsImportedOrNoted(json: String, line: String, titles: [String], note: String)
    throws
  {
    let run = try folder.run(
      ["memory:", "-e", "\(line) into Film", "-e", "list fields title", "-e", "quit!"],
      input: json
    )
    #expect(run.output.hasSuffix("title\n" + titles.map { $0 + "\n" }.joined()), "\(run)")
    #expect(note.isEmpty ? run.errors.isEmpty : run.errors.contains(note), "\(run)")
  }

  /// A line end outside quotes stands for a space, or begins the next command.
  @Test(arguments: [
    ("set where true qty=7\ncity=Rome", "Rome"), ("set where true city=a\\\n qty=1", "a"),
    ("set where true city=\"a\nb\"", "a\nb"), ("set where true # all\ncity=b", "b"),
    ("set where true city=a\nset where true city=c", "c"),
    ("set where true city=a\r\nset where true city=d\r\n", "d"), ("set where true\r\ncity=e", "e"),
    ("set where true\n{\"city\":\n \"d\"}", "d"),
  ])
  func aLineEndOutsideQuotesIsASpace(text: String, city: String) throws {
    let run = try folder.run(["a.csv", "-e", text, "-e", "list limit 1 fields city", "-e", "quit!"])
    #expect(run.output == "city\n\(city.replacing("\n", with: "\\n"))\n", "\(run)")
  }

  @Test func anErrorInAPartHasItsLine() throws {
    try folder.write("{\"next\": 1,\n \"items\": [\n  {\"qty\": \"x\"}]}", to: "f.json")
    for location in ["f.json", "f.json#items"] {
      let run = try folder.run([
        "memory:", "-e", "entity create Item qty:integer", "-e",
        "import \(location) into Item by qty",
      ])
      #expect(run.errors.contains("\(location):3:"), "\(run)")
    }
    let missing = try run("memory:", "import f.json#nothing")
    #expect(missing.status == 1 && missing.errors.contains("no value at nothing"), "\(missing)")
  }

  @Test func aURLIsNotAFile() throws {
    let run = try run("memory:", "import https://user:pw@example.org/a.csv")
    #expect(run.status == 1 && run.errors.contains("cannot read https URLs; download"), "\(run)")
    #expect(!run.errors.contains("pw"))
  }

  // MARK: Keys and paths

  @Test func aNameInBackticksIsOneKey() throws {
    try folder.write("\"a,b\",c\n1,x\n2,y\n", to: "k.csv")
    for key in ["`a,b`", "`a,b`,c"] {
      let run = try run("k.csv", "upsert by \(key) `a,b`=2 c=y", "import k.csv by \(key)", "quit!")
      #expect(run.status == 0, "\(key): \(run)")
    }
    #expect(try run("k.csv", "diff k.csv by `a,b`").status == 0)
  }

  @Test func upsertSetsValuesInsideJSON() throws {
    let line = "upsert by k k=a plan.seats=4 plan.name=x"
    let run = try run(
      "p.json",
      "entity create P k:text plan:json",
      line,
      "save",
      line,
      "upsert by k k=a plan.seats=5",
      "save",
      "list fields plan"
    )
    #expect(
      run.output.contains("1 inserted, 0 updated, 0 unchanged")
        && run.output.contains("0 inserted, 0 updated, 1 unchanged")
        && run.output.contains("0 inserted, 1 updated, 0 unchanged"),
      "\(run)"
    )
    #expect(run.output.hasSuffix("plan\n{\"seats\":5,\"name\":\"x\"}\n"), "\(run)")
  }

  // MARK: Hints

  @Test(arguments: [
    ("count where city like \"O%\"", "0\n", true), ("count where not city like 'O%'", "3\n", true),
    ("count where city like \"O*\"", "2\n", false), ("count where city like \"%*\"", "0\n", false),
  ])
  func aPatternOfSQLIsNoted(line: String, output: String, isNoted: Bool) throws {
    let run = try run("a.csv", line)
    #expect(run.output == output && run.status == 0, "\(run)")
    #expect(run.errors.contains("% is an ordinary character; * is any text") == isNoted, "\(run)")
  }

  @Test func groupsOfAScriptAreCounts() throws {
    let run = try run("a.csv", "group city")
    #expect(run.output == "value\tcount\nOslo\t2\nRome\t1\n" && run.status == 0, "\(run)")
  }

  // MARK: Differences and checks

  @Test func differencesHaveTheirKey() throws {
    try folder.write("sku,city,qty\nA1,Oslo,9\nC3,Oslo,3\nD4,Bonn,4\n", to: "b.csv")
    let run = try run("a.csv", "diff b.csv by sku")
    let rows = run.output.split(separator: "\n").map { line in
      line.split(separator: "\t").enumerated().filter { $0.0 != 2 }.map { String($0.1) }
    }
    #expect(rows.first == ["op", "entity", "sku", "change"], "\(run)")
    #expect(rows.dropFirst().map { $0[2] } == ["D4", "A1", "B2"], "\(run)")
    let json = try folder.run(["a.csv", "--format", "jsonl", "-e", "diff b.csv by sku,city"])
    #expect(json.output.contains("\"key\": {\"sku\":\"A1\",\"city\":\"Oslo\"}"), "\(json)")
    let found = try self.run("a.csv", "diff b.csv")
    #expect(found.errors.contains("records matched by sku"), "\(found)")
    #expect(found.output.contains("\tsku\t"), "the key that was found is printed, too")
  }

  @Test func checkListsAllViolationsBeforeTheSave() throws {
    let lines = ["insert k=a n=x", "insert k=a", "insert k=b", "check"]
    let script = "entity create P k:text n:text!\n" + lines.joined(separator: "\n") + "\n"
    let run = try folder.run(["p.catlog"], input: script)
    #expect(run.status == 1, "\(run)")
    for name in ["t2", "t3"] {
      #expect(
        (run.output + run.errors).contains("P.n: a value is required (record \(name))"),
        "\(run)"
      )
    }
  }

  // MARK: Several commands

  @Test(arguments: [
    ("count\nlist fields sku where qty > 2", "3\nsku\nC3\n"), ("count\n", "3\n"),
    ("\ncount\n\n# a comment\ncount where qty = 1\n", "3\n1\n"),
    ("insert city='a\ncount' sku=x qty=1\ncount\nquit!", "t1\n4\n"),
    ("insert {\"city\": \"a\",\n \"sku\": \"x\"}\ncount\nquit!", "t1\n4\n"),
  ])
  func oneOptionCanHaveSeveralLines(text: String, output: String) throws {
    let run = try run("a.csv", text)
    #expect(run.output == output && run.status == 0, "\(run)")
  }

  @Test(arguments: [
    ("count; list", 6), ("count;list", 6), ("set where true city=a; save", 22), ("list ; save", 6),
  ])
  func aSemicolonIsNamed(text: String, column: Int) throws {
    let run = try run("a.csv", text)
    #expect(
      run.errors
        == "catalog: 1: column \(column): unexpected \";\"; give each command its own line, or its own -e\n",
      "\(run)"
    )
    #expect(run.status == 1 && run.output == "")
  }

  @Test func aSemicolonInATextIsText() throws {
    let run = try run(
      "a.csv",
      "insert sku=a;b city='c; list'",
      "count where sku = \"a;b\"",
      "quit!"
    )
    #expect(run.output == "t1\n1\n" && run.errors == "", "\(run)")
  }

  @Test func aContinuedLineIsNamed() throws {
    let run = try folder.run(["a.csv"], input: "list \\\n  limit 1\n")
    #expect(
      run.errors.contains(
        "1: column 6: unexpected \\ at the end of the line; a command is one line"
      )
    )
  }

  // MARK: History

  /// The histories in the state folder, and whether one has a text.
  private func histories(with text: String) throws -> (count: Int, hasText: Bool) {
    let path = folder.file(".local/state/catalog/history")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let files = names.filter { $0 != "paths" && !$0.hasSuffix(".lock") }
    let texts = try files.map { try Data(contentsOf: URL(fileURLWithPath: path + "/" + $0)) }
    return (files.count, texts.contains { $0.range(of: Data(text.utf8)) != nil })
  }

  @Test func theHistoryOfAFileThatIsGoneIsRemoved() throws {
    for (name, city) in [("one.csv", "Secretville"), ("two.csv", "Bonn"), ("three.csv", "Bern")] {
      try folder.write("k,city\n1,x\n", to: name)
      let run = try run(name, "set where k = 1 city=\(city)", "save")
      #expect(run.status == 0, "\(run)")
      if name == "one.csv" {
        #expect(try histories(with: "Secretville").hasText)
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
    let left = try histories(with: "Secretville")
    #expect(left.count == 2 && !left.hasText)
    // Those of other files are still there.
    #expect(try run("two.csv", "undo", "list fields city", "quit!").output == "city\nx\n")
  }
}
