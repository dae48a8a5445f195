import Foundation
import Testing

@testable import OpenSwiftData

/// The one spelling by which values of a file are compared that have different types.
@Suite struct SpelledAlikeTests {
  @Test(arguments: [
    ["1.50", "1.5", "15e-1", "0.15E+1"], ["0.00001", "1e-05", "1E-5"],
    ["100000000000000000000000", "1e23"], ["0", "-0", "0.00", "0e9"], [".5", "0.5"],
    ["TRUE", "true"],
    ["2020-01-02 10:00", "2020-01-02T10:00:00Z"],
    ["6F9619FF-8B86-D011-B42D-00C04FC964FF", "6f9619ff-8b86-d011-b42d-00c04fc964ff"],
    ["1e-400", "0.1e-399"],
  ])
  func spellingsOfOneValueAreAlike(spellings: [String]) {
    #expect(Set(spellings.map(Value.spelledAlike)).count == 1, "\(spellings)")
  }

  @Test(arguments: [
    ["7", "007", "+7"], ["1.5", "1.51", "15"],
    ["12345678901234567890.1", "12345678901234567890.2"],
    ["2020-01-02", "2020-01-02T00:00:00Z"], ["1e500", "1e501", "-1e500"],
    // No number has so many places; formerly the first one ended the program.
    ["1e-9223372036854775808", "1e-9223372036854775807", "1e99999999999999999999"],
  ])
  func othersAreNot(texts: [String]) {
    #expect(Set(texts.map(Value.spelledAlike)).count == texts.count, "\(texts)")
  }

  @Test func typesDoNotMatter() throws {
    let decimal = try Value(parsing: "1.50", as: .decimal)
    #expect(decimal.spelledAlike == Value.number(1.5).spelledAlike)
    #expect(Value.number(1e-5).spelledAlike == Value.text("0.00001").spelledAlike)
    #expect(Value.json("null").spelledAlike.isEmpty && Value.null.spelledAlike.isEmpty)
  }
}
