import Testing

/// `each … set where` finds the records of all rows before it changes any, so that rows cannot chain.
@Suite struct ExchangedValuesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("old,new\nA,B\nB,C\nC,A\n", to: "names.csv")
    try folder.write("k,v\nA,1\nB,2\nC,3\nD,4\n", to: "t.csv")
  }

  /// Every kind of store, with a table of names in each format.
  @Test(
    arguments: ["t.csv", "t.json", "t.jsonl", "t.catlog", "t.db"],
    ["names.csv", "names.jsonl"]
  )
  func namesAreExchanged(store: String, names: String) throws {
    try folder.write(
      ["A B", "B C", "C A"].map { pair in
        let pair = pair.split(separator: " ")
        return "{\"old\": \"\(pair[0])\", \"new\": \"\(pair[1])\"}\n"
      }.joined(),
      to: "names.jsonl"
    )
    if store != "t.csv" { #expect(try folder.run(["t.csv", "--to", store]).status == 0) }
    let run = try folder.run([
      store, "-e", "each \(names) set where k = $old k=$new", "-e", "save",
      "-e", "list sort v fields k,v",
    ])
    #expect(
      run.output == "saved: 0 inserted, 3 updated, 0 deleted\nk\tv\nB\t1\nC\t2\nA\t3\nD\t4\n",
      "\(run)"
    )
    // The whole command is one step, also in a later run.
    let undone = try folder.run([store, "-e", "undo", "-e", "save", "-e", "list sort v fields k"])
    #expect(undone.output.hasSuffix("k\nA\nB\nC\nD\n"), "\(undone)")
  }

  @Test func laterRowsWinWhereSeveralMatch() throws {
    try folder.write("low,to\n1,x\n3,y\n", to: "limits.csv")
    let run = try folder.run([
      "t.csv", "-e", "each limits.csv set where v >= $low k=$to", "-e", "list fields k,v",
      "-e", "quit!",
    ])
    #expect(run.output == "k\tv\nx\t1\nx\t2\ny\t3\ny\t4\n", "\(run)")
  }

  @Test func aRowThatIsWrongIsNamedAndNothingChanges() throws {
    try folder.write("old,new\n1,5\n2,x\n", to: "numbers.csv")
    try folder.write("old\n1\n7\n", to: "none.csv")
    let run = try folder.run([
      "t.csv", "--keep-going", "-e", "each numbers.csv set where v = $old v=$new expect 1",
      "-e", "changes", "-e", "each none.csv set where v = $old k=z expect 1", "-e", "changes",
    ])
    #expect(run.errors.contains("1: numbers.csv:3: "), "\(run)")
    #expect(run.errors.contains("3: none.csv:3: expected 1 record, found 0"), "\(run)")
    #expect(!run.output.contains("~"), "\(run)")
  }

  /// Codes turn a column into text in the middle of the rows.
  @Test func codesAndNumbersAreSetTogether() throws {
    try folder.write("k,n\nA,5\nB,007\nC,6\n", to: "codes.csv")
    let run = try folder.run([
      "t.csv", "-e", "each codes.csv set where k = $k v=$n", "-e", "save", "-e", "list fields k,v",
    ])
    #expect(run.output.hasSuffix("k\tv\nA\t5\nB\t007\nC\t6\nD\t4\n"), "\(run)")
  }
}
