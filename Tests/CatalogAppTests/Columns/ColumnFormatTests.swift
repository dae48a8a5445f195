import CatalogApp
import OpenSwiftData
import Testing

/// How values look in the formats of columns.
@Suite struct ColumnFormatTests {
  private static let today = CalendarDate("2026-11-24")

  static let numbers: [(words: String, value: Value, text: String?)] = [
    ("thousands", .integer(1_234_567), "1,234,567"), ("thousands", .integer(-999), "-999"),
    ("thousands", .integer(-1000), "-1,000"), ("thousands decimals=1", .integer(1000), "1,000.0"),
    ("decimals=2", .integer(3), "3.00"), ("decimals=0", .number(2.5), "3"),
    ("decimals=0", .number(-0.4), "0"), ("decimals=1", .number(9.96), "10.0"),
    ("percent", .number(0.125), "12.5 %"), ("percent decimals=0", .integer(1), "100 %"),
    ("percent", .number(0.001), "0.1 %"), ("bytes", .integer(512), "512 B"),
    ("bytes", .integer(5_242_880), "5.0 MiB"), ("bytes decimals=0", .integer(-2048), "-2 KiB"),
    ("money=€", .integer(1234), "€1,234.00"), ("money", .number(-0.5), "-0.50"),
    ("money=$ decimals=0", .number(1999.5), "$2,000"), ("thousands", .number(1e300), nil),
    ("thousands", .text("1000"), nil), ("percent", .null, nil), ("yesno", .boolean(true), "yes"),
    ("yesno", .boolean(false), "no"), ("yesno", .integer(1), nil),
  ]

  @Test(arguments: numbers)
  func numbersAreWrittenExactly(words: String, value: Value, text: String?) throws {
    let format = try ColumnFormat(words: words.split(separator: " ").map(String.init))
    #expect(format.text(of: value, today: nil) == text)
  }

  @Test func decimalsOfManyDigitsAreRoundedAndGroupedWithoutFloats() throws {
    let value = try Value(parsing: "12345678901234567890123.455", as: .decimal)
    let format = try ColumnFormat(words: ["thousands", "decimals=2"])
    #expect(format.text(of: value, today: nil) == "12,345,678,901,234,567,890,123.46")
  }

  /// Words that are given together, and the format that they make; nil if one of them would be dropped.
  @Test(arguments: [
    ("money thousands", "money"), ("thousands money=€", "money=€"),
    ("thousands percent", "percent"),
    ("thousands thousands", "thousands"), ("money plain bytes", "bytes"), ("left left", "left"),
    ("money percent", nil), ("bytes thousands", nil), ("left right", nil), ("iso long", nil),
    ("money=€ money=$", nil),
  ])
  func wordsThatExcludeEachOtherAreRefused(words: String, text: String?) throws {
    let parts = words.split(separator: " ").map(String.init)
    guard let text else {
      let message = "\(parts[0]) and \(parts[1]) cannot be combined; give one of them"
      #expect(throws: CommandError(message)) {
        try ColumnFormat(words: parts)
      }
      return
    }
    #expect(try ColumnFormat(words: parts).text == text)
  }

  static let dates: [(style: String, day: String, text: String)] = [
    ("iso", "2009-05-29", "2009-05-29"), ("long", "2009-05-29", "29 May 2009"),
    ("dmy", "2009-05-09", "09.05.2009"), ("mdy", "2009-05-29", "05/29/2009"),
    ("month", "2009-12-31", "Dec 2009"), ("year", "0079-08-24", "79"),
    ("relative", "2026-11-24", "today"), ("relative", "2026-11-23", "yesterday"),
    ("relative", "2026-11-25", "tomorrow"), ("relative", "2026-11-20", "4 days ago"),
    ("relative", "2026-12-20", "in 3 weeks"), ("relative", "2025-11-24", "12 months ago"),
    ("relative", "2000-01-01", "26 years ago"),
  ]

  @Test(arguments: dates)
  func datesHaveSeveralStyles(style: String, day: String, text: String) throws {
    let format = try ColumnFormat(words: [style])
    let value = Value.date(try #require(CalendarDate(day)))
    #expect(format.text(of: value, today: Self.today) == text)
  }

  @Test func theDistanceOfADayNeedsToday() throws {
    let format = try ColumnFormat(words: ["relative"])
    let value = Value.date(try #require(CalendarDate("2009-05-29")))
    #expect(format.text(of: value, today: nil) == "2009-05-29")
  }

  @Test(arguments: [
    ("thousands decimals=2 right", "thousands decimals=2 right"), ("money=€ left", "money=€ left"),
    ("thousands plain", ""), ("relative", "relative"), ("center", "center"),
  ])
  func theWordsOfAFormatMakeItAgain(words: String, text: String) throws {
    let format = try ColumnFormat(words: words.split(separator: " ").map(String.init))
    #expect(format.text == text)
    #expect(try ColumnFormat(words: format.text.split(separator: " ").map(String.init)) == format)
  }

  @Test(arguments: [
    ("thousand", "did you mean \"thousands\"?"), ("decimals=x", "is not a number from 0 to 18"),
    ("decimals=19", "is not a number from 0 to 18"), ("left=1", "unknown format"),
  ])
  func aWrongWordIsNamed(word: String, message: String) throws {
    let error = #expect(throws: CommandError.self) { try ColumnFormat(words: [word]) }
    #expect(error?.message.contains(message) == true)
  }
}
