import Foundation
import Testing

/// `check RULES` and `problems` over each kind of store, as programs see them.
@Suite struct RuleFileTests {
  private static let rules = """
    # What an order needs.
    number required
    number unique
    city in ("Rome", "Oslo")   : an unknown city
    price 0..100
    where city = "Oslo" and number > 2 must not match
    """

  @Test(arguments: ["o.csv", "o.json", "o.catlog", "o.db", "memory:"])
  func everyKindOfStoreIsChecked(location: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.rules, to: "r.txt")
    try folder.write(
      "number,city,price\n1,Rome,10\n2,Oslo,n/a\n2,Paris,5\n3,Oslo,200\n,\"Rome \",7\n",
      to: "o.csv"
    )
    var arguments = [location]
    if location == "memory:" {
      arguments += ["-e", "import o.csv into o"]
    } else if location != "o.csv" {
      let made = try folder.run([location, "-e", "import o.csv into o", "-e", "save"])
      #expect(made.status == 0, "\(made)")
    }
    let run = try folder.run(arguments + ["--quiet", "--format", "csv", "-e", "check r.txt"])
    let lines = run.output.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
    }
    #expect(run.status == 1, "\(run)")
    let expected = """
      field,rule,value
      number,required,
      number,unique; same as record ID,2
      city,an unknown city,Paris
      city,an unknown city,"Rome "
      price,0..100,n/a
      price,0..100,200
      ,"where city = ""Oslo"" and number > 2 must not match",
      """
    let found = lines.joined(separator: "\n").replacing(#/record [^,]+,/#, with: "record ID,")
    #expect(found == expected, "\(run)")
    #expect(run.errors.contains("7 violations of 5 rules"), "\(run.errors)")
    let problems = try folder.run(
      arguments + ["--quiet", "--format", "jsonl", "-e", "problems"]
    )
    #expect(problems.status == 0 || location == "memory:", "\(problems)")
    #expect(
      problems.output.hasSuffix(
        #""field": "city", "rule": "white space at the end", "value": "Rome "}"# + "\n"
      ),
      "\(problems)"
    )
  }

  /// A database can have links that lead nowhere.
  @Test func linksToNothingAreFound() throws {
    let folder = try TemporaryFolder()
    _ = try folder.database(
      "l.db",
      "create table a(id integer primary key, name text)",
      "create table b(id integer primary key, a integer references a(id))",
      "insert into a values(1, 'x')",
      "insert into b values(1, 1), (2, 5)"
    )
    let run = try folder.run(["l.db", "-e", "problems"])
    #expect(
      run.output == "entity\tid\tfield\trule\tvalue\nb\t2\ta\tno record 5\t5\n",
      "\(run)"
    )
  }

  /// What the table shows by a symbol is found, but not what joins letters or makes one picture.
  @Test func invisibleCharactersAreFound() throws {
    let folder = try TemporaryFolder()
    let found = ["a\u{200C}b", "a\u{FE0F}b", "a\u{2028}b", "a\u{200B}b"]
    let others = [
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}", "\u{1F469}\u{200D}\u{1F469}",
    ]
    try folder.write("n,t\n" + (found + others).map { "1,\($0)\n" }.joined(), to: "a.csv")
    let run = try folder.run(["a.csv", "--format", "csv", "-e", "problems"])
    let named = run.output.split(separator: "\r\n").filter { $0.contains("invisible character") }
    #expect(named.count == found.count, "\(run)")
    for (line, code) in zip(named, ["U+200C", "U+FE0F", "U+2028", "U+200B"]) {
      #expect(line.contains(code), "\(line)")
    }
  }
}
