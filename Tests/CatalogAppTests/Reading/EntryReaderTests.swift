import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// What people type, and what is stored.
@Suite struct EntryReaderTests {
  /// A Tuesday.
  static let reader = EntryReader(today: CalendarDate("2026-11-24") ?? .init(daysSince1970: 0))

  /// The values for a text, as their exact texts; empty if it is refused.
  static func read(_ text: String, _ type: AttributeType) -> [String] {
    switch reader.read(text, as: type) {
    case .value(let value): [value.text]
    case .ambiguous(let meanings): meanings.map(\.value.text)
    case .refused: []
    }
  }

  static let numbers: [(text: String, type: AttributeType, values: [String])] = [
    ("12", .integer, ["12"]), (" 12 ", .integer, ["12"]), ("1.2m", .integer, ["1200000"]),
    ("1,2m", .integer, ["1200000"]), ("3k", .integer, ["3000"]), ("-4 K", .integer, ["-4000"]),
    ("2 bn", .integer, ["2000000000"]), ("1 million", .integer, ["1000000"]),
    ("1,000", .integer, ["1000"]), ("1.000", .integer, ["1000", "1"]),
    ("1 000", .integer, ["1000"]),
    ("1\u{A0}000", .integer, ["1000"]), ("1'000'000", .integer, ["1000000"]),
    ("1_000", .integer, ["1000"]), ("12,50", .integer, []), ("12.5", .integer, []),
    ("1.2345k", .integer, []), ("10 00", .integer, []), ("1,00", .integer, []),
    ("12,50", .decimal, ["12.50"]), ("1,000.50", .decimal, ["1000.50"]),
    ("1.000,50", .decimal, ["1000.50"]), ("1 000,5", .decimal, ["1000.5"]),
    ("1,000,000", .decimal, ["1000000"]), ("1.000.000", .decimal, ["1000000"]),
    ("1,000", .decimal, ["1000", "1.000"]), ("1.000", .decimal, ["1.000"]),
    ("0,500", .decimal, ["0.500"]), ("€ 5", .decimal, ["5"]), ("5 €", .decimal, ["5"]),
    ("5 EUR", .decimal, ["5"]),
    ("usd 5", .decimal, ["5"]), ("5 EURO", .decimal, []),
    ("-$1,234.56", .decimal, ["-1234.56"]), ("−5", .decimal, ["-5"]),
    ("1.2m", .decimal, ["1200000"]), ("0.1k", .decimal, ["100"]), ("0.0001k", .decimal, ["0.1"]),
    ("12345678901234567890,12", .decimal, ["12345678901234567890.12"]),
    ("0.1", .decimal, ["0.1"]), ("1,5", .number, ["1.5"]), ("1e3", .number, ["1000"]),
    ("1,2,3", .decimal, []), ("1,2.3", .decimal, []), ("1.2.3,4", .decimal, []),
    (",", .decimal, []), ("", .decimal, []), ("abc", .decimal, []), ("12x", .integer, []),
    ("5,", .decimal, []), ("k", .integer, []), ("- ", .integer, []),
    ("99999999999bn", .integer, []), ("1.0", .integer, ["1"]), ("-5.00", .integer, ["-5"]),
    ("1e3", .integer, ["1000"]), ("1,000.00", .integer, ["1000"]), ("1.5e1", .integer, ["15"]),
    ("1.000,00", .integer, ["1000"]), ("1.05", .integer, []), ("1e-1", .integer, []),
    ("1,000.50", .integer, []), ("1e30", .integer, []),
  ]

  @Test(arguments: numbers.indices) func readsNumbers(_ place: Int) {
    let entry = Self.numbers[place]
    let found = Self.read(entry.text, entry.type)
    // The text of a decimal omits the zeros at its end.
    #expect(
      found == entry.values.map { (try? Value(parsing: $0, as: entry.type))?.text ?? $0 },
      "\(entry.text)"
    )
  }

  static let percentages: [(text: String, type: AttributeType, values: [String])] = [
    ("50%", .decimal, ["0.5"]), ("12.5 %", .number, ["0.125"]), ("5%", .decimal, ["0.05"]),
    ("12,5%", .decimal, ["0.125"]), ("-0.5%", .decimal, ["-0.005"]), ("100%", .integer, ["1"]),
    ("1,234%", .decimal, ["12.34", "0.01234"]), ("12.345%", .decimal, ["0.12345"]),
    ("50%", .integer, []), ("%", .decimal, []), ("0%", .decimal, ["0"]), ("1%%", .decimal, []),
    ("0.5", .decimal, ["0.5"]),
  ]

  @Test(arguments: percentages.indices) func readsPercentages(_ place: Int) {
    let entry = Self.percentages[place]
    let reader = EntryReader(today: Self.reader.today, readsPercent: true)
    if entry.text.contains("%") { #expect(Self.read(entry.text, entry.type) == []) }
    let found =
      switch reader.read(entry.text, as: entry.type) {
      case .value(let value): [value.text]
      case .ambiguous(let meanings): meanings.map(\.value.text)
      case .refused: [] as [String]
      }
    #expect(found == entry.values, "\(entry.text)")
  }

  static let days: [(text: String, values: [String])] = [
    ("2009-05-09", ["2009-05-09"]), ("2009-5-9", ["2009-05-09"]), ("2009/5/9", ["2009-05-09"]),
    ("2009.5.9", ["2009-05-09"]), ("20090509", ["2009-05-09"]), ("3 mar 72", ["1972-03-03"]),
    ("Mar 3, 1972", ["1972-03-03"]), ("March 3rd 1972", ["1972-03-03"]),
    ("3. March 1972", ["1972-03-03"]), ("3-Mar-72", ["1972-03-03"]), ("1972 mar 3", ["1972-03-03"]),
    ("3 mar", ["2026-03-03"]), ("1 jan 46", ["2046-01-01"]), ("1 jan 47", ["1947-01-01"]),
    ("Jan 1 2000", ["2000-01-01"]), ("12/31/1999", ["1999-12-31"]), ("31/12/1999", ["1999-12-31"]),
    ("3/4/2009", ["2009-04-03", "2009-03-04"]), ("3.4.2009", ["2009-04-03"]),
    ("4/4/2009", ["2009-04-04"]), ("3-4-09", ["2009-04-03", "2009-03-04"]),
    ("today", ["2026-11-24"]), ("Yesterday", ["2026-11-23"]), ("tomorrow", ["2026-11-25"]),
    ("3 days ago", ["2026-11-21"]), ("a week ago", ["2026-11-17"]), ("in 2 weeks", ["2026-12-08"]),
    ("a month ago", ["2026-10-24"]), ("in 3 months", ["2027-02-24"]), ("-1y", ["2025-11-24"]),
    ("+3d", ["2026-11-27"]), ("last friday", ["2026-11-20"]), ("next friday", ["2026-11-27"]),
    ("fri", ["2026-11-20", "2026-11-27"]),
    ("tuesday", ["2026-11-24", "2026-11-17", "2026-12-01"]),
    ("29 feb 2023", []), ("31/31/1999", []), ("2009-13-01", []), ("mar 1972", []), ("3 ma 72", []),
    ("may", []), ("3/4", []), ("1-2-3-4", []), ("99999999999999999999 days ago", []), ("x", []),
    ("3 mar 197", []), ("-", []),
  ]

  @Test(arguments: days.indices) func readsDates(_ place: Int) {
    let entry = Self.days[place]
    #expect(Self.read(entry.text, .date) == entry.values, "\(entry.text)")
  }

  static let others: [(text: String, type: AttributeType, values: [String])] = [
    ("yesterday 18:30", .datetime, ["2026-11-23T18:30:00Z"]),
    ("3 mar 72 6pm", .datetime, ["1972-03-03T18:00:00Z"]),
    ("2009-5-9 at 6:30 PM", .datetime, ["2009-05-09T18:30:00Z"]),
    ("2009-5-9T18:30:05", .datetime, ["2009-05-09T18:30:05Z"]),
    ("today", .datetime, ["2026-11-24T00:00:00Z"]), ("12am", .datetime, []),
    ("2009-05-09 24:00", .datetime, []), ("2009-05-09 18:60", .datetime, []),
    ("y", .boolean, ["true"]), (" No ", .boolean, ["false"]), ("on", .boolean, ["true"]),
    ("✗", .boolean, ["false"]), ("maybe", .boolean, []),
    (
      "{6F9619FF-8B86-D011-B42D-00CF4FC964FF}", .uuid,
      ["6f9619ff-8b86-d011-b42d-00cf4fc964ff"]
    ),
    ("6f9619ff8b86d011b42d00cf4fc964ff", .uuid, ["6f9619ff-8b86-d011-b42d-00cf4fc964ff"]),
    (" 12 ", .text, [" 12 "]), ("3 mar 72", .text, ["3 mar 72"]),
  ]

  @Test(arguments: others.indices) func readsOtherTypes(_ place: Int) {
    let entry = Self.others[place]
    #expect(Self.read(entry.text, entry.type) == entry.values, "\(entry.text)")
  }

  /// A text in the exact form keeps its meaning, whatever else it could mean.
  @Test func exactTextsKeepTheirMeaning() {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let letters = Array("0123456789.,- /+ekmT:Zaprybd€")
    let types: [AttributeType] = [.integer, .number, .decimal, .date, .datetime, .boolean, .uuid]
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...10, using: &generator)
      let text = String((0..<length).map { _ in letters.randomElement(using: &generator) ?? " " })
      for type in types {
        let strict = try? Value(parsing: text, as: type)
        let reading = Self.reader.read(text, as: type)
        if let strict { #expect(reading == .value(strict), "seed \(seed): \(text)") }
        guard case .value(let value) = reading, type != .number else { continue }
        // What is shown is what is stored.
        let again = try? Value(parsing: value.text, as: type)
        #expect(again == value, "seed \(seed): \(text) as \(type)")
      }
    }
  }
}
