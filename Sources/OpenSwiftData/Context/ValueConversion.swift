/// How values become values of another type when the type of their field changes.
package struct ValueConversion {
  /// A value as another type; nil if it has no meaning in that type.
  let convert: (Value, AttributeType) -> Value?
  /// True if a conversion to the type may have made the second value of the first one.
  package let isResult: (_ former: Value, _ new: Value, AttributeType) -> Bool

  /// Creates a conversion.
  package init(
    convert: @escaping (Value, AttributeType) -> Value?,
    isResult: @escaping (_ former: Value, _ new: Value, AttributeType) -> Bool
  ) {
    (self.convert, self.isResult) = (convert, isResult)
  }

  /// The conversion of values that can be converted back; others become null.
  package static var exact: ValueConversion {
    ValueConversion(convert: { $0.converted(to: $1) }) { former, new, type in
      (former.converted(to: type) ?? .null) == new
    }
  }
}
