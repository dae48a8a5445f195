import CDelimited

/// What the texts of a column tell about the signs in its numbers, as in files of separated values.
package struct NumberSigns: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// What one text tells, by the rules for a file that is opened; an empty one tells nothing.
  package init(_ text: UnsafeBufferPointer<UInt8>) {
    rawValue = text.isEmpty ? 0 : catalog_number_signs(text.baseAddress, text.count)
  }

  /// A number such as `12,50` or `1.234,56 €`.
  package static let decimalComma = NumberSigns(rawValue: UInt32(CATALOG_SIGNS_DECIMAL_COMMA))
  /// A text that is not a number with a comma.
  package static let otherText = NumberSigns(rawValue: UInt32(CATALOG_SIGNS_OTHER_TEXT))
  /// A number such as `0.125`, whose point cannot separate thousands.
  package static let fraction = NumberSigns(rawValue: UInt32(CATALOG_SIGNS_NO_GROUP))
}
