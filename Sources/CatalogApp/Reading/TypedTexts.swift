import OpenSwiftData

/// Texts that the type of a field cannot keep as they are: codes such as `007` and `+49`, which only text can, and fractions
/// in a field of whole numbers.
///
/// If the types of the fields follow from the values, a field gets the type that it would have if the file had been opened
/// with the text.
package struct TypedTexts: Hashable, Sendable {
  /// True for a file of separated values that can be saved.
  var keepsCodes = false
  /// True for a file with values and no types that can be saved.
  var keepsFractions = false
  /// True if no field gets another type.
  var isEmpty: Bool { !keepsCodes && !keepsFractions }

  /// The type that a field gets with a value of this text; nil if it keeps its own.
  func type(toKeep text: String, in attribute: Schema.Attribute) -> AttributeType? {
    // Text that is not a number is refused.
    guard attribute.type.isNumeric, SpelledNumber(text.utf8) != nil else { return nil }
    if text.isKeptAsText, keepsCodes { return .text }
    return attribute.type == .integer && keepsFractions && text.isFraction ? .decimal : nil
  }
}

extension String {
  /// True for a number that is not a whole one.
  var isFraction: Bool {
    (try? Value(parsing: self, as: .integer)) == nil
      && (try? Value(parsing: self, as: .decimal)) != nil
  }
}
