import Foundation
import OpenSwiftData
import Testing

/// Values are converted to another type if nothing is lost.
@Suite struct ConversionTests {
  static let day = CalendarDate(daysSince1970: 9)
  static let midnight = Date(timeIntervalSince1970: 9 * 86_400)
  static let uuid = UUID(high: 1, low: 2)

  static let conversions: [(Value, AttributeType, Value?)] = [
    (.null, .integer, .null), (.integer(5), .integer, .integer(5)),
    (.integer(5), .number, .number(5)), (.integer(5), .decimal, .decimal(5)),
    (.integer(5), .text, .text("5")), (.integer(1), .boolean, .boolean(true)),
    (.integer(2), .boolean, nil), (.boolean(false), .integer, .integer(0)),
    (.integer(9_007_199_254_740_993), .number, nil), (.number(2), .integer, .integer(2)),
    (.number(2.5), .integer, nil), (.number(0.1), .decimal, .decimal(Decimal(string: "0.1") ?? 0)),
    (.decimal(Decimal(string: "0.1234567890123456789") ?? 0), .number, nil),
    (.decimal(7), .integer, .integer(7)), (.text("12"), .integer, .integer(12)),
    (.text("012"), .integer, nil), (.text("twelve"), .integer, nil),
    (.text("true"), .boolean, .boolean(true)), (.text("yes"), .boolean, nil),
    (.date(day), .text, .text("1970-01-10")), (.text("1970-01-10"), .date, .date(day)),
    (.date(day), .datetime, .datetime(midnight)), (.datetime(midnight), .date, .date(day)),
    (.datetime(midnight + 1), .date, nil),
    (.uuid(uuid), .text, .text(uuid.uuidString.lowercased())),
    (.json("[1]"), .text, .text("[1]")), (.text("[1]"), .json, .json("[1]")),
    (.text("a"), .link("A"), nil), (.links([]), .link("A"), .null), (.integer(1), .uuid, nil),
    (.integer(1), .date, nil), (.boolean(true), .number, nil),
  ]

  @Test(arguments: conversions.indices) func aValueIsConvertedOrRefused(place: Int) {
    let (value, type, expected) = Self.conversions[place]
    #expect(value.converted(to: type) == expected, "\(value) to \(type)")
  }
}
