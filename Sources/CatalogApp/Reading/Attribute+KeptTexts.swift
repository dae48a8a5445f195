import OpenSwiftData

extension Schema.Attribute {
  /// The type that the field gets in a file whose types follow from its values, so that it keeps a text as it is; nil if
  /// it keeps its own.
  ///
  /// Codes such as `007` and `+49` make a column of numbers one of texts, and a fraction makes one of whole numbers one
  /// of decimals, as if the file had been opened with them. Text that is not a number is refused.
  func type(toKeep text: String) -> AttributeType? {
    guard type.isNumeric, SpelledNumber(text.utf8) != nil else { return nil }
    if text.isKeptAsText { return .text }
    return type == .integer && text.isFraction ? .decimal : nil
  }
}

extension String {
  /// True for a number that is not a whole one.
  var isFraction: Bool {
    (try? Value(parsing: self, as: .integer)) == nil
      && (try? Value(parsing: self, as: .decimal)) != nil
  }
}
