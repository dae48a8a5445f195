import Testing

/// Files that are imported by a key, and files whose types follow from their values.
@Suite struct ForeignKeyedFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ store: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([store] + commands.flatMap { ["-e", $0] })
  }

  /// Formerly the same object with its members in another order was a new record, and the old one was deleted.
  @Test func aJSONKeyIsComparedByItsContent() throws {
    let made = try run(
      "a.catlog",
      "entity create E j:json n:integer",
      #"insert {"j":{"a":1,"b":2.50},"n":1}"#,
      "save"
    )
    #expect(made.status == 0, "\(made)")
    try folder.write(#"{"j":{"b":2.5,"a":1},"n":2}"#, to: "k.jsonl")
    let mirrored = try run("a.catlog", "import k.jsonl by j mirror", "quit!")
    #expect(
      mirrored.output == "imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted\n",
      "\(mirrored)"
    )
    try folder.write("{\"j\":{\"b\":1,\"a\":1}}\n{\"j\":{\"a\":1,\"b\":1}}\n", to: "two.jsonl")
    let twice = try run("a.catlog", "import two.jsonl by j")
    #expect(twice.errors.contains("two.jsonl:2:6: duplicate key"), "\(twice)")
    let same = try run("a.catlog", "export k2.jsonl fields j", "diff k2.jsonl by j")
    #expect(same.output.contains("n: 1 →"), "\(same)")
  }

  @Test func whatAFileCreatesCanBeImportedByAKey() throws {
    let text = "{\"k\":\"a\",\"v\":1}\n{\"k\":\"b\",\"v\":\"x\"}\n"
    try folder.write(text, to: "mx.jsonl")
    let keyed = try run("memory:", "import mx.jsonl into E by k", "list fields k,v", "quit!")
    #expect(keyed.output.hasSuffix("k\tv\na\t1\nb\tx\n"), "\(keyed)")
    try folder.write(text, to: "copy.jsonl")
    let again = try run(
      "copy.jsonl",
      "import mx.jsonl by k",
      "import mx.jsonl by v",
      "import mx.jsonl"
    )
    #expect(
      again.output.hasPrefix(
        String(repeating: "imported: 0 inserted, 0 updated, 2 unchanged, 0 deleted\n", count: 2)
      ),
      "\(again)"
    )
    #expect(again.output.contains("imported 2 records"), "\(again)")
    #expect(try folder.read("copy.jsonl") == text)
  }

  @Test func aNumberIsALinkToAnIntegerKey() throws {
    try folder.database(
      "u.db",
      "CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE o (k TEXT PRIMARY KEY, uid INTEGER REFERENCES u(id))",
      "INSERT INTO u VALUES (12345, 'Ada')"
    )
    try folder.write(#"{"k":"a","uid":12345}"#, to: "o.jsonl")
    for command in ["import o.jsonl into o", "import o.jsonl into o by k"] {
      let linked = try run("u.db", command, "list o fields k,uid.name", "quit!")
      #expect(linked.output.hasSuffix("a\tAda\n"), "\(linked)")
    }
  }

  @Test(arguments: ["[]", "{\"E\":[]}", "{}"])
  func aMirrorOfNothingIsRefused(text: String) throws {
    _ = try run("a.catlog", "entity create E k:text", "insert k=a", "save")
    try folder.write(text, to: "none.json")
    let run = try run("a.catlog", "import none.json by k mirror")
    #expect(run.status == 1 && run.errors.contains("mirror: the file has no records"), "\(run)")
    #expect(try self.run("a.catlog", "import none.json by k").status == 0)
  }

  @Test func aMirrorOfTwoEntitiesNeedsRecordsOfBoth() throws {
    _ = try run(
      "a.catlog",
      "entity create A k:text",
      "entity create B k:text",
      "insert A k=a",
      "insert B k=b",
      "save"
    )
    try folder.write("{\"A\":[{\"k\":\"a\"}],\"B\":[]}", to: "ab.json")
    let refused = try run("a.catlog", "import ab.json by k mirror")
    #expect(refused.status == 1 && refused.errors.contains("\"delete B where true\""), "\(refused)")
    _ = try run("a.catlog", "delete B where true", "save")
    #expect(try run("a.catlog", "import ab.json by k mirror").status == 0)
  }

  /// Formerly a file of another program that all records were deleted from could not be filled again.
  @Test(arguments: [
    ("b.json", "[{\"k\":\"a\",\"v\":1}]", "[]"), ("b.jsonl", "{\"k\":\"a\",\"v\":1}\n", ""),
    ("b.json", "{\"b\":[{\"k\":\"a\",\"v\":1}]}", "{\"b\":[]}"),
  ])
  func anEmptiedFileTakesRecordsAgain(name: String, text: String, empty: String) throws {
    try folder.write("{\"k\":\"a\",\"v\":1}\n", to: "in.jsonl")
    for command in ["import in.jsonl by k", "import in.jsonl", "import in.jsonl by k mirror"] {
      try folder.write(text, to: name)
      let emptied = try run(name, "delete where true", "save")
      #expect(emptied.status == 0, "\(emptied)")
      #expect(try folder.read(name) == empty)
      let filled = try run(name, command, "save")
      #expect(filled.status == 0 && filled.output.contains("saved: 1 inserted"), "\(filled)")
      let list = try run(name, "list where v > 0 fields k,v")
      #expect(list.output == "k\tv\na\t1\n", "\(list)")
    }
  }

  @Test func aHeaderAloneTakesNumbersOfJSON() throws {
    try folder.write("k,v,b\n", to: "h.csv")
    try folder.write(#"{"k":"a","v":1.50,"b":true}"#, to: "in.jsonl")
    let run = try run("h.csv", "import in.jsonl by k", "save")
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("h.csv") == "k,v,b\na,1.50,true\n")
  }
}
