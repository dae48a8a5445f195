/// Explains why a text in the form of a date or datetime is not valid.
enum CalendarProblem {
  /// A message such as `February 2009 has 28 days`; nil if the text does not have the form of a date.
  static func text(of text: String, hasTime: Bool) -> String? {
    var bytes = Array(text.utf8.prefix(40))[...]
    guard let year = number(&bytes, digits: 4), bytes.popFirst() == UInt8(ascii: "-"),
      let month = number(&bytes, digits: 2), bytes.popFirst() == UInt8(ascii: "-"),
      let day = number(&bytes, digits: 2)
    else { return nil }
    if let problem = problem(year: year, month: month, day: day) { return problem }
    guard hasTime, let separator = bytes.popFirst(),
      separator == UInt8(ascii: "T") || separator == UInt8(ascii: " "),
      let hour = number(&bytes, digits: 2), bytes.popFirst() == UInt8(ascii: ":"),
      let minute = number(&bytes, digits: 2)
    else { return nil }
    var second: Int?
    if bytes.popFirst() == UInt8(ascii: ":") { second = number(&bytes, digits: 2) }
    return problem(hour: hour, minute: minute, second: second ?? 0)
  }

  private static func problem(year: Int, month: Int, day: Int) -> String? {
    guard (1...12).contains(month) else {
      return "month \(CalendarDate.padded(month, 2)) does not exist; months are 01 to 12"
    }
    let days = CalendarDate.days(inMonth: month, of: year)
    guard day > 0 else { return "day 00 does not exist; days begin at 01" }
    return day > days
      ? "\(months[month - 1]) \(CalendarDate.padded(year, 4)) has \(days) days" : nil
  }

  private static func problem(hour: Int, minute: Int, second: Int) -> String? {
    if hour == 24, minute == 0, second == 0 { return "midnight is 00:00 of the next day" }
    if hour > 23 { return "hour \(hour) does not exist; hours are 00 to 23" }
    if minute > 59 { return "minute \(minute) does not exist; minutes are 00 to 59" }
    if second == 60 { return "leap seconds are not supported; use second 59" }
    return second > 59 ? "second \(second) does not exist; seconds are 00 to 59" : nil
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>, digits: Int) -> Int? {
    let own = bytes.prefix(digits)
    guard own.count == digits, own.allSatisfy({ (48...57).contains($0) }) else { return nil }
    bytes = bytes.dropFirst(digits)
    return own.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
