import Testing

/// Numbers of a column that keeps zeros at the end, such as prices.
@Suite struct DecimalPlacesTests {
  @Test(arguments: [
    // All numbers have two digits.
    ("p\n12.50\n9.99\n", "set 1 p=3", "p\n3.00\n9.99\n"),
    ("p\n12.50\n9.99\n", "set 2 p=10.5", "p\n12.50\n10.50\n"),
    ("p\n12.50\n9.99\n", "set 2 p:=p + 0.01", "p\n12.50\n10.00\n"),
    ("p\n12.50\n9.99\n", "insert p=-0.1", "p\n12.50\n9.99\n-0.10\n"),
    ("p\n12.50\n9.99\n", "set 2 p=1.125", "p\n12.50\n1.125\n"),
    ("p;q\n\"12.50\";1\n\"9.99\";2\n", "set 2 p=4", "p;q\n\"12.50\";1\n\"4.00\";2\n"),
    // Whole numbers have no point here.
    ("p\n12.50\n9\n", "set 2 p=7", "p\n12.50\n7\n"),
    ("p\n12.50\n9\n", "set 2 p=7.1", "p\n12.50\n7.10\n"),
    // Digits differ, or no zero tells that they are meant.
    ("p\n12.50\n9.9\n", "set 2 p=7.1", "p\n12.50\n7.1\n"),
    ("p\n12.55\n9.99\n", "set 2 p=7.1", "p\n12.55\n7.1\n"),
    // Codes stay texts.
    ("p\n12.50\n007\n", "set 2 p=7.1", "p\n12.50\n7.1\n"),
  ])
  func aNewNumberHasThePlacesOfItsColumn(before: String, line: String, after: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(before, to: "a.csv")
    let run = try folder.run(["a.csv", "-e", line, "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("a.csv") == after)
    let undone = try folder.run(["a.csv", "-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone)")
    #expect(try folder.read("a.csv") == before)
  }

  /// Files with decimal commas or groups of digits.
  @Test(arguments: [
    ("decimal=comma", "p;q\n12,50;1\n9,99;2\n", "set 1 p=3", "p;q\n3,00;1\n9,99;2\n"),
    ("decimal=comma", "p;q\n12,50;1\n9,99;2\n", "insert p=0.1", "p;q\n12,50;1\n9,99;2\n0,10;\n"),
    (
      "decimal=comma thousands=.", "p;q\n1.200,50;1\n9,99;2\n", "set 1 p=4000",
      "p;q\n4.000,00;1\n9,99;2\n"
    ),
    (
      "thousands=,", "p;q\n\"1,200.50\";1\n9.99;2\n", "set 2 p=4.5", "p;q\n\"1,200.50\";1\n4.50;2\n"
    ),
    ("decimal=comma", "p;q\n12,55;1\n9,99;2\n", "set 1 p=3", "p;q\n3;1\n9,99;2\n"),
  ])
  func numbersInOtherFormsHaveThemToo(options: String, before: String, line: String, after: String)
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(before, to: "a.csv")
    let run = try folder.run(["a.csv", "--read", options, "-e", line, "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("a.csv") == after)
    let undone = try folder.run(["a.csv", "--read", options, "-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone)")
    #expect(try folder.read("a.csv") == before)
  }

  /// Copies and exports have the digits of the file, as the screen does; programs get numbers.
  @Test func numbersKeepThePlacesElsewhere() throws {
    let folder = try TemporaryFolder()
    let text = "p,q\n12.50,1.5\n9.00,2.25\n"
    try folder.write(text, to: "a.csv")
    func run(_ arguments: String..., keys: String = "") throws -> String {
      let run = try folder.run(arguments, input: keys)
      #expect(run.status == 0, "\(run)")
      return run.output
    }
    _ = try run("a.csv", "-e", "saveas b.csv")
    _ = try run("a.csv", "-e", "set 1 p=3", "-e", "export c.csv", "-e", "quit!")
    _ = try run("a.csv", "--to", "d.csv")
    for name in ["b.csv", "d.csv"] { #expect(try folder.read(name) == text, "\(name)") }
    #expect(try folder.read("c.csv") == "p,q\r\n3.00,1.5\r\n9.00,2.25\r\n")
    let tabs = try run("a.csv", "--format", "tsv", "-e", "export -", "-e", "list fields p")
    #expect(tabs == "p\tq\n12.50\t1.5\n9.00\t2.25\np\n12.5\n9\n")
    #expect(
      try run("a.csv", "--format", "jsonl", "-e", "export -").hasPrefix(#"{"p": 12.5, "q": 1.5}"#)
    )
    let screen = try run("a.csv", "--keys", "-", keys: "q\n")
    #expect(screen.contains("12.50") && screen.contains(" 9.00 "), "\(screen)")
  }
}
