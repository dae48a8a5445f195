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
    let whole = text.prefix { $0 != "." }
    let digits = whole.drop { $0 == "-" }
    guard digits.count >= 5, digits.allSatisfy(\.isNumber) else { return nil }
    let first = (digits.count - 1) % 3 + 1
    var groups = [digits.prefix(first)]
    var rest = digits.dropFirst(first)
    while !rest.isEmpty {
      groups.append(rest.prefix(3))
      rest = rest.dropFirst(3)
    }
    let fraction = text.dropFirst(whole.count)
    guard fraction.allSatisfy({ $0.isNumber || $0 == "." }) else { return nil }
    return (whole.hasPrefix("-") ? "-" : "") + groups.joined(separator: ",") + fraction
  }
}
