import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@Suite struct ValueOrderTests {
  /// Values near every boundary between kinds and sizes.
  private static let values: [Value] = {
    let scope = IdentifierScope(store: "s", entity: "E")
    let integers: [Int64] = [.min, -1, 0, 1, 2, 1 << 53, 1 << 53 + 1, 1 << 60, 1 << 60 + 1, .max]
    let numbers: [Double] = [
      -1.7e308, -1e200, -1e166, -9.3e18, -0.5, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude,
      1e-200, 1e-120, 0.1, 0.3, 0.5, 1, 9_007_199_254_740_992, 1_152_921_504_606_846_976,
      9_223_372_036_854_775_808, 1e23, 1e100, 1e165, 1e166, 1e200, 1.7e308,
    ]
    let decimals = [
      "-1e126", "-0.5", "0", "0.1", "0.3", "0.30000000000000000001", "1", "9007199254740993",
      "1152921504606846976", "1152921504606846977", "1152921504606847000", "9223372036854775807",
      "9223372036854775808", "1e23", "1e100", "1e-100", "1e-120", "9e126",
    ]
    var values: [Value] = [.null, .boolean(false), .boolean(true)]
    values += integers.map { .integer($0) } + numbers.map { .number($0) }
    values += decimals.compactMap { Decimal(string: $0).map { .decimal($0) } }
    values += ["", "a", "B", "é", "e\u{301}", "\u{0}", "z", "😀", "\u{FFFD}"].map { .text($0) }
    values += [.json("1"), .json("[]"), .uuid(UUID(high: 1, low: 2)), .uuid(UUID(high: 1, low: 3))]
    values += [.date(CalendarDate(daysSince1970: -5)), .date(CalendarDate(daysSince1970: 5))]
    values += [
      .datetime(Date(timeIntervalSince1970: 0)), .datetime(Date(timeIntervalSince1970: 1)),
    ]
    let links = (1...3).map { scope.identifier(number: $0) }
    values += [.link(links[0]), .link(links[1]), .links([]), .links(links), .links([links[2]])]
    return values
  }()

  @Test func theOrderIsTotal() {
    let values = Self.values
    for (i, a) in values.enumerated() {
      #expect(a.compare(a) == .orderedSame, "\(a)")
      for b in values[i...] {
        #expect(a.compare(b) == b.compare(a).reversed, "\(a) and \(b)")
        if a == b { #expect(a.compare(b) == .orderedSame && a.hashValue == b.hashValue) }
      }
    }
  }

  @Test func theOrderIsTransitive() {
    let values = Self.values
    for a in values {
      for b in values where a.compare(b) != .orderedDescending {
        for c in values where b.compare(c) != .orderedDescending {
          let isStrict = a.compare(b) == .orderedAscending || b.compare(c) == .orderedAscending
          let order = a.compare(c)
          if isStrict ? order != .orderedAscending : order != .orderedSame {
            Issue.record("\(a) ≤ \(b) ≤ \(c), but \(order.rawValue) from the first to the last")
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      (.integer(1), .number(1), .orderedSame), (.integer(1), .number(1.5), .orderedAscending),
      (.integer(-1), .number(-1.5), .orderedDescending),
      (.integer(.max), .number(9.3e18), .orderedAscending),
      (.integer(1 << 53 + 1), .number(9_007_199_254_740_992), .orderedDescending),
      (.number(0.1), .decimal(Decimal(string: "0.1") ?? 0), .orderedSame),
      (.number(0), .number(-0.0), .orderedSame), (.null, .boolean(false), .orderedAscending),
      (.text("Z"), .text("a"), .orderedAscending), (.text("z"), .text("é"), .orderedAscending),
      (.text("a"), .text("ab"), .orderedAscending), (.text("9"), .integer(10), .orderedDescending),
      (.number(1e300), .decimal(5), .orderedDescending),
      (.number(-1e300), .decimal(5), .orderedAscending),
      (.number(1e-300), .decimal(0), .orderedDescending),
    ] as [(Value, Value, ComparisonResult)]
  )
  func valuesCompareByWhatTheyMean(_ a: Value, _ b: Value, _ order: ComparisonResult) {
    #expect(a.compare(b) == order)
    #expect(b.compare(a) == order.reversed)
  }

  @Test func textIsComparedByteByByte() {
    #expect(Value.text("é") != Value.text("e\u{301}"))
    #expect(Value.text("") != Value.null)
    #expect(Value.integer(1) != Value.number(1))
    #expect(Value.text("1") != Value.json("1"))
  }

  @Test(
    arguments: [
      (.integer(5), "number", .number(5)), (.integer(5), "decimal", .decimal(5)),
      (.number(5), "integer", .integer(5)), (.number(5.5), "integer", .number(5.5)),
      (.integer(.max), "number", .integer(.max)),
      (.text("2009-05-29"), "date", .date(CalendarDate(daysSince1970: 14393))),
      (.text("x"), "date", .text("x")), (.text("[]"), "json", .json("[]")),
      (.decimal(7), "integer", .integer(7)), (.boolean(true), "integer", .boolean(true)),
      (.null, "text", .null),
    ] as [(Value, String, Value)]
  )
  func valuesTakeTheKindOfATypeWhereNothingIsLost(
    _ value: Value,
    _ type: String,
    _ expected: Value
  ) throws {
    #expect(value.coerced(to: try #require(AttributeType(type))) == expected)
  }
}
