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
