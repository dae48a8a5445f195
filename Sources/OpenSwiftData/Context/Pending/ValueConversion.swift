/// How values become values of another type when the type of their field changes.
package struct ValueConversion {
  /// A value as another type, read by a convention; nil if it has no meaning in that type.
  let convert: (Value, AttributeType, _ convention: String) -> Value?

  /// Creates a conversion.
  package init(convert: @escaping (Value, AttributeType, _ convention: String) -> Value?) {
    self.convert = convert
  }

  /// The conversion of values that can be converted back; others become null.
  package static var exact: ValueConversion {
    ValueConversion { value, type, _ in value.converted(to: type) }
  }

  /// True if a conversion to the type has made a value of a former one.
  ///
  /// Values that did not fit became missing.
  package func hasMade(
    _ new: Value,
    of former: Value,
    as type: AttributeType,
    _ convention: String
  ) -> Bool {
    if former.converted(to: type) == new || (convert(former, type, convention) ?? .null) == new {
      return true
    }
    guard !new.isNull, let own = former.kind.flatMap(AttributeType.init) else { return false }
    // The text of a number can have the spelling of a file.
    return convert(new, own, convention) == former
  }
}
