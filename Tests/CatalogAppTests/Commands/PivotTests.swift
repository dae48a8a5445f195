import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Testing

/// Pivots, samples, values in lists, and values that are computed in an order.
@Suite struct PivotTests {
  private static let entity = Schema.Entity(
    "Sale",
    attributes: [
      Schema.Attribute("city", .text), Schema.Attribute("year", .integer),
      Schema.Attribute("amount", .decimal), Schema.Attribute("tags", .json),
      Schema.Attribute("number", .integer),
    ]
  )

  private static func fixture() throws -> ScriptFixture {
    try ScriptFixture(Schema(entity), entityName: "Sale")
  }

  private static func table(_ line: String, _ fixture: ScriptFixture) throws -> OutputTable {
    guard case .table(let table) = try fixture.session.perform(line) else {
      throw CommandError("no table: \(line)")
    }
    return table
  }

  private static func texts(_ table: OutputTable) -> [[String]] {
    table.rows.map { $0.map(\.text) }
  }

  /// The cells of a pivot are those of a list with both keys, a sample has the smallest random numbers, and `set`
  /// numbers records as a list does.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func agreeWithListsOfTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try Self.fixture()
    for _ in 0..<random.below(25) {
      var line = "insert number=0"
      if random.below(5) > 0 { line += " city=\(["a", "b", "", "city"][random.below(4)])" }
      if random.below(5) > 0 { line += " year=\(random.below(4))" }
      if random.below(5) > 0 { line += " amount=\(random.below(90)).5" }
      _ = try fixture.session.perform(line)
    }
    let pivot = try Self.table("pivot city by year sum(amount), count()", fixture)
    let years = try Self.texts(Self.table("list by year fields year", fixture)).map { $0[0] }
    #expect(pivot.columns.count == 1 + 2 * years.count, "seed \(seed)")
    var cells: [[String]: [String]] = [:]
    for row in try Self.texts(
      Self.table("list by city, year fields city, year, sum(amount), count()", fixture)
    ) {
      cells[[row[0], row[1]]] = [row[2], row[3]]
    }
    for row in Self.texts(pivot) {
      for (place, year) in years.enumerated() {
        let found = Array(row[(1 + 2 * place)...(2 + 2 * place)])
        #expect(found == cells[[row[0], year]] ?? ["0", "0"], "seed \(seed)")
      }
    }
    let count = random.below(8)
    let sample = try Self.table("list sample \(count) seed \(seed) fields id", fixture)
    let first = try Self.table("list sort random(\(seed)) limit \(count) fields id", fixture)
    #expect(Set(Self.texts(sample)) == Set(Self.texts(first)), "seed \(seed)")
    _ = try fixture.session.perform("set where true sort -amount,city per year number:=row()")
    let numbers = try Self.table("list sort -amount,city per year fields number, row()", fixture)
    #expect(numbers.rows.allSatisfy { $0[0] == $0[1] }, "seed \(seed)")
  }

  @Test func tooManyColumnsAreRefused() throws {
    let fixture = try Self.fixture()
    for number in 1...1001 { _ = try fixture.session.perform("insert city=a number=\(number)") }
    let refused = [
      (
        "pivot city by number count()",
        "pivot: 1,001 different values of number; the limit is 1,000"
      ),
      (
        "pivot city by number where number <= 600 count(), sum(number)", "missing what to compute"
      ),
      ("pivot city by number limit 3", "missing what to compute"),
      ("list by tags[*] as t, (t = \"d\") as u", "t has [*]"),
      ("list where tags[*] = tags[*] or (year + 1) = 2", "only one side of a comparison"),
      ("list fields year + 1 as y missing skip", "write missing or skip once"),
      (
        "pivot city by number count(), sum(number) where number <= 600",
        "pivot: 600 different values of number make 1,200 columns; the limit is 1,000"
      ),
    ]
    for (line, message) in refused {
      #expect("\(try fixture.run(line).errors)".contains(message), "\(line)")
    }
    let table = try Self.table("pivot city by number count() where number <= 1000", fixture)
    #expect(table.columns.count == 1001)
  }

  @Test func theElementsOfListsAreCountedByThemselves() throws {
    let fixture = try Self.fixture()
    let result = try fixture.run(
      """
      insert city=a amount=1 tags='["x", "y", "x"]'
      insert city=b amount=2 tags='["y", null]'
      insert city=c amount=4 tags='[]'
      insert city=d amount=8
      freq tags[*]
      list by tags[*] as tag fields tag, sum(amount)
      list where tags[*] = "x" fields city
      list where tags[*] != "y" fields city
      list where tags[*] in ("x", "z") or tags[*] beginswith "y" fields city
      list fields city, tags[*], length(tags[*]) limit 2
      list fields count(tags[*]), distinct(tags[*])
      """
    )
    #expect(result.errors.isEmpty, "\(result.errors)")
    let expected = """
      value\tcount
      \t3
      x\t2
      y\t2
      tag\tsum(amount)
      x\t2
      y\t3
      \t14
      city
      a
      city
      c
      d
      city
      a
      b
      city\ttags[*]\tlength(tags[*])
      a\t["x","y","x"]\t3
      b\t["y"]\t1
      count(tags[*])\tdistinct(tags[*])
      4\t2

      """
    #expect(result.output.hasSuffix(expected), "\(result.output)")
  }

  /// What is random or in an order is computed once: undo and redo bring the same values.
  @Test func valuesAreComputedOnce() throws {
    let schema = Schema(
      Schema.Entity(
        "Sale",
        attributes: [Schema.Attribute("key", .uuid), Schema.Attribute("n", .number)]
      )
    )
    let fixture = try ScriptFixture(schema, entityName: "Sale")
    for _ in 1...3 { _ = try fixture.session.perform("insert n=1") }
    _ = try fixture.session.perform("save")
    _ = try fixture.session.perform("set where true key:=uuid() n:=random(5)")
    let list = "list fields key as key, n as n"
    let first = try Self.table(list, fixture).rows
    #expect(Set(first.map { $0[0] }).count == 3)
    _ = try fixture.session.perform("undo")
    #expect(try Self.table(list, fixture).rows != first)
    _ = try fixture.session.perform("redo")
    #expect(try Self.table(list, fixture).rows == first)
    _ = try fixture.session.perform("save")
    #expect(try Self.table(list, fixture).rows == first)
    _ = try fixture.session.perform("set where true key:=uuid() n:=random(5)")
    let second = try Self.table(list, fixture).rows
    #expect(Set((first + second).map { $0[0] }).count == 6)
    #expect(first.map { $0[1] } == second.map { $0[1] })
  }

  /// A record that fails in any part of the order is left as it was, and counted once.
  @Test(arguments: [
    ("set where true per 10 / year number:=row() skip", ["5", "1", "1"]),
    ("set where true sort city number:=running(integer(10 / year)) skip", ["5", "10", "15"]),
    ("set where true number:=running(tags.v) skip", ["1", "6", "4"]),
  ])
  func skippedRecordsStayAsTheyWere(line: String, numbers: [String]) throws {
    let fixture = try Self.fixture()
    let result = try fixture.run(
      """
      insert city=a year=0 number=5 tags='{"v":1}'
      insert city=b year=1 number=6 tags='{"v":"abc"}'
      insert city=c year=2 number=7 tags='{"v":3}'
      \(line)
      """,
      echoesNotes: true
    )
    let values = try Self.texts(Self.table("list fields number as number", fixture)).map { $0[0] }
    #expect(values == numbers, "\(result)")
    #expect(result.errors.contains("1 record was left as before"), "\(result)")
    let failing = try fixture.run(line.replacing(" skip", with: ""))
    #expect(failing.errors.contains("1 of 3 records: "), "\(failing)")
  }

  @Test(arguments: [
    ("tags[*] between 4 and 6", ""), ("tags[*] between 1 and 2", "a"),
    ("tags[*] = number", "a"), ("tags[*] contains city", "b"),
  ])
  func aConditionIsMetByOneElement(condition: String, cities: String) throws {
    let fixture = try Self.fixture()
    let result = try fixture.run(
      """
      insert city=a number=9 tags='[1, 9]'
      insert city=b number=0 tags='["abc"]'
      insert city="[" number=0 tags='["red"]'
      list where \(condition) or city = "none" fields city as city
      """
    )
    let rows = result.output.split(separator: "\n").drop { $0 != "city" }.dropFirst()
    #expect(rows.joined(separator: " ") == cities, "\(result)")
  }

  @Test func recordsWithoutAPlaceInTheOrderAreLeftOrMissing() throws {
    let fixture = try Self.fixture()
    let result = try fixture.run(
      """
      insert city=a year=0 number=5
      insert city=b year=2 number=6
      insert city=c year=1 number=7
      set where true sort 2 / year number:=row() skip
      list fields city,number
      set where true number:=running(1 / year) missing
      list fields city,number
      """,
      echoesNotes: true
    )
    let rows = ["city\tnumber", "a\t5", "b\t1", "c\t2", "city\tnumber", "a\t0"]
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.contains("\t") }.prefix(6) == rows[...], "\(result)")
    let failing = try fixture.run("set where true sort 2 / year number:=row()")
    #expect(failing.errors.contains("1 of 3 records: "), "\(failing)")
    #expect(failing.errors.contains("2 / year: division by zero"), "\(failing)")
  }

  @Test func aPivotIsExportedLikeAList() throws {
    let fixture = try Self.fixture()
    let result = try fixture.run(
      """
      insert city=a year=1 amount=2.5
      insert city=b year=2 amount=3
      export out.csv pivot city by year sum(amount)
      export out.md pivot city by year sum(amount)
      export long.csv unpivot year,number as name,value having value is not null
      """
    )
    #expect(result.status == 0, "\(result)")
    #expect(fixture.services.text("out.csv") == "city,1,2\r\na,2.5,0\r\nb,0,3\r\n")
    #expect(fixture.services.text("out.md")?.hasPrefix("| city |") == true)
    #expect(
      fixture.services.text("long.csv")
        == "city,amount,tags,name,value\r\na,2.5,,year,1\r\nb,3,,year,2\r\n"
    )
  }
}
