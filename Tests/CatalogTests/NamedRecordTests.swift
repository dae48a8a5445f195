import Testing

/// Unsaved changes that named their records by fields, beside others, while another program writes the file.
@Suite struct NamedRecordTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("sku,name,price,stock\nA1,Pen,1.5,10\nB2,Ink,4,3\n", to: "shop.csv")
  }

  /// Types commands, lets another program write the file, and saves.
  private func saved(_ commands: [String], theirs: String, then last: String = "status") throws
    -> (output: String, file: String)
  {
    let run = try ScreenRun([folder.file("shop.csv"), "--plain"])
    #expect(run.shows("catalog> "))
    run.type((commands + ["expect 88"]).map { $0 + "\n" }.joined())
    #expect(run.shows("expected 88"), "\(run.received)")
    try folder.write("sku,name,price,stock\n\(theirs)", to: "shop.csv")
    run.type("save\n\(last)\nexpect 99\n")
    #expect(run.shows("expected 99"), "\(run.received)")
    run.type("quit!\n")
    _ = run.wait()
    return (run.received, try folder.read("shop.csv"))
  }

  private static let heading = "sku,name,price,stock\n"

  /// Formerly the name after `by` decided about the other record as well: the stock went to C3.
  @Test func aNameDecidesAboutItsRecordOnly() throws {
    let (_, file) = try saved(
      ["set 1 stock=9", "upsert by name name=Ink price=4.5"],
      theirs: "A1,Biro,1.5,10\nB2,Ink,4,3\nC3,Pen,7,1\n"
    )
    #expect(file == Self.heading + "A1,Biro,1.5,9\nB2,Ink,4.5,3\nC3,Pen,7,1\n")
  }

  @Test func theRecordWithTheNameGetsTheChange() throws {
    let (_, file) = try saved(
      ["upsert by name name=Pen price=2"],
      theirs: "A1,Biro,1.5,10\nB2,Ink,4,3\nC3,Pen,7,1\n"
    )
    // Their price differs from the former one, which is a conflict.
    #expect(file == Self.heading + "A1,Biro,1.5,10\nB2,Ink,4,3\nC3,Pen,7,1\n")
    let (_, other) = try saved(
      ["upsert by name name=Pen price=2"],
      theirs: "A1,Biro,1.5,10\nB2,Ink,4,3\nC3,Pen,7,1\n".replacing("C3,Pen,7", with: "C3,Pen,1.5")
    )
    #expect(other.contains("A1,Biro,1.5,10\n"))
  }

  @Test func anUndoneNameIsForgottenAndARedoneOneIsNot() throws {
    let theirs = "A1,Biro,1.5,10\nB2,Ink,4,3\nC3,Pen,1.5,1\n"
    let (_, undone) = try saved(
      ["upsert by name name=Pen price=2", "undo", "set 1 stock=9"],
      theirs: theirs
    )
    #expect(undone == Self.heading + theirs.replacing("Biro,1.5,10", with: "Biro,1.5,9"))
  }

  @Test func aRedoneNameDecidesAgain() throws {
    let theirs = "A1,Biro,1.5,10\nB2,Ink,4,3\nC3,Pen,1.5,1\n"
    let (_, redone) = try saved(
      ["upsert by name name=Pen price=2", "undo", "redo"],
      theirs: theirs
    )
    #expect(redone == Self.heading + theirs.replacing("C3,Pen,1.5", with: "C3,Pen,2"))
  }

  // MARK: How changes were merged

  @Test func theStatusSaysThatEqualRowsDecided() throws {
    try folder.write("sku,name,price,stock\n,milk,1,\n,egg,2,\n,milk,1,\n", to: "shop.csv")
    let (output, file) = try saved(
      ["set 2 price=3"],
      theirs: ",milk,1,\n,egg,2,\n,milk,1,\n,milk,1,\n"
    )
    #expect(file == Self.heading + ",milk,1,\n,egg,3,\n,milk,1,\n,milk,1,\n")
    #expect(output.contains("others: merged by equal rows"), "\(output)")
  }

  @Test func theStatusSaysNothingOfASureKey() throws {
    let (output, file) = try saved(["set 1 stock=9"], theirs: "B2,Ink,4,3\nA1,Pen,1.5,10\n")
    #expect(file == Self.heading + "B2,Ink,4,3\nA1,Pen,1.5,9\n")
    #expect(output.contains("unsaved: 0") && !output.contains("others:"), "\(output)")
  }

  // MARK: Comparing files

  private func diff(_ one: String, _ other: String, _ options: [String] = []) throws -> ProgramRun {
    try folder.write(one, to: "one.csv")
    try folder.write(other, to: "other.csv")
    return try folder.run(["one.csv"] + options + ["-e", "diff other.csv"])
  }

  @Test func aComparisonSaysByWhichFieldsRecordsWereMatched() throws {
    let one = "sku,name,price\nA1,Pen,1\nB2,Ink,2\n"
    let run = try diff(one, "sku,name,price\nB2,Ink,3\nA1,Pen,1\n")
    #expect(run.output == "op\tentity\tid\tsku\tchange\n~\tone\t2\tB2\tprice: 2 → 3\n")
    #expect(run.errors.hasPrefix("catalog: note: records matched by sku\n"), "\(run.errors)")
    let json = try diff(one, "sku,name,price\nB2,Ink,3\nA1,Pen,1\n", ["--format", "jsonl"])
    #expect(json.output.contains(#""key": {"sku":"B2"}"#), "\(json.output)")
    #expect(!json.output.contains("matched"))
  }

  @Test func aComparisonOfEqualRowsNamesUncertainRecords() throws {
    let run = try diff(
      "name,color\nPen,red\nPen,red\nInk,blue\n",
      "name,color\nPen,red\nInk,grey\n"
    )
    #expect(run.errors.contains("note: records matched by equal rows"), "\(run.errors)")
    let hint = "1 record may be in the other file with other values; add \"by FIELD\""
    #expect(run.errors.contains("removed; " + hint), "\(run.errors)")
    #expect(run.output.hasPrefix("op\tentity\tid\tchange\n"), "\(run.output)")
  }
}
