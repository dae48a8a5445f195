import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@Suite struct FilterDescriptionTests {
  private static let entity = Schema.Entity(
    "Film",
    attributes: [
      .init("title", .text), .init("where", .text), .init("two words", .text), .init("2nd", .json),
      .init("year", .integer), .init("rating", .number), .init("gross", .decimal),
      .init("seen", .boolean), .init("released", .date), .init("watched", .datetime),
      .init("key", .uuid), .init("sequel", .link("Film")),
    ]
  )

  @Test(
    arguments: [
      (.all, "truepredicate"), (.or([]), "falsepredicate"),
      (.compare("year", .lessOrEqual, .integer(-5)), "year <= -5"),
      (.compare("where", .notEqual, .text("a\"b\\\n\u{1}é")), #"`where` != "a\"b\\\n\u{1}é""#),
      (.compare("year", .equal, .null), "year is null"),
      (.not(.isNull("two words")), "`two words` is not null"),
      (.between("rating", .number(1.5), .number(1e300)), "rating between 1.5 and 1e+300"),
      (.isIn("released", [.null]), "released in (null)"),
      (
        .text("title", TextMatch(.contains, "x", options: [.caseInsensitive, .characters])),
        "title contains[cw] \"x\""
      ),
      (.compareAttributes("year", .greater, "rating"), "year > rating"),
      (
        .and([.or([.isNull("year"), .isNull("key")]), .not(.and([.all, .isNull("seen")]))]),
        "(year is null or key is null) and not (truepredicate and seen is null)"
      ),
      (.not(.not(.compare("2nd", .equal, .json("{}")))), "not not `2nd` = \"{}\""),
      (.anyText(TextMatch(.contains, "x")), "any field contains \"x\""),
    ] as [(Filter, String)]
  )
  func filtersAreWrittenAsScriptsHaveThem(_ filter: Filter, _ text: String) {
    #expect(filter.description == text)
  }

  @Test func filtersReadBackPassTheSameRecords() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let identifiers = (1...3).map { Fixtures.permanent($0) }
    let byName = Dictionary(uniqueKeysWithValues: identifiers.map { ($0.description, $0) })
    let records = (0..<40).map { _ in
      Self.entity.fields.map { Self.value(for: $0, nullable: true, &random) }
    }
    for round in 0..<testRounds(500) {
      let filter = Self.filter(depth: 3, &random)
      let text = filter.description
      let (read, end) = try FilterParser.parsePrefix(of: text, from: 0, for: Self.entity) {
        name,
        _ in
        try #require(byName[name])
      }
      #expect(end == text.utf8.count && read.description == text, "\(text), seed \(seed)")
      let bound = try BoundFilter(filter, layout: Self.entity.layout)
      let other = try BoundFilter(read, layout: Self.entity.layout)
      for record in records {
        guard bound.matches(record) == other.matches(record) else {
          Issue.record("seed \(seed), round \(round): \(text) on \(record)")
          return
        }
      }
    }
  }

  private static func pick<V>(_ values: [V], _ random: inout SeededGenerator) -> V {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private static func filter(depth: Int, _ random: inout SeededGenerator) -> Filter {
    let field = pick(entity.fields, &random)
    func value(_ random: inout SeededGenerator) -> Value {
      self.value(for: field, nullable: false, &random)
    }
    switch Int.random(in: depth == 0 ? 3..<10 : 0..<10, using: &random) {
    case 0:
      return .and((0..<pick([0, 2, 3], &random)).map { _ in filter(depth: depth - 1, &random) })
    case 1:
      return .or((0..<pick([0, 2, 3], &random)).map { _ in filter(depth: depth - 1, &random) })
    case 2: return .not(filter(depth: depth - 1, &random))
    case 3: return .isNull(field.name)
    case 4: return .between(field.name, value(&random), value(&random))
    case 5:
      let (first, last) = (value(&random), value(&random))
      // The parser reads each JSON value once.
      let isTwice = field.type == .json && first == last
      return .isIn(field.name, isTwice ? [first, .null] : [first, .null, last])
    case 6:
      let operation = pick(
        [TextMatch.Operation.contains, .beginsWith, .endsWith, .like],
        &random
      )
      let options = TextMatch.Options(rawValue: UInt8.random(in: 0..<8, using: &random))
      let match = TextMatch(operation, pick(texts, &random), options: options)
      // As text, a test of JSON is also one of the strings in it.
      return field.type == .json ? .json(field.name, match) : .text(field.name, match)
    case 7:
      let other = pick(entity.fields, &random).name
      return .compareAttributes(field.name, pick(Filter.Comparison.allCases, &random), other)
    default:
      return .compare(field.name, pick(Filter.Comparison.allCases, &random), value(&random))
    }
  }

  private static let texts = ["", "a", "A\"", "\\", "é\n", "e\u{301}", "*", "true", "2009-05-29"]

  private static func value(
    for field: Schema.Attribute,
    nullable: Bool,
    _ random: inout SeededGenerator
  ) -> Value {
    if nullable, Int.random(in: 0..<4, using: &random) == 0 { return .null }
    let number = Int64.random(in: -3...3, using: &random)
    switch field.type {
    case .text: return .text(pick(texts, &random))
    case .json: return .json(pick(["{}", "[1]", "\"a\""], &random))
    case .integer: return .integer(number)
    case .number: return .number(Double(number) / 2)
    case .decimal: return .decimal(Decimal(number) / 4)
    case .boolean: return .boolean(number > 0)
    case .date: return .date(CalendarDate(daysSince1970: Int32(number) * 1000))
    case .datetime: return .datetime(Date(timeIntervalSinceReferenceDate: Double(number) / 4))
    case .uuid:
      return .uuid(UUID(uuid: (UInt8(number + 3), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    case .link, .links: return .link(Fixtures.permanent(Int(abs(number) % 3) + 1))
    }
  }
}
