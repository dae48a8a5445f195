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
}
