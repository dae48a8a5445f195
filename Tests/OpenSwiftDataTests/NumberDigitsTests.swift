import Foundation
import Testing

@testable import OpenSwiftData

/// A number field keeps every digit that is typed, or rejects the text and names the nearest
/// number.
@Suite struct NumberDigitsTests {
  @Test(
    arguments: [
      "0", "-0", "0.1", "+5", "1E3", ".5", "0.30000000000000004", "9007199254740992",
      "-1e-07", "5e-324", "1.7976931348623157e308", "2.2250738585072014e-308",
      "100000000000000000000",
      "0e99999999999999999999", "0.000000000000000000000000000000001", "1.50", "Infinity", "NaN",
    ]
  )
  func digitsThatSurviveAreNumbers(text: String) throws {
    let value = try Value(parsing: text, as: .number)
    let again = try Value(parsing: value.text, as: .number)
    #expect(again == value)
  }

  @Test(
    arguments: [
      ("9007199254740993", "would be 9007199254740992; use an integer field"),
      ("-9007199254740993", "would be -9007199254740992; use an integer field"),
      ("0.1234567890123456789", "would be 0.12345678901234568; use a decimal field"),
      ("0.10000000000000001", "would be 0.1; use a decimal field"),
      ("4.9e-324", "would be 5e-324; use a text field"),
      ("1e-400", "too small for a number field, which would keep 0"),
      ("-1e-99999999999999999999", "too small for a number field"),
      (".0000001e-9223372036854775808", "too small for a number field"),
      ("1e400", "too large for a number field"), ("1e9223372036854775807", "too large"),
      ("inf", "is not a number"), ("0x10", "is not a number"), ("", "is not a number"),
    ]
  )
  func numbersThatLoseDigitsAreRejected(text: String, part: String) throws {
    let error = try #require(throws: ValueError.self) { try Value(parsing: text, as: .number) }
    #expect(error.description.contains(part), "\(error)")
  }

  /// In a filter such a number is a bound, not a value to be stored.
  @Test func aBoundMayHaveMoreDigitsThanTheField() throws {
    let entity = Schema.Entity("E", attributes: [Schema.Attribute("n", .number)])
    func holds(_ text: String, _ number: Double) throws -> Bool {
      let filter = try FilterParser.parse(text, for: entity)
      return try BoundFilter(filter, layout: entity.layout).matches([.number(number)])
    }
    #expect(try holds("n < 9007199254740993.5", 9_007_199_254_740_992))
    #expect(try !holds("n = 0.1234567890123456789", 0.1234567890123456789))
    #expect(try holds("n > 0.1234567890123456689", 0.1234567890123456789))
    #expect(throws: (any Error).self) { try FilterParser.parse("n < 1e400", for: entity) }
  }

  /// The default of a number field is exactly the number in the header of the file.
  @Test func aDefaultOfTooManyDigitsIsNoNumber() {
    let long = Value.decimal(Decimal(string: "0.1234567890123456789") ?? 0)
    #expect(long.coerced(to: .number) == long)
    #expect(Value.decimal(Decimal(string: "0.1") ?? 0).coerced(to: .number) == .number(0.1))
  }
}

/// Invalid JSON is rejected when it is typed, not when it is saved.
@Suite struct JSONTextRefusalTests {
  @Test(
    arguments: [
      (#"{"a":1,"a":2}"#, #"duplicate key "a""#), (#"[{"b":{"a":1,"\u0061":2}}]"#, "duplicate key"),
      (#"{"a":1,"b":[{"c":1},{"c":1,"d":2,"c":3}]}"#, #"duplicate key "c""#),
      (#""\ud800""#, "unpaired surrogate"), (#""\udc00\ud800""#, "unpaired surrogate"),
      (#"{"\ud83dx":1}"#, "unpaired surrogate"), (#"["\ud83d\u0041"]"#, "surrogate"),
    ]
  )
  func whatWouldLoseAMemberIsRefused(text: String, part: String) throws {
    let error = try #require(throws: ValueError.self) { try Value(parsing: text, as: .json) }
    #expect(error.description.contains(part), "\(error)")
  }

  @Test(
    arguments: [
      #"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, "{\"é\":1,\"e\u{301}\":2}", #"{"":1," ":2}"#,
      #"["\ud83d\ude00","\\ud800"]"#,
    ]
  )
  func whatKeepsEveryMemberIsKept(text: String) throws {
    #expect(try Value(parsing: text, as: .json) == .json(text))
  }
}
