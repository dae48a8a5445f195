import Foundation
import Testing

/// Files of rows: where their errors are, and commands that run for each of them.
@Suite struct FileRowsTests {
  private let folder: TemporaryFolder
  private static let store = [
    "memory:", "-e", "entity create Item name:text qty:integer! data:json",
  ]

  init() throws { folder = try TemporaryFolder() }

  private func run(_ commands: [String], _ options: [String] = []) throws -> ProgramRun {
    try folder.run(Self.store + options + commands.flatMap { ["-e", $0] } + ["-e", "quit!"])
  }

  @Test(arguments: [
    ("a.csv", "name,qty\nA,1\nBö,x\n", "a.csv:3:4: qty: "),
    ("a.csv", "name,qty\nA", "a.csv:2:1: 1 value, but the header has 2 fields"),
    ("a.csv", "name,qty\nA,1,2\n", "a.csv:2: Item has no field \"column3\""),
    ("a.csv", "name,qty\nA,1\nB,\"2\n", "a.csv:3:3: unclosed quote"),
    ("a.csv", "name,qty\nA,1\nB\",z\n", "a.csv:3:4: qty: "),
    ("a.csv", "name,qty,name\nA,1,B\n", "a.csv:1:10: duplicate column \"name\""),
    ("a.csv", "name,qty\nA,\n", "a.csv:2:3: qty: a value is required"),
    ("a.csv", "name,qty\nA,1\nB,\u{0}\n", "a.csv:3:3: "),
    ("a.tsv", "name\tqty\nA\\x\tz\n", "a.tsv:2:5: qty: "),
    ("a.json", "[{\"name\": \"A\",\n \"qty\": }]", "a.json:2:9: invalid JSON: expected a value"),
    ("a.json", "[{\"qty\": 1},\n {\"qty\": \"x\"}]", "a.json:2:10: qty: "),
    ("a.json", "[{\"qty\": 1, \"qty\": 2}]", "a.json:1:13: invalid JSON: duplicate key"),
    ("a.jsonl", "{\"qty\": 1}\n{\"qty\" 1}\n", "a.jsonl:2:8: invalid JSON: expected a colon"),
  ])
  func errorsNameLineAndColumn(file: String, text: String, message: String) throws {
    try folder.write(text, to: file)
    for clause in ["", " by name"] {
      let run = try run(["import \(file) into Item\(clause)"])
      #expect(run.status == 1, "\(run)")
      if clause.isEmpty { #expect(run.errors.hasPrefix("catalog: 2: " + message), "\(run.errors)") }
    }
  }

  @Test func aParameterIsANumberInsideJSONOnlyInPlaceOfOne() throws {
    try folder.write(#"{"z": "10115", "n": 5}"# + "\n", to: "a.jsonl")
    let run = try run(
      [
        #"insert {"name": "A", "qty": 1, "data": {"size": 1, "on": true, "code": "x"}}"#,
        "set where true data.zip=$zip data.size=$zip data.on=$off data.code=$zip",
        "each a.jsonl set where true data.z=$z data.n=$n", "list fields data",
      ],
      ["--arg", "zip", "10115", "--arg", "off", "false"]
    )
    let json =
      #"{"size":10115,"on":false,"code":"10115","zip":"10115","z":"10115","n":5}"#
    #expect(run.output.hasSuffix("data\n\(json)\n"), "\(run)")
  }

  @Test func eachListsRecordsOfEveryRow() throws {
    try folder.write("who\nA\nC\n", to: "a.csv")
    let setup = ["insert name=A qty=1", "insert name=B qty=2", "insert name=C qty=3"]
    let command = "each a.csv list where name = $who fields name,qty"
    let run = try run(setup + [command])
    #expect(run.output == "t1\nt2\nt3\nname\tqty\nA\t1\nC\t3\n", "\(run)")
    let quiet = try self.run(setup + [command], ["--quiet"])
    #expect(quiet.output == "name\tqty\nA\t1\nC\t3\n", "\(quiet)")
    let answered = try self.run(setup + [command], ["--answers", "jsonl"])
    let answer = try #require(answered.output.split(separator: "\n").dropFirst(4).first)
    #expect(
      answer.hasSuffix(
        #""answers":[{"records":[{"name": "A", "qty": 1}]},{"records":[{"name": "C", "qty": 3}]}],"count":2}"#
      ),
      "\(answer)"
    )
  }

  /// After some rows, records are found by an index of their values, which deletions and other changes leave valid.
  @Test func eachFindsTheRecordsOfManyRows() throws {
    let names = (0..<120).map { "n\($0 % 100)" }
    try folder.write("name,qty\n" + names.map { "\($0),1\n" }.joined(), to: "new.csv")
    try folder.write("who\n" + (0..<110).map { "n\($0)\n" }.joined(), to: "who.csv")
    try folder.write("old,new\n" + (1..<90).map { "\($0),\($0 + 1)\n" }.joined(), to: "chain.csv")
    let run = try run([
      "import new.csv into Item", "each who.csv set where name=$who qty=2", "count where qty=2",
      "set where name=\"n7\" qty=1",
      "each chain.csv set where qty=$old qty=$new", "count where qty=3",
      "each who.csv delete where name=$who expect <3", "count",
    ])
    #expect(run.status == 0, "\(run)")
    #expect(
      run.output.split(separator: "\n").suffix(3) == ["120", "118", "0"],
      "\(run.output) \(run.errors)"
    )
  }

  @Test func eachShowsRecords() throws {
    try folder.write("id\nt1\nt2\n", to: "a.csv")
    let setup = ["insert name=A qty=1", "insert name=B qty=2"]
    let run = try run(setup + ["each a.csv show $id"], ["--format", "jsonl"])
    #expect(
      run.output
        == """
        t1
        t2
        {"id": "t1", "name": "A", "qty": 1, "data": null}
        {"id": "t2", "name": "B", "qty": 2, "data": null}

        """,
      "\(run)"
    )
    let answered = try self.run(setup + ["each a.csv show $id"], ["--answers", "jsonl"])
    #expect(answered.output.contains(#""answers":[{"record":{"id": "t1","#), "\(answered)")
  }

  @Test func membersThatARowLacksAreMissing() throws {
    try folder.write("{\"d\": 1}\n{\"a\": \"B\", \"d\": 2}\n", to: "a.jsonl")
    let run = try run(["each a.jsonl insert name=$a qty=$d", "list fields name,qty"])
    #expect(run.output == "t1\nt2\nname\tqty\n\t1\nB\t2\n", "\(run)")
    let unknown = try self.run(["each a.jsonl insert name=$b qty=1"])
    #expect(unknown.errors.contains("unknown parameter \"$b\""), "\(unknown)")
  }

  @Test func jsonIsComparedByContent() throws {
    let setup = [#"insert name=A qty=1 data='{"a": 1, "b": [1, 2]}'"#]
    try folder.write(
      "[{\"name\": \"A\", \"qty\": 2, \"data\": { \"b\" : [1,2.0], \"a\":1 }}]",
      to: "a.json"
    )
    try folder.write(
      "[{\"name\": \"A\", \"qty\": 2, \"data\": {\"a\": 1, \"b\": [2, 1]}}]",
      to: "b.json"
    )
    let run = try run(
      setup + ["import a.json into Item by name", "list fields data"]
        + ["import a.json into Item by name", "import b.json into Item by name"]
    )
    #expect(
      run.output
        == """
        t1
        imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted
        data
        {"a":1,"b":[1,2]}
        imported: 0 inserted, 0 updated, 1 unchanged, 0 deleted
        imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted

        """,
      "\(run)"
    )
  }

  @Test func mirrorCanExpectANumber() throws {
    let setup = ["insert name=A qty=1", "insert name=B qty=2", "insert name=C qty=3"]
    try folder.write("name,qty\nA,5\n", to: "a.csv")
    let refused = try run(setup + ["import a.csv by name mirror expect <=1"])
    #expect(refused.errors.contains("expected at most 1 record, found 2"), "\(refused)")
    let kept = try run(
      setup + ["import a.csv by name mirror expect 1", "count where qty = 1", "count"],
      ["--keep-going"]
    )
    #expect(kept.output.hasSuffix("t3\n1\n3\n"), "\(kept)")
    let done = try run(setup + ["import a.csv by name mirror expect 2", "count"])
    #expect(done.output.hasSuffix("2 deleted\n1\n"), "\(done)")
  }

  @Test(arguments: ["'a''b'", "\"a\"\"b\"", "'a'\"b\"", "ab"])
  func quotesMeanTheSameInWordsAndPredicates(text: String) throws {
    let quoted = text == "ab" ? "'ab'" : text
    let run = try run(
      ["insert name=\(text) qty=1", "count where name = \(quoted)", "count where name = 'ab'"]
    )
    #expect(run.output == "t1\n1\n1\n", "\(run)")
  }

  @Test func valuesOfJSONRowsStayJSON() throws {
    try folder.write(
      "{\"a\": {\"x\": [1]}, \"b\": 1.50, \"c\": true, \"d\": \"[1]\"}\n",
      to: "rows.jsonl"
    )
    let run = try self.run(
      ["a", "b", "c", "d"].map { "each rows.jsonl insert qty=1 name=\($0) data=$\($0)" }
        + ["each rows.jsonl set where name = 'a' data.y=$a", "list fields data"],
      ["--quiet", "--format", "jsonl"]
    )
    #expect(
      run.output == """
        {"data": {"x":[1],"y":{"x":[1]}}}
        {"data": 1.50}
        {"data": true}
        {"data": "[1]"}

        """,
      "\(run)"
    )
  }

  /// A NUL in quotes is a character like others, and is refused outside of them.
  @Test func aNULIsExportedSoThatItCanBeOpened() throws {
    try folder.write(#"[{"a": "x\u0000y"}]"#, to: "a.json")
    let run = try folder.run(["a.json", "-e", "export b.csv", "-e", "export b.tsv"])
    #expect(run.status == 1 && run.errors.contains("2: the records contain a NUL"), "\(run)")
    #expect(try folder.read("b.csv") == "a\r\n\"x\u{0}y\"\r\n")
    for arguments in [["b.csv"], ["memory:", "-e", "import b.csv into E"]] {
      let run = try folder.run(
        arguments + ["--quiet", "--format", "jsonl", "-e", "list fields a", "-e", "quit!"]
      )
      #expect(run.output == #"{"a": "x\u0000y"}"# + "\n", "\(run)")
    }
    let edited = try folder.run(["b.csv", "-e", #"insert a="p\u{0}""#, "-e", "save"])
    #expect(edited.status == 0, "\(edited)")
    #expect(try folder.read("b.csv") == "a\r\n\"x\u{0}y\"\r\n\"p\u{0}\"\r\n")
    try folder.write("a\nx\u{0}y\n", to: "c.csv")
    let refused = try folder.run(["memory:", "-e", "import c.csv into E"])
    #expect(
      refused.status == 1 && refused.errors.contains("c.csv:2:2: NUL byte outside"),
      "\(refused)"
    )
    #expect(try folder.run(["c.csv", "-e", "list"]).status == 4)
  }

  /// A line feed in the name of a file does not begin a line of output.
  @Test func namesOfFilesStayOnOneLine() throws {
    try folder.write("[{\"a\": 1}]", to: "x\ny.json")
    let run = try folder.run(["x\ny.json", "-e", "status", "-e", #"saveas "p\nq.json""#])
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "store: x↵y.json" && lines[1] == "x↵y: 1", "\(run)")
    #expect(lines.last == "saved 1 record to p↵q.json", "\(run)")
  }

  /// A key that several records have is reported at its place in the file.
  @Test func aDuplicateKeyInTheStoreIsReportedWithItsColumn() throws {
    try folder.write("qty,name\n1,B\n2,A\n", to: "rows.csv")
    let run = try run(["insert name=A qty=1", "insert name=A qty=2", "import rows.csv by name"])
    #expect(
      run.status == 1 && run.errors.contains(#"rows.csv:3:3: duplicate key name "A" in the store"#),
      "\(run)"
    )
  }
}
