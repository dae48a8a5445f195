import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Testing

/// The rules of `check RULES`, and what `problems` finds without any.
@Suite struct RecordRuleTests {
  private static let schema = Schema(
    Schema.Entity(
      "Order",
      attributes: [
        Schema.Attribute("number", .integer), Schema.Attribute("city", .text),
        Schema.Attribute("paid on", .date), Schema.Attribute("price", .text),
        Schema.Attribute("extra", .json),
      ]
    )
  )

  /// Five orders in memory, and a file of rules.
  private static func orders(_ rules: String = "", entityName: String? = nil) throws
    -> ScriptFixture
  {
    let fixture = try ScriptFixture(schema, entityName: entityName)
    fixture.services.files["r.txt"] = Array(rules.utf8)
    let result = try fixture.run(
      #"""
      insert number=1 city=Rome "paid on"=2024-01-31 price=10.50 extra='"x1"'
      insert number=2 city=Oslo "paid on"=2024-02-01 price=n/a extra=7
      insert number=2 city=Rome price=200 extra='{"a":1}'
      insert city=Rome price=5 extra='"12"'
      insert number=4 city="Oslo 1" "paid on"=2025-01-01
      """#
    )
    #expect(result.status == 0, "\(result)")
    return fixture
  }

  /// The field, the rule and the value of each finding.
  private static func findings(_ result: ScriptResult) -> [String] {
    result.output.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      return [2, 3, 4].map { cells.indices.contains($0) ? String(cells[$0]) : "" }
        .joined(separator: "|").normalized
    }
  }

  @Test(arguments: [
    ("number required", ["number|required|"]),
    ("Order number required: give it a number", ["number|give it a number|"]),
    ("number required # not # that", ["number|required|"]),
    ("city required", []),
    ("number unique", ["number|unique; same as record t2|2"]),
    ("NUMBER UNIQUE : see \"2\"", ["number|see \"2\"; same as record t2|2"]),
    ("number unique with city", []),
    ("city unique with price, number", []),
    ("city unique with `paid on`", []),
    ("price decimal", ["price|decimal|n/a"]),
    ("price integer", ["price|integer|10.50", "price|integer|n/a"]),
    ("price text", []),
    ("extra integer", [#"extra|integer|"x1""#, #"extra|integer|{"a":1}"#]),
    ("number decimal", []),
    ("city /[A-Z][a-z]+/", ["city|/[A-Z][a-z]+/|Oslo 1"]),
    ("price /[0-9.]+|n\\/a/", []),
    (#"city in ("Rome", "Oslo")"#, [#"city|in ("Rome", "Oslo")|Oslo 1"#]),
    ("number in (1, 2): small", ["number|small|4"]),
    ("number 2..4", ["number|2..4|1"]),
    ("number ..3", ["number|..3|4"]),
    ("number 2 .. : two or more", ["number|two or more|1"]),
    ("price 0..100 : a price", ["price|a price|n/a", "price|a price|200"]),
    (
      "`paid on` 2024-02-01..2024-12-31",
      [
        "paid on|2024-02-01..2024-12-31|2024-01-31", "paid on|2024-02-01..2024-12-31|2025-01-01",
      ]
    ),
    (
      #"city "Oslo".."Oslo" # one"#,
      [
        #"city|"Oslo".."Oslo"|Rome"#, #"city|"Oslo".."Oslo"|Rome"#, #"city|"Oslo".."Oslo"|Rome"#,
        #"city|"Oslo".."Oslo"|Oslo 1"#,
      ]
    ),
    ("where number > 3 must not match", ["number|where number > 3 must not match|4"]),
    (#"where city = "Rome" and number = 2 MUST NOT MATCH : can't be"#, ["|can't be|"]),
    (#"Order where city = "must not match" must not match"#, []),
    ("where number * 2 > 7 must not match : too many", ["|too many|"]),
    ("where extra.a = 1 must not match : one", [#"extra|one|{"a":1}"#]),
    ("# nothing\n\n  # else", []),
  ])
  func eachKindOfRuleFindsWhatBreaksIt(rule: String, expected: [String]) throws {
    let result = try Self.orders(rule).run("check r.txt")
    #expect(Self.findings(result) == expected, "\(rule)\n\(result)")
    #expect(result.status == (expected.isEmpty ? 0 : 1), "\(result)")
  }

  @Test(arguments: [
    ("city", "1:5: expected a rule: required, unique, a type, /regex/, in (…) or LOW..HIGH"),
    ("city requird", #"1:6: unknown rule "requird"; did you mean "required"?"#),
    ("city fine", #"1:6: unknown rule "fine"; available: required, unique, a type"#),
    ("town required", #"1:1: Order has no field "town"; available: number"#),
    ("\n\nOrder town required", #"3:7: Order has no field "town""#),
    ("extra.a required", #"1:1: "extra.a" is not a field; write "where … must not match""#),
    ("city required 5", #"1:15: unexpected "5"; expected the end of the line"#),
    ("city required :", #"1:16: missing sentence after ":""#),
    ("city unique with", "1:17: expected a field"),
    ("city unique with number,towns", #"1:25: Order has no field "towns""#),
    ("city /a", "1:6: missing closing /"),
    ("city //", "1:6: missing regular expression"),
    ("city /(/", #"1:6: "(" is not a valid regular expression"#),
    ("city in (\"a\"", "1:9: missing closing )"),
    ("city in", #"1:8: expected (…) after "in""#),
    ("number in (a)", "1:12: Order has no field \"a\""),
    ("number 5..1", "1:8: 5 is greater than 1; write the lower bound first"),
    ("number 5..x", "1:11: Order has no field \"x\""),
    ("`paid on` 2024-01-01..2024-02-30", "1:23: field \"paid on\" has type date"),
    ("number ..", "1:8: expected LOW..HIGH"),
    ("where number > 3", #"1:17: expected "must not match" after the predicate"#),
    ("where number must not match", "1:13: "),
    ("where numbr = 3 must not match", #"1:7: Order has no field "numbr""#),
    ("\"city required", "1:1: missing closing \""),
    ("= 5", "1:1: expected a field"),
    (
      #"where city = "Rome" # and name = "zzz" must not match"#,
      "1:21: expected \"must not match\" after the predicate"
    ),
  ])
  func aRuleThatCannotBeReadIsNamedWithItsPlace(rule: String, expected: String) throws {
    let result = try Self.orders(rule).run("check r.txt")
    #expect(result.output.isEmpty && result.status == 1, "\(result)")
    #expect(result.errors.contains("r.txt:\(expected)"), "\(rule)\n\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func jsonHasAnObjectForEachFinding() throws {
    let fixture = try Self.orders("number 2..\ncity required\n")
    fixture.session.settings.format = .json
    let result = try fixture.run("check r.txt")
    let expected =
      #"{"entity": "Order", "id": "t1", "field": "number", "rule": "2..", "value": 1}"#
    #expect(result.output.replacing("\n", with: "").contains(expected), "\(result)")
    fixture.services.files["r.txt"] = Array("city required".utf8)
    #expect(try fixture.run("check r.txt") == ScriptResult(output: "[]\n", errors: "", status: 0))
  }

  @Test func checkWithoutAFileIsAsBefore() throws {
    let fixture = try Self.orders()
    fixture.services.files["full"] = Array("city in (\"Rome\")".utf8)
    #expect(try fixture.run("check full").output == fixture.run("check").output)
    #expect(try fixture.run("check ./full").errors.contains("./full"))
  }

  @Test func aMissingFileIsNamed() throws {
    let result = try Self.orders().run("check none.txt")
    #expect(result.errors.contains("none.txt") && result.status == 1, "\(result)")
  }

  // MARK: What looks wrong

  @Test func findsWhatLooksWrong() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    var lines = ""
    for number in 1...20 { lines += "insert Film title=film\(number) notes='\"blue\"'\n" }
    try fixture.run(
      lines + """
        insert Film title=" Up" notes='"Blue"'
        insert Film title="Soul\\u{A0}" notes='"blue"'
        insert Film title="Ca\\u{200B}rs" notes='"blue"'
        insert Film title=film1 notes='"blue"'
        insert Film title=Coco
        """
    )
    let result = try fixture.run("problems")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
    let found = Self.findings(result)
    #expect(
      found == [
        "title|white space at the beginning| Up", "title|white space at the end|Soul\u{A0}",
        "title|invisible character U+200B|Ca\u{200B}rs",
        #"notes|also spelled "blue", 23 times|"Blue""#,
        "notes|perhaps missing: 96% of the records have a value|",
        "|same values as record t1|",
      ],
      "\(result)"
    )
  }

  /// A rule that is broken decides the status; what only looks wrong follows it.
  @Test func problemsTakesAFileOfRulesToo() throws {
    let fixture = try Self.orders("number 2..")
    try fixture.run("insert number=9 city=\"Rome \"")
    let result = try fixture.run("problems r.txt")
    #expect(
      Self.findings(result) == ["number|2..|1", "city|white space at the end|Rome "],
      "\(result)"
    )
    #expect(result.status == 1 && result.errors.contains("1 violation of 1 rule"), "\(result)")
  }

  @Test func manyRecordsAreCountedButNotAllListed() throws {
    let entity = Schema.Entity("N", attributes: [Schema.Attribute("n", .integer)])
    let fixture = try ScriptFixture(Schema(entity))
    for number in 0..<10_003 {
      let record = Record(entity: entity)
      try record.set(.integer(Int64(number)), for: "n")
      fixture.session.context.insert(record)
    }
    fixture.services.files["r.txt"] = Array("n ..-1".utf8)
    let result = try fixture.run("check r.txt")
    #expect(Self.findings(result).count == 10_000)
    #expect(
      result.errors.contains("note: N: ..-1: 10003 records, of which the first 10000 are listed")
    )
  }

  // MARK: An independent evaluation

  /// A rule with what it means for all rows: the places of those that break it.
  private struct Case {
    let rule: String
    let broken: ([(n: Int64?, t: String?)]) -> [Int]
  }

  private static func randomCase(_ random: inout SeededGenerator) -> Case {
    let low = Int64.random(in: -3...3, using: &random)
    let high = low + Int64.random(in: 0...4, using: &random)
    let word = ["a", "b", "1", "-2", "ab"].randomElement(using: &random) ?? ""
    func places(_ isBroken: @escaping (Int64?, String?) -> Bool)
      -> ([(n: Int64?, t: String?)]) -> [Int]
    {
      { rows in rows.indices.filter { isBroken(rows[$0].n, rows[$0].t) } }
    }
    func repeated(_ key: @escaping (Int64?, String?) -> String?)
      -> ([(n: Int64?, t: String?)]) -> [Int]
    {
      { rows in
        rows.indices.filter { place in
          guard let own = key(rows[place].n, rows[place].t) else { return false }
          return rows[..<place].contains { key($0.n, $0.t) == own }
        }
      }
    }
    let cases = [
      Case(rule: "n required", broken: places { n, _ in n == nil }),
      Case(rule: "t required : no text", broken: places { _, t in t == nil }),
      Case(
        rule: "n \(low)..\(high)",
        broken: places { n, _ in n.map { $0 < low || $0 > high } ?? false }
      ),
      Case(
        rule: "t \(low)..",
        broken: places { _, t in t.map { Int64($0).map { $0 < low } ?? true } ?? false }
      ),
      Case(
        rule: "t integer",
        broken: places { _, t in t.map { Int64($0) == nil } ?? false }
      ),
      Case(
        rule: "t in (\"\(word)\", 'a')",
        broken: places { _, t in t.map { $0 != word && $0 != "a" } ?? false }
      ),
      Case(
        rule: "t /[ab]+/",
        broken: places { _, t in
          t.map { $0.isEmpty || !$0.allSatisfy { "ab".contains($0) } } ?? false
        }
      ),
      Case(rule: "n unique", broken: repeated { n, _ in n.map { String($0) } }),
      Case(
        rule: "n unique with t",
        broken: repeated { n, t in n.flatMap { n in t.map { "\(n)|\($0)" } } }
      ),
      Case(
        rule: "where n > \(low) and t = \"\(word)\" must not match",
        broken: places { n, t in (n.map { $0 > low } ?? false) && t == word }
      ),
    ]
    return cases.randomElement(using: &random) ?? cases[0]
  }

  @Test(arguments: 1...40) func findsTheSameAsAnIndependentEvaluation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let entity = Schema.Entity(
      "Row",
      attributes: [
        Schema.Attribute("k", .integer), Schema.Attribute("n", .integer),
        Schema.Attribute("t", .text),
      ]
    )
    let fixture = try ScriptFixture(Schema(entity))
    var rows: [(n: Int64?, t: String?)] = []
    for place in 0..<Int.random(in: 0...30, using: &random) {
      let n = Bool.random(using: &random) ? Int64.random(in: -4...5, using: &random) : nil
      let t = [nil, "", "a", "b", "ab", "1", "-2", "c "].randomElement(using: &random) ?? nil
      rows.append((n, t))
      let record = Record(entity: entity)
      try record.set(.integer(Int64(place)), for: "k")
      try record.set(n.map { .integer($0) } ?? .null, for: "n")
      try record.set(t.map { .text($0) } ?? .null, for: "t")
      fixture.session.context.insert(record)
    }
    let cases = (0..<6).map { _ in Self.randomCase(&random) }
    fixture.services.files["r.txt"] = Array(
      cases.map { "\($0.rule) \n" }.joined().utf8
    )
    let places = try fixture.run("list fields id,k").output.split(separator: "\n").dropFirst()
      .reduce(into: [String: Int]()) { places, line in
        let cells = line.split(separator: "\t")
        places[String(cells[0])] = Int(cells[1])
      }
    let found = try fixture.run("check r.txt").output.split(separator: "\n").dropFirst().map {
      places[String($0.split(separator: "\t")[1])] ?? -1
    }
    let expected = cases.flatMap { $0.broken(rows) }
    #expect(found == expected, "seed \(seed): \(cases.map(\.rule)) \(rows)")
  }
}
