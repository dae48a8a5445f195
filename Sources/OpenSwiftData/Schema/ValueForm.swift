/// How a store keeps the values of a field, where the values that are stored decide it.
///
/// A column of another program's database may turn out to have values of several types. Its values have another form
/// from then on, and those that were read before are converted.
package protocol ValueForm: Hashable, Sendable {
  /// The value in this form of a value in another form; nil if there is none.
  func value(of value: Value, in former: any ValueForm) -> Value?

  /// The value that the store gives back for one that it saves; the same value if it keeps it as it is, or not at all.
  func settled(_ value: Value) -> Value

  /// The letters of a text that encodes bytes that are not UTF-8; nil for any other text.
  func letters(of text: String) -> String?
}

extension ValueForm {
  /// Knows no bytes that are not text.
  package func letters(of text: String) -> String? { nil }

  /// The text to show in place of one that encodes bytes that are not text; nil for any other text.
  package func readableText(of text: String) -> String? {
    letters(of: text).map { "\($0) (not UTF-8)" }
  }
}

extension Optional where Wrapped == any ValueForm {
  /// True if both are the same form, or none.
  func isSame(as other: (any ValueForm)?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let form?, let other?): AnyHashable(form) == AnyHashable(other)
    default: false
    }
  }
}

extension SnapshotLayout {
  /// The value of a slot of this layout in the form of a field; the same value if the forms are equal or unknown.
  func converted(_ value: Value, at slot: Int, to field: Schema.Attribute) -> Value {
    guard let former = forms?[slot], let form = field.form, !field.form.isSame(as: former) else {
      return value
    }
    return form.value(of: value, in: former) ?? value
  }

  /// True if values of the slots have the same forms in both layouts.
  func hasForms(of other: SnapshotLayout) -> Bool {
    if self === other { return true }
    guard let forms, let others = other.forms else { return true }
    return forms.count == others.count && zip(forms, others).allSatisfy { $0.isSame(as: $1) }
  }
}
