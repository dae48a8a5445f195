import OpenSwiftData

/// What helps to see whether a typed value was read as it was meant.
enum EntryPreview {
  /// The day of the week of a date, a long number with its digits in groups; nil for other values.
  static func note(on value: Value) -> String? {
    switch value {
    case .date(let day): day.weekdayName
    case .integer, .number, .decimal: grouped(value.text)
    case .boolean(let isTrue): isTrue ? "yes" : "no"
    default: nil
    }
  }

  /// `1,234,567.5` for a number of five digits or more; nil for a shorter one and in scientific notation.
  private static func grouped(_ text: String) -> String? {
    guard let number = DigitText(text), number.wholeCount >= 5 else { return nil }
    return number.grouped
  }
}
