package import OpenSwiftData

/// How the values of a column are shown, while the stored values stay as they are.
package struct ColumnFormat: Hashable, Sendable {
  /// The form of numbers, dates or truth values.
  package enum Style: Hashable, Sendable {
    case plain
    /// Digits in groups of three: `1,234,567`.
    case thousands
    /// A part of one as a percentage: `0.125` is `12.5 %`.
    case percent
    /// A number of bytes in units: `1.4 MiB`.
    case bytes
    /// Groups of three digits, two decimals and a sign in front.
    case money(String)
    /// Truth values as `yes` and `no`.
    case yesNo
    case date(DateStyle)
  }

  /// The form of dates.
  package enum DateStyle: String, Hashable, Sendable, CaseIterable {
    /// `2009-05-29`
    case iso
    /// `29 May 2009`
    case long
    /// `29.05.2009`
    case dmy
    /// `05/29/2009`
    case mdy
    /// `May 2009`
    case month
    /// `2009`
    case year
    /// `3 days ago`
    case relative
  }

  package var style = Style.plain
  /// The digits after the point; nil for those that the value has.
  package var decimals: Int?
  /// The side at which values are aligned; nil for that of their type.
  package var alignment: DisplayText.Alignment?

  /// Shows values as they are.
  package init() {}

  /// True if it changes nothing.
  package var isPlain: Bool { self == ColumnFormat() }

  /// The text of a value in this format, with the value itself after it if the format leaves something out; nil if
  /// the format does not concern it.
  func exactText(of value: Value, today: CalendarDate?) -> String? {
    text(of: value, today: today).map { rounds(value, to: $0) ? "\($0) · \(value.text)" : $0 }
  }

  /// True if other values have the same text in this format.
  private func rounds(_ value: Value, to text: String) -> Bool {
    switch (value, style) {
    case (.date, .date(let style)): return ![.iso, .long, .dmy, .mdy].contains(style)
    case (_, .date): return true
    case (_, .yesNo): return false
    case (_, .bytes): return text != value.text + " B"
    case (_, .plain), (_, .thousands), (_, .percent), (_, .money):
      guard let places = decimals ?? defaultDecimals, var number = DigitText(value.text) else {
        return false
      }
      if style == .percent { number = number.shifted(by: 2) }
      return number.rounded(to: places).trimmed != number.trimmed
    }
  }

  private static let decimalsOfMoney = 2

  /// The digits after the point without a wish; nil for those that the value has.
  private var defaultDecimals: Int? {
    if case .money = style { Self.decimalsOfMoney } else { nil }
  }

  /// The text of a value in this format; nil if the format does not concern it.
  package func text(of value: Value, today: CalendarDate?) -> String? {
    switch (value, style) {
    case (.boolean(let isTrue), .yesNo): return isTrue ? "yes" : "no"
    case (.date(let day), .date(let style)): return style.text(of: day, today: today)
    case (.datetime(let moment), .date(let style)):
      // The day at Greenwich, as the unformatted text shows it.
      let day = CalendarDate(String(Value.datetime(moment).text.prefix(10)))
      return day.map { style.text(of: $0, today: today) }
    case (.integer, _), (.decimal, _), (.number, _):
      return DigitText(value.text).flatMap { text(of: $0) }
    default: return nil
    }
  }

  private func text(of number: DigitText) -> String? {
    switch style {
    case .plain: return decimals.map { number.rounded(to: $0).text }
    case .thousands: return (decimals.map { number.rounded(to: $0) } ?? number).grouped
    case .percent:
      let shifted = number.shifted(by: 2)
      return (decimals.map { shifted.rounded(to: $0) } ?? shifted).grouped + " %"
    case .money(let sign):
      let rounded = number.rounded(to: decimals ?? Self.decimalsOfMoney)
      return (rounded.isNegative ? "-" : "") + sign + rounded.magnitude.grouped
    case .bytes: return number.bytes(decimals: decimals ?? 1)
    case .yesNo, .date: return nil
    }
  }
}

extension ColumnFormat.DateStyle {
  fileprivate func text(of day: CalendarDate, today: CalendarDate?) -> String {
    let (year, month, number) = day.components
    let name = CalendarDate.monthNames[month - 1].prefix(3)
    let iso = day.description
    let parts = iso.split(separator: "-")
    switch self {
    case .iso: return iso
    case .long: return "\(number) \(name) \(parts[0])"
    case .dmy: return "\(parts[2]).\(parts[1]).\(parts[0])"
    case .mdy: return "\(parts[1])/\(parts[2])/\(parts[0])"
    case .month: return "\(name) \(parts[0])"
    case .year: return String(year)
    case .relative: return today.map { Self.distance(of: day, from: $0) } ?? iso
    }
  }

  /// The distance of a day in words, such as `3 days ago` or `in 2 months`.
  private static func distance(of day: CalendarDate, from today: CalendarDate) -> String {
    let days = Int(day.daysSince1970) - Int(today.daysSince1970)
    switch days {
    case 0: return "today"
    case -1: return "yesterday"
    case 1: return "tomorrow"
    default: break
    }
    let count = abs(days)
    let (number, unit) =
      count < 14
      ? (count, "day")
      : count < 60
        ? (count / 7, "week") : count < 730 ? (count * 12 / 365, "month") : (count / 365, "year")
    let text = "\(number) \(unit)\(number == 1 ? "" : "s")"
    return days < 0 ? "\(text) ago" : "in \(text)"
  }
}
