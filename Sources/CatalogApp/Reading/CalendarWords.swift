import OpenSwiftData

/// The English names of months and days, as people shorten them.
enum CalendarWords {
  /// The names of the months, from January.
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  fileprivate static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// The number of a month, from 1, given at least three of its first letters in lower case.
  static func month(_ word: some StringProtocol) -> Int? {
    place(of: word, in: months).map { $0 + 1 }
  }

  /// The day of the week, from Monday as 0, given at least three of its first letters in lower case.
  static func weekday(_ word: some StringProtocol) -> Int? { place(of: word, in: weekdays) }

  private static func place(of word: some StringProtocol, in names: [String]) -> Int? {
    guard word.count >= 3 else { return nil }
    return names.firstIndex { $0.lowercased().hasPrefix(word) }
  }
}

extension CalendarDate {
  /// The day of the week, from Monday as 0.
  var weekday: Int {
    // 1970-01-01 was a Thursday.
    ((Int(daysSince1970) + 3) % 7 + 7) % 7
  }

  /// The English name of the day of the week.
  var weekdayName: String { CalendarWords.weekdays[weekday] }

  /// The day a number of days later.
  func adding(days: Int) -> CalendarDate {
    CalendarDate(daysSince1970: Int32(clamping: Int(daysSince1970) + days))
  }

  /// The same day of another month, or the last one if that month is shorter; nil if the calendar has no such year.
  func adding(months count: Int) -> CalendarDate? {
    let (year, month, day) = components
    let months = year * 12 + month - 1 + count
    guard months >= 0 else { return nil }
    for last in stride(from: day, to: day - 4, by: -1) {
      if let found = CalendarDate(year: months / 12, month: months % 12 + 1, day: last) {
        return found
      }
    }
    return nil
  }
}
