import Foundation

extension Schema.Attribute {
  /// A value of the attribute as it is shown: what people read in its place, or the text form.
  package func shownText(of value: Value) -> String { readableText(of: value) ?? value.text }

  /// A value of the attribute as it is edited: bytes in another encoding are their letters.
  package func editedText(of value: Value) -> String { letters(of: value) ?? shownText(of: value) }

  /// The letters that a text in another encoding than UTF-8 is; nil for any other value.
  package func letters(of value: Value) -> String? {
    guard !isBlob, case .text(let text) = value else { return nil }
    return form?.letters(of: text)
  }

  /// What people read in place of a text that stands for something else: the size and the first bytes of a blob, the
  /// letters that bytes in another encoding are, or a number with the digits of its column; nil for a value that is
  /// shown as it is.
  package func readableText(of value: Value) -> String? {
    guard case .text(let text) = value else { return decimalPlaces?.text(of: value) }
    return isBlob ? BlobSummary(base64: text)?.description ?? text : form?.readableText(of: text)
  }

  /// The value that the attribute stores for a typed or imported one, in whichever way it comes in: as `kept(_:)`, the
  /// bytes of a blob in the usual form of base 64, and any other value as the store gives it back.
  ///
  /// - Throws: `ValueError` for the text of a blob that is not in base 64.
  package func checked(_ value: Value) throws -> Value {
    let value = kept(value)
    guard isBlob, case .text(let text) = value else { return form?.settled(value) ?? value }
    guard let bytes = Data(base64Encoded: text) else {
      throw ValueError("expected bytes in base 64, found \(Value.quoted(String(text.prefix(40))))")
    }
    return .text(bytes.base64EncodedString())
  }
}
