import Foundation
import Testing

@testable import OpenSwiftData

/// Long predicates, as in real programs.
@Suite struct LongPredicateTests {
  static let entity = Schema.Entity(
    "Item",
    attributes: [Schema.Attribute("number", .integer), Schema.Attribute("size", .number)]
  )

  @Test func aListOfAHundredThousandNumbersIsLookedUpAndNotSearched() throws {
    let list = (0..<100_000).map { String(2 * $0) }.joined(separator: ", ")
    let filter = try FilterParser.parse("number in (\(list))", for: Self.entity)
    let bound = try BoundFilter(filter, layout: Self.entity.layout)
    var count = 0
    // One by one, this would take ten billion comparisons.
    for number in 0..<100_000 where bound.matches([.integer(Int64(number)), .null]) { count += 1 }
    #expect(count == 50_000)
  }

  @Test func listsCompareNumbersOfAllKindsAsEqualityDoes() throws {
    let values: [Value] = [
      .integer(1), .number(1), .number(0.1), .decimal(Decimal(string: "0.1") ?? 0),
      .decimal(Decimal(string: "1.00") ?? 0), .number(-0.0), .integer(0), .integer(.max),
      .integer(.max - 1), .number(9_223_372_036_854_775_808), .text("1"), .null, .boolean(true),
      .decimal(Decimal(string: "9223372036854775807") ?? 0), .number(1e300), .json("1"),
    ]
    for member in values {
      let list = try BoundFilter(.isIn("number", [member]), layout: Self.entity.layout)
      let many = try BoundFilter(
        .or(Array(repeating: .compare("number", .equal, member), count: 20)),
        layout: Self.entity.layout
      )
      for value in values {
        let expected = Filter.Comparison.equal.holds(value, member)
        #expect(list.matches([value, .null]) == expected, "\(value) in (\(member))")
        #expect(many.matches([value, .null]) == expected, "\(value) = \(member) or …")
      }
    }
  }

  @Test(arguments: [("(", ")"), ("not ", ""), ("!", ""), ("not (", ")"), ("!(", ")")])
  func nestingThatIsTooDeepIsAnError(open: String, close: String) throws {
    let opened = String(repeating: open, count: 100_000)
    let text = opened + "number = 1" + String(repeating: close, count: 100_000)
    let error = #expect(throws: FilterSyntaxError.self) {
      try FilterParser.parse(text, for: Self.entity)
    }
    #expect(error?.message.contains("nested at most") == true)
  }

  @Test func aChainOfThousandsOfChoicesIsRead() throws {
    let text = (0..<20_000).map { "number = \($0)" }.joined(separator: " or ")
    let filter = try FilterParser.parse(text, for: Self.entity)
    let bound = try BoundFilter(filter, layout: Self.entity.layout)
    for number in stride(from: 0, to: 40_000, by: 7) {
      #expect(bound.matches([.integer(Int64(number)), .null]) == (number < 20_000))
    }
  }
}
