import OpenSwiftData

/// The days that a text means, such as `2009`, `last may`, `yesterday` or `3 weeks ago`.
struct DateWords {
  /// The days, the first and the last one.
  let days: ClosedRange<CalendarDate>

  /// Reads a text; nil for one that means no day.
  ///
  /// Words such as `last` need the current day.
  init?(_ text: String, today: CalendarDate?) {
    let words = text.lowercased().split { $0.isWhitespace || $0 == "_" }.map(String.init)
    guard let days = Self.exact(words) ?? today.flatMap({ Self.relative(words, $0) }) else {
      return nil
    }
    self.days = days
  }

  // MARK: Days that are named

  private static func exact(_ words: [String]) -> ClosedRange<CalendarDate>? {
    switch words.count {
    case 1:
      let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
      let numbers = parts.compactMap { Int($0) }
      guard numbers.count == parts.count, parts[0].count == 4 else { return nil }
      switch numbers.count {
      case 1: return year(numbers[0])
      case 2: return month(numbers[1], of: numbers[0])
      case 3:
        return CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2]).map { $0...$0 }
      default: return nil
      }
    case 2:
      guard let number = CalendarWords.month(words[0]), words[1].count == 4,
        let year = Int(words[1])
      else {
        return nil
      }
      return month(number, of: year)
    default: return nil
    }
  }

  private static func year(_ number: Int) -> ClosedRange<CalendarDate>? {
    guard let first = CalendarDate(year: number, month: 1, day: 1),
      let last = CalendarDate(year: number, month: 12, day: 31)
    else { return nil }
    return first...last
  }

  private static func month(_ number: Int, of year: Int) -> ClosedRange<CalendarDate>? {
    guard let first = CalendarDate(year: year, month: number, day: 1),
      let next = number == 12
        ? CalendarDate(year: year, month: 12, day: 31)
        : CalendarDate(year: year, month: number + 1, day: 1)?.adding(days: -1)
    else { return nil }
    return first...next
  }

  // MARK: Days seen from today

  private static func relative(_ words: [String], _ today: CalendarDate)
    -> ClosedRange<CalendarDate>?
  {
    switch words.count {
    case 1: return one(words[0], today)
    case 2:
      if let step = ["last": -1, "this": 0, "next": 1][words[0]] {
        return period(words[1], step, today)
      }
      return nil
    case 3 where words[2] == "ago":
      return Int(words[0]).flatMap { day(-$0, words[1], today) }.map { $0...$0 }
    case 3 where words[0] == "in":
      return Int(words[1]).flatMap { day($0, words[2], today) }.map { $0...$0 }
    default: return nil
    }
  }

  private static func one(_ word: String, _ today: CalendarDate) -> ClosedRange<CalendarDate>? {
    switch word {
    case "today": return today...today
    case "yesterday": return today.adding(days: -1)...today.adding(days: -1)
    case "tomorrow": return today.adding(days: 1)...today.adding(days: 1)
    default: break
    }
    if let number = CalendarWords.month(word) { return month(number, of: today.components.year) }
    // 3w is three weeks ago; +3w and -3w are read as in a cell.
    guard word.first?.isNumber ?? false, let unit = word.last, let count = Int(word.dropLast())
    else { return nil }
    let units: [Character: String] = ["d": "days", "w": "weeks", "m": "months", "y": "years"]
    return units[unit].flatMap { day(-count, $0, today) }.map { $0...$0 }
  }

  /// The day a number of units from today.
  private static func day(_ count: Int, _ unit: String, _ today: CalendarDate) -> CalendarDate? {
    guard abs(count) < 100_000 else { return nil }
    switch unit {
    case "day", "days": return today.adding(days: count)
    case "week", "weeks": return today.adding(days: 7 * count)
    case "month", "months": return today.adding(months: count)
    case "year", "years": return today.adding(months: 12 * count)
    default: return nil
    }
  }

  /// The week, month or year before, around or after today; of months and weekdays, the nearest in that direction.
  private static func period(_ unit: String, _ step: Int, _ today: CalendarDate)
    -> ClosedRange<CalendarDate>?
  {
    let (year, number, _) = today.components
    switch unit {
    case "year": return Self.year(year + step)
    case "month":
      guard let shifted = today.adding(months: step)?.components else { return nil }
      return month(shifted.month, of: shifted.year)
    case "week":
      let monday = today.adding(days: -today.weekday + 7 * step)
      return monday...monday.adding(days: 6)
    default: break
    }
    if let wanted = CalendarWords.month(unit) {
      let isPast = step < 0 && wanted >= number
      let isNext = step > 0 && wanted <= number
      return month(wanted, of: year - (isPast ? 1 : 0) + (isNext ? 1 : 0))
    }
    guard let weekday = CalendarWords.weekday(unit) else { return nil }
    var distance = weekday - today.weekday
    if step < 0, distance >= 0 { distance -= 7 }
    if step > 0, distance <= 0 { distance += 7 }
    return today.adding(days: distance)...today.adding(days: distance)
  }
}
