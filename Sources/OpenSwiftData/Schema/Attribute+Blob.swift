import Foundation

extension Schema.Attribute {
  /// A value of the attribute as it is shown: the text form, for a blob its size and first bytes.
  package func shownText(of value: Value) -> String {
    guard isBlob, case .text(let text) = value else { return value.text }
    return BlobSummary(base64: text)?.description ?? text
  }

  /// Checks a value that was typed or imported for a blob.
  ///
  /// - Throws: `ValueError` for text that is not in base 64.
  package func checkBytes(_ value: Value) throws {
    guard isBlob, case .text(let text) = value else { return }
    guard Data(base64Encoded: text) != nil else {
      throw ValueError("expected bytes in base 64, found \(Value.quoted(String(text.prefix(40))))")
    }
  }
}
