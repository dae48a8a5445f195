import OpenSwiftData
import Testing

@Suite struct CalendarProblemTests {
  static let texts: [(text: String, type: AttributeType, message: String)] = [
    ("2009-02-30", .date, "\"2009-02-30\" is not a date: February 2009 has 28 days"),
    ("2008-02-30", .date, "\"2008-02-30\" is not a date: February 2008 has 29 days"),
    ("1900-02-29", .date, "\"1900-02-29\" is not a date: February 1900 has 28 days"),
    ("2009-04-31", .date, "\"2009-04-31\" is not a date: April 2009 has 30 days"),
    (
      "2009-13-01", .date,
      "\"2009-13-01\" is not a date: month 13 does not exist; months are 01 to 12"
    ),
    ("2009-05-00", .date, "\"2009-05-00\" is not a date: day 00 does not exist; days begin at 01"),
    ("29.5.2009", .date, "\"29.5.2009\" is not a date; write it as 2009-05-29"),
    ("2009-5-29", .date, "\"2009-5-29\" is not a date; write it as 2009-05-29"),
    ("2009-05-29x", .date, "\"2009-05-29x\" is not a date; write it as 2009-05-29"),
  ]

  static let moments: [(text: String, problem: String)] = [
    ("2009-02-30T10:00:00Z", ": February 2009 has 28 days"),
    ("2009-05-29T25:00:00Z", ": hour 25 does not exist; hours are 00 to 23"),
    ("2009-05-29T24:00:00Z", ": midnight is 00:00 of the next day"),
    ("2009-05-29 10:60", ": minute 60 does not exist; minutes are 00 to 59"),
    ("2016-12-31T23:59:60Z", ": leap seconds are not supported; use second 59"),
    ("2016-12-31T23:59:61Z", ": second 61 does not exist; seconds are 00 to 59"),
    ("2009-05-29T1", "; write it as 2009-05-29T18:30:00Z"),
    ("noon", "; write it as 2009-05-29T18:30:00Z"),
  ]

  @Test(arguments: texts.indices) func aDateThatDoesNotExistSaysWhy(_ number: Int) {
    let example = Self.texts[number]
    #expect(throws: ValueError(example.message)) { try Value(parsing: example.text, as: .date) }
  }

  @Test(arguments: moments.indices) func aMomentThatDoesNotExistSaysWhy(_ number: Int) {
    let (text, problem) = Self.moments[number]
    #expect(throws: ValueError("\"\(text)\" is not a date with time\(problem)")) {
      try Value(parsing: text, as: .datetime)
    }
  }
}
