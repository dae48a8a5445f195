import OpenSwiftData

/// The English names of months and days, as people shorten them.
enum CalendarWords {
  /// The number of a month, from 1, given at least three of its first letters in lower case.
  static func month(_ word: some StringProtocol) -> Int? {
    place(of: word, in: CalendarDate.monthNames).map { $0 + 1 }
  }

  /// The day of the week, from Monday as 0, given at least three of its first letters in lower case.
  static func weekday(_ word: some StringProtocol) -> Int? {
    place(of: word, in: CalendarDate.weekdayNames)
  }

  private static func place(of word: some StringProtocol, in names: [String]) -> Int? {
    guard word.count >= 3 else { return nil }
    return names.firstIndex { $0.lowercased().hasPrefix(word) }
  }
}

extension CalendarDate {
  /// The English name of the day of the week.
  var weekdayName: String { Self.weekdayNames[weekday] }
}
