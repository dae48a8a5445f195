import OpenSwiftData

/// Days seen from today, and the periods that a filter compares with.
extension EntryReader {
  /// A day or a period that a text may mean, and how the text was read if there are others.
  typealias DayMeaning = (days: ClosedRange<CalendarDate>, reading: String)

  /// Reads a period such as `2009`, `may 2009`, `last may` or `this_week`, `3w` for three weeks ago, or a date; empty
  /// for any other text.
  func days(_ text: String) -> [DayMeaning] {
    let words = Self.separated(text)
    if let days = Self.period(words) ?? relativePeriod(words) { return [(days, "")] }
    let days = relativeDay(words, inFilter: true)
    return days.isEmpty ? date(text) : days
  }

  /// Reads a period that is the same on every day, such as `2009`, `2009-05` or `may 2009`.
  static func period(_ text: String) -> [DayMeaning] {
    period(separated(text)).map { [($0, "")] } ?? []
  }

  static func only(_ day: CalendarDate?) -> [DayMeaning] { day.map { [($0...$0, "")] } ?? [] }

  private static func separated(_ text: String) -> [Substring] {
    text.lowercased().split { $0.isWhitespace || $0 == "_" }
  }

  // MARK: Periods

  private static func period(_ words: [Substring]) -> ClosedRange<CalendarDate>? {
    if words.count == 2, let month = CalendarWords.month(words[0]), words[1].count == 4 {
      return Int(words[1]).flatMap { days(of: $0, months: month...month) }
    }
    guard words.count == 1 else { return nil }
    let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == parts.count, parts[0].count == 4 else { return nil }
    switch numbers.count {
    case 1: return days(of: numbers[0], months: 1...12)
    case 2: return days(of: numbers[0], months: numbers[1]...numbers[1])
    case 3:
      return CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2]).map { $0...$0 }
    default: return nil
    }
  }

  private static func days(of year: Int, months: ClosedRange<Int>) -> ClosedRange<CalendarDate>? {
    guard let first = CalendarDate(year: year, month: months.lowerBound, day: 1),
      let last = CalendarDate(year: year, month: 1, day: 31)?.adding(
        months: months.upperBound - 1
      )
    else { return nil }
    return first...last
  }

  private func relativePeriod(_ words: [Substring]) -> ClosedRange<CalendarDate>? {
    guard let word = words.last, words.count <= 2 else { return nil }
    if words.count == 2 { return Self.steps[words[0]].flatMap { period(word, $0) } }
    return CalendarWords.month(word).flatMap {
      Self.days(of: today.components.year, months: $0...$0)
    }
  }

  private static let steps: [Substring: Int] = ["last": -1, "this": 0, "next": 1]

  /// The week, month or year before, around or after today; of months, the nearest in that direction.
  private func period(_ unit: Substring, _ step: Int) -> ClosedRange<CalendarDate>? {
    let (year, number, _) = today.components
    switch unit {
    case "year": return Self.days(of: year + step, months: 1...12)
    case "month":
      guard let shifted = today.adding(months: step)?.components else { return nil }
      return Self.days(of: shifted.year, months: shifted.month...shifted.month)
    case "week":
      let monday = today.adding(days: -today.weekday + 7 * step)
      return monday...monday.adding(days: 6)
    default:
      guard let wanted = CalendarWords.month(unit) else { return nil }
      let isOfThisYear = step < 0 ? wanted < number : step == 0 || wanted > number
      return Self.days(of: isOfThisYear ? year : year + step, months: wanted...wanted)
    }
  }

  // MARK: Single days

  /// Reads `yesterday`, `3 days ago`, `in 2 weeks`, `-3d`, `last friday`, `friday`.
  ///
  /// A filter also takes the negative number of `in -3 days`, and `3d` for three days ago.
  func relativeDay(_ words: [Substring], inFilter: Bool = false) -> [DayMeaning] {
    let weekdays = weekday(words)
    return weekdays.isEmpty ? Self.only(distantDay(words, inFilter)) : weekdays
  }

  private func distantDay(_ words: [Substring], _ inFilter: Bool) -> CalendarDate? {
    let least = inFilter ? -99_999 : 0
    if words.count == 3, words[2] == "ago" { return day(words[0], words[1], isBack: true, least) }
    if words.count == 3, words[0] == "in" { return day(words[1], words[2], isBack: false, least) }
    guard words.count == 1 else { return nil }
    let word = words[0]
    switch word {
    case "today", "now": return today
    case "yesterday": return day(after: -1)
    case "tomorrow": return day(after: 1)
    default: break
    }
    // -3d, +2w
    let isSigned = word.first == "+" || word.first == "-"
    guard isSigned || inFilter else { return nil }
    let rest = word.dropFirst(isSigned ? 1 : 0)
    let number = rest.prefix(while: \.isNumber)
    return day(number, rest.dropFirst(number.count), isBack: word.first != "+", 0)
  }

  private func day(_ number: Substring, _ unit: Substring, isBack: Bool, _ least: Int)
    -> CalendarDate?
  {
    guard let count = number == "a" || number == "one" ? 1 : Int(number),
      (least..<100_000) ~= count
    else { return nil }
    let steps = isBack ? -count : count
    switch unit {
    case "d", "day", "days": return day(after: steps)
    case "w", "week", "weeks": return day(after: 7 * steps)
    case "m", "month", "months": return today.adding(months: steps)
    case "y", "year", "years": return today.adding(months: 12 * steps)
    default: return nil
    }
  }

  private func day(after count: Int) -> CalendarDate? {
    let day = today.adding(days: count)
    return day.isInRange ? day : nil
  }

  private func weekday(_ words: [Substring]) -> [DayMeaning] {
    guard let word = words.last, words.count <= 2, let target = CalendarWords.weekday(word),
      let last = day(on: target, -1), let next = day(on: target, 1)
    else { return [] }
    if words.count == 2 {
      return Self.only(Self.steps[words[0]].flatMap { day(on: target, $0) })
    }
    let days: [DayMeaning] = [(last...last, "the last one"), (next...next, "the next one")]
    return target == today.weekday ? [(today...today, "today")] + days : days
  }

  /// The nearest day with a weekday before today, in this week, or after today.
  private func day(on weekday: Int, _ step: Int) -> CalendarDate? {
    let distance = weekday - today.weekday
    let weeks = step < 0 && distance >= 0 ? -1 : step > 0 && distance <= 0 ? 1 : 0
    return day(after: distance + 7 * weeks)
  }
}
