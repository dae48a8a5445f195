/// Weeks, months and names of the calendar.
extension CalendarDate {
  /// The English names of the months, from January.
  package static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  /// The English names of the days of the week, from Monday.
  package static let weekdayNames = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// The day of the week, from Monday as 0.
  package var weekday: Int {
    // 1970-01-01 was a Thursday.
    ((Int(daysSince1970) + 3) % 7 + 7) % 7
  }

  /// The day a number of days later, at most the last one that 32 bits can count.
  package func adding(days: Int) -> CalendarDate {
    let (sum, overflow) = Int(daysSince1970).addingReportingOverflow(days)
    return CalendarDate(
      daysSince1970: overflow ? (days < 0 ? .min : .max) : Int32(clamping: sum)
    )
  }

  /// The same day of another month, or the last one if that month is shorter; nil outside the years 0000 to 9999.
  package func adding(months count: Int) -> CalendarDate? {
    let (year, month, day) = components
    let (months, overflow) = (year * 12 + month - 1).addingReportingOverflow(count)
    guard !overflow, (0..<120_000).contains(months) else { return nil }
    let (newYear, newMonth) = (months / 12, months % 12 + 1)
    return CalendarDate(
      year: newYear,
      month: newMonth,
      day: min(day, Self.days(inMonth: newMonth, of: newYear))
    )
  }
}
