import DataStoreTesting
import Foundation
import Testing

/// Values and conditions from files beside the store.
@Suite struct SetJoinTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("sku,price,qty\nA,1,2\nB,2,3\nC,5,1\n,7,4\n", to: "a.csv")
    try folder.write("code,price\nA,10\nB,\n,9\nD,4\n", to: "p.csv")
    try folder.write("code,price\nA,10\nB,20\nB,21\n", to: "twice.csv")
    try folder.write("code,sku\n10,A\n20,Z\n", to: "other.csv")
  }

  private func run(_ commands: String..., input: String = "") throws -> ProgramRun {
    try folder.run(["a.csv"] + commands.flatMap { ["-e", $0] }, input: input)
  }

  /// The rows of the records after a command, without the heading.
  private func rows(after command: String, input: String = "") throws -> String {
    let run = try run(command, "list fields sku,price,qty", "quit!", input: input)
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").dropFirst()
      .map { $0.replacing("\t", with: " ") }.joined(separator: "|")
  }

  @Test(arguments: [
    (
      "set where true join p.csv as p by sku = code price:=p.price",
      "A 10 2|B  3|C  1|  4"
    ),
    (
      "set where true join p.csv as p by sku = code price:=p.price ?? price",
      "A 10 2|B 2 3|C 5 1| 7 4"
    ),
    // The condition and other values know the file, and no computed value is needed.
    (
      "set where p.price is not null join p.csv as p by sku = code price:=p.price expect 1",
      "A 10 2|B 2 3|C 5 1| 7 4"
    ),
    ("set where p.code is null join p.csv as p by sku = code qty=0", "A 1 2|B 2 3|C 5 0| 7 0"),
    (
      "set a where qty < 4 and p.price > qty join p.csv as p by sku = code qty:=p.price - qty price=0",
      "A 0 8|B 2 3|C 5 1| 7 4"
    ),
    // A record that is named, keys that are computed, and a file found by another one.
    ("set 2 join p.csv as p by \"A\" = code price:=p.price", "A 1 2|B 10 3|C 5 1| 7 4"),
    (
      "set where o.code is not null join p.csv as p by sku = code join other.csv as o by p.price = code sku:=concat(o.sku, o.code)",
      "A10 1 2|B 2 3|C 5 1| 7 4"
    ),
    (
      "set where true join twice.csv as p by sku = code price:=p.price skip",
      "A 10 2|B 2 3|C  1|  4"
    ),
    (
      "set where true join twice.csv as p by sku = code qty:=qty + 1, price:=p.price missing",
      "A 10 3|B  4|C  2|  5"
    ),
    ("set where sku in p.csv:code join - as p by sku price:=p.x", "A 8 2|B 9 3|C 5 1| 7 4"),
  ])
  func setTakesValuesOfTheRowWithTheKey(command: String, expected: String) throws {
    #expect(try rows(after: command, input: "sku,x\nA,8\nB,9\n") == expected)
  }

  @Test func aLookupIsOneStepThatALaterRunCanUndo() throws {
    let command = "set where true join p.csv as p by sku = code price:=p.price ?? 0, qty:=qty + 1"
    #expect(try run(command, "undo", "changes").output == "op\tentity\tid\tchange\n")
    let before = try folder.read("a.csv")
    #expect(try run(command, "save").status == 0)
    #expect(try folder.read("a.csv") == "sku,price,qty\nA,10,3\nB,0,4\nC,0,2\n,0,5\n")
    try folder.write("code,price\nA,11\n", to: "p.csv")
    #expect(try run("undo", "save").status == 0)
    #expect(try folder.read("a.csv") == before)
  }

  @Test(arguments: [
    (
      "set where true join twice.csv as p by sku = code price:=p.price",
      "1 of 4 records: 2: twice.csv: rows 2 and 3 have code B\n"
    ),
    (
      "set where p.price > 1 join twice.csv as p by sku = code qty=0",
      "1 of 4 records: 2: twice.csv: rows 2 and 3 have code B\n"
    ),
    ("set where true join all p.csv as p by sku = code qty=1", "column 21: join all: a record has"),
    ("set where true join no.csv as p by sku qty=1", "column 21: \"no.csv\" not found"),
    ("set where true join p.csv as p by sku qty=1", "column 35: p.csv has no column \"sku\""),
    ("set where true join p.csv as p by skv = code qty=1", "column 35: a has no field \"skv\""),
    (
      "set where true join p.csv as p by sku = code price:=p.prize",
      "column 53: a has no field \"p.prize\"; did you mean \"p.price\"?"
    ),
    (
      "set where true join p.csv as p by sku = code price:=p.code",
      "column 53: price has type integer, the expression is text"
    ),
    (
      "set where p.code = 1 join p.csv as p by sku = code price:=1",
      "column 20: field \"p.code\" has type text; write \"1\""
    ),
    (
      "set join p.csv as p by sku = code where true qty=1", "which record? write \"set where P join"
    ),
    (
      "set where true join p.csv as p by sku = code where qty = 1 qty=2",
      "column 46: write the condition before join"
    ),
    (
      "set where true price:=1 join p.csv as p by sku = code",
      "column 25: expected FIELD=VALUE, found \"join\"; write join before the values"
    ),
    ("count where sku in no.csv:sku", "column 20: \"no.csv\" not found"),
    (
      "delete where qty + 1 > 0 and sku in p.csv:sku",
      "column 37: p.csv has no column \"sku\"; available: code, price"
    ),
    ("list where sku in p.csv", "column 19: expected a list such as (1, 2) or FILE:COLUMN, found"),
    ("count where sku in (\"A\" join p.csv as p by sku = code", "column 25: expected \",\""),
    (
      "count join twice.csv as p by sku = code",
      "1 of 4 records: 2: twice.csv: rows 2 and 3 have code B"
    ),
  ])
  func saysWhatIsWrongAndChangesNothing(command: String, expected: String) throws {
    let run = try run(command, "save")
    #expect(run.status == 1 && run.output.isEmpty, "\(run)")
    #expect(run.errors.hasPrefix("catalog: 1: " + expected), "\(run.errors)")
    #expect(try folder.read("a.csv") == "sku,price,qty\nA,1,2\nB,2,3\nC,5,1\n,7,4\n")
  }

  /// Values are compared with a column as the keys of joins are; a missing value is in no file.
  @Test(arguments: [
    ("sku in p.csv:code", "A|B"), ("not sku in p.csv:code", "C|"), ("sku not in p.csv:code", "C|"),
    ("qty + 0 in deci.csv:unit", ""), ("qty in 'deci.csv:unit'", ""),
    ("qty in deci.csv:n", "A|B"), ("(qty in ./deci.csv:n) and sku = \"A\"", "A"),
    ("qty * 1.0 in deci.csv:n or price in (5, 6)", "A|B|C"),
    ("qty in \"spaced name.json:unit key\"", "B|C"), ("price in $file", "A|B"),
    ("concat(sku) in p.csv:code", "A|B"), ("qty in -:m", "B"),
    ("sku in p.csv:CODE and qty in spaced.jsonl:m", "A"),
  ])
  func aConditionAsksForTheValuesOfAColumn(condition: String, expected: String) throws {
    try folder.write("n,unit\n2.0,2.5\n3,\n,\n", to: "deci.csv")
    try folder.write(
      #"[{"unit key":"3"},{"unit key":"1"},{"unit key":"x"}]"#,
      to: "spaced name.json"
    )
    try folder.write("{\"m\":\"2\"}\n{\"m\":\"-\"}\n", to: "spaced.jsonl")
    let file = folder.file("nums.csv")
    try folder.write("n\n1\n2\n", to: "nums.csv")
    for command in ["list where \(condition) fields sku", "export - where \(condition) fields sku"]
    {
      let run = try folder.run(
        ["a.csv", "--no-header", "--arg", "file", "\(file):n", "-e", command],
        input: "m\n3\n"
      )
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
          .joined(separator: "|") == expected,
        "\(command)"
      )
    }
  }

  @Test func daysLinksAndJSONAreComparedWithAColumn() throws {
    try folder.write("d,v\n2020-01-01,1\n2020-01-02,2\n", to: "days.csv")
    try folder.write(
      "d,w\n2020-01-01T00:00:00Z,1\n2020-01-02T05:00:00Z,2\n2020-01-03T05:00:00Z,3\n",
      to: "moments.csv"
    )
    try folder.write("id\n1\n3\n", to: "ids.csv")
    try folder.write(#"[{"j":{"a":1}},{"j":2},{"j":"2"},{"j":"x"}]"#, to: "j.json")
    try folder.database(
      "fk.db",
      "CREATE TABLE au (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE bo (id INTEGER PRIMARY KEY, au INTEGER REFERENCES au (id), t TEXT)",
      "INSERT INTO au VALUES (1, 'Lem'), (2, 'Eco')",
      "INSERT INTO bo VALUES (1, 1, 'Eden'), (2, 2, 'Baudolino'), (3, NULL, 'x')"
    )
    for (store, condition, count) in [
      ("days.csv", "d in moments.csv:d", 2), ("moments.csv", "d in days.csv:d", 2),
      ("moments.csv", "d + 0d in days.csv:d", 2), ("fk.db", "bo where au in ids.csv:id", 1),
      ("fk.db", "bo where au.name in fk.db#au:name", 2), ("fk.db", "bo where id in ids.csv:id", 2),
      ("j.json", "j in j2.json:j", 2), ("j.json", "j in ids.csv:id", 0),
    ] {
      try folder.write(#"[{"j":2},{"j":"x"}]"#, to: "j2.json")
      let command = "count " + (condition.contains("where") ? condition : "where \(condition)")
      let run = try folder.run([store, "-e", command])
      #expect(run.output == "\(count)\n", "\(command): \(run)")
    }
  }

  @Test(arguments: [
    ("count join p.csv as p by sku = code", "4"),
    ("count where p.code is null join p.csv as p by sku = code", "2"),
    ("count a join all twice.csv as p by sku = code", "5"),
  ])
  func countCountsJoinedRecords(command: String, expected: String) throws {
    #expect(try run(command).output == expected + "\n")
  }

  @Test func expectAndEachKnowFiles() throws {
    let expect = "3 where p.price > qty join all twice.csv as p by sku = code"
    #expect(try run("expect \(expect)").status == 0)
    let run = try run(
      "each - set where sku = $k and sku in p.csv:code join p.csv as p by sku = code qty:=p.price ?? 0",
      "list fields qty",
      "quit!",
      input: "k\nA\nB\nC\n"
    )
    #expect(run.output == "qty\n10\n0\n1\n4\n", "\(run)")
  }

  // MARK: An independent evaluation

  @Test func randomTablesGiveWhatAPlainLoopGives() throws {
    let first = SeededGenerator.testSeed
    for seed in first..<first + 12 {
      var random = SeededGenerator(seed: seed)
      func pairs(_ count: Int, keys: Int) -> [(key: Int?, value: Int?)] {
        // The first ones make columns of numbers.
        [(1, 1)]
          + (0..<count).map { _ in
            (Int.random(in: 0...keys, using: &random), Int.random(in: 0...4, using: &random))
          }.map { ($0 == 0 ? nil : $0, $1 == 0 ? nil : $1) }
      }
      let (records, rows) = (pairs(12, keys: 9), pairs(6, keys: 9))
      func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }
      let isDecimal = Bool.random(using: &random)
      try folder.write(
        "k,v\n" + records.map { "\(text($0.key)),\(text($0.value))\n" }.joined(),
        to: "r.csv"
      )
      try folder.write(
        "w,k\n"
          + rows.map {
            "\(text($0.value)),\($0.key.map { "\($0)\(isDecimal ? ".0" : "")" } ?? "")\n"
          }
          .joined(),
        to: "f.csv"
      )
      var (set, counted, joined, known) = ([Int?](), 0, 0, 0)
      for record in records {
        let partners = record.key == nil ? [] : rows.filter { $0.key == record.key }
        let beside = partners.count == 1 ? partners[0].value : nil
        set.append(beside ?? record.value)
        if !partners.isEmpty { known += 1 }
        joined += max(1, partners.count)
        counted += partners.count { ($0.value ?? 0) > (record.value ?? 9) }
      }
      let run = try folder.run([
        "r.csv", "-e", "count where k in f.csv:k", "-e", "count where k + 0 not in f.csv:k",
        "-e", "count join all f.csv as p by k",
        "-e", "count where p.w > v join all f.csv as p by k",
        "-e", "set where true join f.csv as p by k v:=p.w ?? v skip",
        "-e", "list fields v", "-e", "quit!",
      ])
      let expected =
        ["\(known)", "\(records.count - known)", "\(joined)", "\(counted)", "v"] + set.map(text)
      #expect(run.output == expected.map { $0 + "\n" }.joined(), "seed \(seed): \(run)")
    }
  }
}
