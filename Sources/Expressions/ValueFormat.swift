import Foundation
import OpenSwiftData

/// A form in which `format` writes numbers, such as `#,##0.00` or `0.0%`, or days, such as `%d.%m.%Y`.
struct ValueFormat {
  private let pattern: String

  init(_ pattern: String) { self.pattern = pattern }

  /// The text of a value.
  ///
  /// - Throws: `ExpressionFailure` for an unknown form, and for values that are neither numbers nor days.
  func text(of value: Computed) throws(ExpressionFailure) -> String {
    if case .value(let own) = value, let parts = DayParts(own) { return try text(of: parts) }
    guard case .value(let own) = value, value.type.isNumeric else {
      throw ExpressionFailure(
        "\(Value.quoted(value.text)) is \(value.type.rawValue); format needs a number or a date"
      )
    }
    guard let exact = own.exact else {
      throw ExpressionFailure("\(own.text) has no digits")
    }
    guard let form = NumberForm(pattern) else {
      throw ExpressionFailure(
        "unknown format \(Value.quoted(pattern)); use 0.00, #,##0.00, 000 or 0%"
      )
    }
    return try form.text(of: exact)
  }

  private func text(of parts: DayParts) throws(ExpressionFailure) -> String {
    var result = ""
    var rest = pattern[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        result.append(character)
        continue
      }
      guard let letter = rest.popFirst() else { throw unknown("%") }
      if "HIMSpT".contains(letter), parts.seconds == nil {
        throw ExpressionFailure("a date has no time for %\(letter)")
      }
      guard let text = Self.text(letter, parts) else { throw unknown("%\(letter)") }
      result += text
    }
    return result
  }

  private func unknown(_ part: String) -> ExpressionFailure {
    ExpressionFailure("unknown format \(Value.quoted(part))")
  }

  /// What a letter after the percent sign stands for; nil for an unknown one.
  private static func text(_ letter: Character, _ parts: DayParts) -> String? {
    let (year, month, day) = parts.day.components
    let padded = CalendarDate.padded
    switch letter {
    case "Y": return padded(year, 4)
    case "y": return padded(year % 100, 2)
    case "m": return padded(month, 2)
    case "d": return padded(day, 2)
    case "e": return String(day)
    case "H": return padded(parts.hour, 2)
    case "I": return padded((parts.hour + 11) % 12 + 1, 2)
    case "p": return parts.hour < 12 ? "AM" : "PM"
    case "M": return padded(parts.minute, 2)
    case "S": return padded(parts.second, 2)
    case "j": return padded(parts.dayOfYear, 3)
    case "B": return CalendarDate.monthNames[month - 1]
    case "b": return String(CalendarDate.monthNames[month - 1].prefix(3))
    case "A": return CalendarDate.weekdayNames[parts.weekday - 1]
    case "a": return String(CalendarDate.weekdayNames[parts.weekday - 1].prefix(3))
    case "G": return padded(parts.week.year, 4)
    case "V": return padded(parts.week.number, 2)
    case "u": return String(parts.weekday)
    case "q": return String((month + 2) / 3)
    case "F": return parts.day.description
    case "T":
      return "\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2))"
    case "%": return "%"
    default: return nil
    }
  }
}

/// The form of a number: how many digits there are at least and at most, and what stands around them.
private struct NumberForm {
  private var prefix = ""
  private var suffix = ""
  private var hasGroups = false
  private var isPercent = false
  private var leastWhole = 0
  private var leastPlaces = 0
  private var mostPlaces = 0

  /// Reads `[text][#,##]0…[.0…#…][%][text]`; nil for any other text.
  init?(_ pattern: String) {
    guard let start = pattern.firstIndex(where: { "#0".contains($0) || $0 == "." }) else {
      return nil
    }
    prefix = String(pattern[..<start])
    var rest = pattern[start...]
    let whole = rest.prefix { "#,0".contains($0) }
    rest = rest.dropFirst(whole.count)
    hasGroups = whole.contains(",")
    leastWhole = whole.count { $0 == "0" }
    if rest.first == "." {
      let places = rest.dropFirst().prefix { "0#".contains($0) }
      guard !places.isEmpty else { return nil }
      rest = rest.dropFirst(1 + places.count)
      mostPlaces = places.count
      leastPlaces = places.prefix { $0 == "0" }.count
    }
    guard leastWhole > 0 || mostPlaces > 0 else { return nil }
    isPercent = rest.first == "%"
    suffix = String(rest)
  }

  func text(of number: ExactDecimal) throws(ExpressionFailure) -> String {
    let rounded: ExactDecimal
    do {
      let scaled = isPercent ? try number * ExactDecimal(whole: 100) : number
      rounded = try scaled.rounded(mostPlaces)
    } catch { throw ExpressionFailure("\(error)") }
    let text = Value(rounded).text
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".")
    var whole = parts.first.map { $0 == "0" ? "" : String($0) } ?? ""
    whole = String(repeating: "0", count: max(0, leastWhole - whole.count)) + whole
    var places = parts.count > 1 ? String(parts[1]) : ""
    places += String(repeating: "0", count: max(0, leastPlaces - places.count))
    let digits = (hasGroups ? Self.grouped(whole) : whole) + (places.isEmpty ? "" : "." + places)
    return prefix + (isNegative ? "-" : "") + digits + suffix
  }

  private static func grouped(_ digits: String) -> String {
    var result = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0 { result += "," }
      result.append(digit)
    }
    return result
  }
}
