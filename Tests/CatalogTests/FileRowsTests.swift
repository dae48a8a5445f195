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
    ("a.csv", "name,qty\nA\n", "a.csv:2:1: 1 value, but the header has 2 fields"),
    ("a.csv", "name,qty\nA,1,2\n", "a.csv:2:5: 3 values, but the header has 2 fields"),
    ("a.csv", "name,qty\nA,1\nB,\"2\n", "a.csv:3:3: unclosed quote"),
    ("a.csv", "name,qty\nA,1\nB\",2\n", "a.csv:3:1: unexpected quote"),
    ("a.csv", "name,qty,name\nA,1,B\n", "a.csv:1:10: duplicate column \"name\""),
    ("a.csv", "name,qty\nA,\n", "a.csv:2:3: qty: a value is required"),
    ("a.csv", "name,qty\nA,1\nB,\u{0}\n", "a.csv:3:3: "),
    ("a.tsv", "name\tqty\nA\\x\t1\n", "a.tsv:2:2: invalid escape"),
    ("a.json", "[{\"name\": \"A\",\n \"qty\": }]", "a.json:2:9: invalid JSON: expected a value"),
    ("a.json", "[{\"qty\": 1},\n {\"qty\": \"x\"}]", "a.json:2:10: qty: "),
    ("a.json", "[{\"qty\": 1, \"qty\": 2}]", "a.json:1:19: duplicate key"),
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

  @Test func eachListsRecordsOfEveryRow() throws {
    try folder.write("who\nA\nC\n", to: "a.csv")
    let setup = ["insert name=A qty=1", "insert name=B qty=2", "insert name=C qty=3"]
    let command = "each a.csv list where name = $who fields name,qty"
    let run = try run(setup + [command])
    #expect(run.output == "t1\nt2\nt3\nname\tqty\nA\t1\nname\tqty\nC\t3\n", "\(run)")
    let quiet = try self.run(setup + [command], ["--quiet"])
    #expect(quiet.output == "name\tqty\nA\t1\nname\tqty\nC\t3\n", "\(quiet)")
    let answered = try self.run(setup + [command], ["--answers", "jsonl"])
    let answer = try #require(answered.output.split(separator: "\n").dropFirst(4).first)
    #expect(
      answer.hasSuffix(
        #""answers":[{"records":[{"name": "A", "qty": 1}]},{"records":[{"name": "C", "qty": 3}]}],"count":2}"#
      ),
      "\(answer)"
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
}
