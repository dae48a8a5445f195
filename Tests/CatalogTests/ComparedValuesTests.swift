import Testing

/// `diff` compares values, not the types that files happen to have.
@Suite struct ComparedValuesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func diff(_ store: String, _ command: String) throws -> ProgramRun {
    try folder.run([store, "-e", command])
  }

  private static let pairs: [(own: String, other: String, lines: [String])] = [
    ("k,n\nA,1\nB,2\nC,3\n", "k,n\nA,1.5\nB,2\nC,3\n", ["n: 1 → 1.5"]),
    ("k,n\nA,1\nB,2\n", "k,n\nA,1\nB,n/a\n", ["n: 2 → \"n/a\""]),
    (
      "k,d\nA,2020-01-01\nB,2020-01-02\n", "k,d\nA,2020-01-01\nB,n/a\n", ["d: 2020-01-02 → \"n/a\""]
    ),
    ("k,n\nA,1\nB,2\n", "k,n\nA,1\nB,\n", ["n: 2 → "]),
    ("k,n\n1,1\n2,2\n", "k,n\n1,1\n2.5,2\n", ["-\t", "+\t"]),
    ("k,n\n1,1\n2,2\n", "k,n\n1,1\nx,2\n", ["-\t", "+\t"]),
  ]

  @Test(arguments: pairs)
  func oneValueOfAnotherTypeIsOneDifference(own: String, other: String, lines: [String]) throws {
    try folder.write(own, to: "y.csv")
    try folder.write(other, to: "t.csv")
    for (first, second) in [("y.csv", "t.csv"), ("t.csv", "y.csv")] {
      let run = try diff(first, "diff \(second) by k")
      #expect(run.status == 1, "\(run)")
      #expect(run.errors.contains("\(lines.count) difference"), "\(run)")
      if first == "y.csv" {
        #expect(lines.allSatisfy { run.output.contains($0) }, "\(run)")
      }
    }
  }

  /// Formerly a price without decimals made all rows of an export differ from its store.
  @Test(arguments: ["csv", "tsv", "json", "jsonl"])
  func aStoreIsEqualToItsExports(format: String) throws {
    let made = try folder.run([
      "a.catlog", "-e",
      "entity create P k:text! price:decimal x:number day:date at:datetime u:uuid ok:boolean code:text j:json",
      "-e",
      "insert k=1 price=1.00 x=2 day=2020-01-01 at=2020-01-01T00:00:00Z ok=true code=7 j=5", "-e",
      "insert k=2 price=2.5 x=2.5 code=007 j=\"[1, 2]\"", "-e", "insert k=3", "-e", "save", "-e",
      "export e.\(format) fields k,price,x,day,at,u,ok,code,j",
    ])
    #expect(made.status == 0, "\(made)")
    let forth = try diff("a.catlog", "diff e.\(format) by k")
    #expect(forth.status == 0, "\(forth)")
    let back = try diff("e.\(format)", "diff a.catlog by k")
    #expect(back.status == 0, "\(back)")
    let imported = try diff("a.catlog", "import e.\(format) by k")
    #expect(imported.output.contains("3 unchanged"), "\(imported)")
  }

  @Test func declaredTypesStillDiffer() throws {
    for (name, type) in [("a", "text"), ("b", "integer"), ("c", "decimal")] {
      _ = try folder.run([
        "\(name).catlog", "-e", "entity create E k:text n:\(type)", "-e", "insert k=x n=1", "-e",
        "save",
      ])
    }
    #expect(try diff("a.catlog", "diff b.catlog by k").status == 1)
    #expect(try diff("b.catlog", "diff c.catlog by k").status == 0)
  }

  /// An import keeps the spelling in a text field.
  @Test func textsAreComparedAsTheyAreInTheFile() throws {
    try folder.write("code,v\na,1.50\nb,2\nd,1E2\ne,TRUE\n", to: "t.csv")
    let made = try folder.run([
      "a.catlog", "-e", "entity create t code:text v:text", "-e", "import t.csv by code", "-e",
      "save",
    ])
    #expect(made.status == 0, "\(made)")
    try folder.write("code,v\na,1.50\nb,2\nd,1E2\n", to: "n.csv")
    #expect(try diff("a.catlog", "diff t.csv by code").status == 0)
    #expect(try diff("t.csv", "diff a.catlog by code").status == 0)
    _ = try folder.run(["a.catlog", "-e", "delete where code = \"e\"", "-e", "save"])
    let numbers = try diff("a.catlog", "diff n.csv by code")
    #expect(numbers.status == 0, "\(numbers)")
    #expect(try diff("n.csv", "diff a.catlog by code").status == 0)
    #expect(try diff("a.catlog", "diff n.csv by v").status == 0)
    try folder.write("code,v\na,1.5\nb,2\nd,1E2\n", to: "n.csv")
    let changed = try diff("a.catlog", "diff n.csv by code")
    #expect(changed.status == 1 && changed.output.contains("v: \"1.50\" → \"1.5\""), "\(changed)")
    let edited = try folder.run(["n.csv", "-e", "set 1 v=7", "-e", "diff a.catlog by code"])
    #expect(edited.output.contains("v: \"7\" → \"1.50\""), "\(edited)")
  }

  @Test func numbersAreComparedAsADatabaseKeepsThem() throws {
    try folder.database(
      "m.db",
      "CREATE TABLE m (k TEXT PRIMARY KEY, n INTEGER)",
      "INSERT INTO m VALUES ('a', 8), ('b', 'abc'), ('c', 1000)"
    )
    for text in ["k,n\na,8.0\nb,abc\nc,1e3\n", "k,n\na,8.0\nc,1e3\n"] {
      try folder.write(text, to: "m.csv")
      let imported = try diff("m.db", "import m.csv by k")
      #expect(imported.output.contains("0 inserted, 0 updated"), "\(imported)")
      let run = try diff("m.db", "diff m.csv by k")
      #expect(!run.output.contains("~"), "\(run)")
    }
  }

  @Test(arguments: ["csv", "json", "jsonl"])
  func theIdentifiersOfAnExportAreNoValues(format: String) throws {
    try folder.database(
      "q.db",
      "CREATE TABLE q (id INTEGER PRIMARY KEY, v TEXT)",
      "INSERT INTO q VALUES (1, 'a'), (7, 'b')"
    )
    let export = try diff("q.db", "export q.\(format)")
    let text = try folder.read("q.\(format)")
    #expect(export.status == 0 && text.contains("_id"), "\(export)")
    let forth = try diff("q.db", "diff q.\(format) by id")
    #expect(forth.status == 0, "\(forth)")
    let back = try diff("q.\(format)", "diff q.db by id")
    #expect(back.status == 0, "\(back)")
    // A file has no other identifiers than its values.
    try folder.write("_id,id,v\n1,1,a\n8,7,b\n", to: "x.csv")
    try folder.write("id,v\n1,a\n7,b\n", to: "y.csv")
    #expect(try diff("y.csv", "diff x.csv by id").status == 1)
  }
}
