import Foundation

/// The text form of values in a column whose values have different types.
///
/// Every value has a form of its own: text is itself, unless it looks like another value; then it is quoted.
package enum MixedText {
  /// The form of a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - convertsText: True for a column that cannot keep both a number and the text of it: all but those without
  ///     a type, which SQLite says have the affinity BLOB.
  /// - Returns: The text, from which `value(of:convertsText:)` makes the value again.
  package static func text(of value: SQLValue, convertsText: Bool) -> String {
    guard case .text(let text) = value else { return value.literal }
    let isPlain = convertsText ? !looksLikeBytes(text) : isUnlikeLiterals(text)
    return isPlain && !text.hasPrefix("'") ? text : value.literal
  }

  /// The value with this form; a text that is not the form of another value is itself.
  package static func value(of text: String, convertsText: Bool) -> SQLValue {
    if text.hasPrefix("'"), text.hasSuffix("'"), text.utf8.count > 1 {
      return .text(String(text.dropFirst().dropLast()).replacing("''", with: "'"))
    }
    if looksLikeBytes(text) {
      let isText = text.hasPrefix("CAST(")
      let digits = isText ? text.dropFirst(7).dropLast(10) : text.dropFirst(2).dropLast()
      let bytes = SQLValue.bytes(hexadecimal: digits) ?? []
      return isText ? .damagedText(bytes) : .bytes(bytes)
    }
    // The database converts it as it converts every text for such a column.
    if convertsText { return .text(text) }
    if let number = Int64(text), String(number) == text { return .integer(number) }
    if let number = Double(text), SQLValue.real(number).literal == text { return .real(number) }
    return text == "9e999" ? .real(.infinity) : text == "-9e999" ? .real(-.infinity) : .text(text)
  }

  /// False for a text that a column with a numeric affinity would turn into another number, as `02139` into 2139 and
  /// `12345678901234567890.12` into 12345678901234567000; with `asText`, into any number.
  ///
  /// The rules are those of <https://sqlite.org/datatype3.html#type_affinity>.
  static func isKept(_ text: String, asText: Bool, isReal: Bool = false) -> Bool {
    let spelled = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let number = number(spelled) else { return true }
    if asText { return false }
    // The form of a number that is there already, such as an infinite one.
    if SQLValue.real(number).literal == text { return true }
    if spelled != text || !number.isFinite || spelled.hasPrefix("+") { return false }
    let digits = spelled.drop { $0 == "-" }
    let hasLeadingZero = digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true
    if hasLeadingZero || number == 0 && spelled.hasPrefix("-") { return false }
    if let whole = Int64(spelled) { return !isReal || Int64(exactly: number) == whole }
    return Decimal(string: spelled).map { Decimal(string: number.description) == $0 } ?? false
  }

  /// The number that digits spell; nil for other texts, such as the names of numbers that Swift reads.
  static func number(_ spelled: String) -> Double? {
    let isOfDigits = spelled.utf8.allSatisfy {
      (48...57).contains($0) || "+-.eE".utf8.contains($0)
    }
    return isOfDigits ? Double(spelled) : nil
  }

  /// True for a text that a column with a numeric affinity turns into a number.
  static func looksLikeNumber(_ value: SQLValue) -> Bool {
    switch value {
    case .text(let text): number(text.trimmingCharacters(in: .whitespacesAndNewlines)) != nil
    case .damagedText(let bytes):
      number(
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      ) != nil
    default: false
    }
  }

  private static func isUnlikeLiterals(_ text: String) -> Bool {
    value(of: text, convertsText: false) == .text(text)
  }

  /// True for `x'…'` and `CAST(x'…' AS TEXT)`.
  private static func looksLikeBytes(_ text: String) -> Bool {
    if text.hasPrefix("x'"), text.hasSuffix("'"), text.utf8.count > 2 {
      return SQLValue.bytes(hexadecimal: text.dropFirst(2).dropLast()) != nil
    }
    guard text.hasPrefix("CAST(x'"), text.hasSuffix("' AS TEXT)") else { return false }
    return SQLValue.bytes(hexadecimal: text.dropFirst(7).dropLast(10)) != nil
  }
}
