import OpenSwiftData

/// A text that equals only texts with the same bytes.
///
/// Swift takes texts for equal that differ in their Unicode normalization only; SQLite does not.
package struct ExactName: Hashable, Sendable {
  /// The text.
  package let text: String

  /// The text as it is.
  package init(_ text: String) { self.text = text }

  /// The name of a table or a column, in which SQLite ignores the case of the letters A to Z.
  package init(folding name: String) {
    let bytes = name.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// True if the bytes are the same.
  package static func == (left: ExactName, right: ExactName) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
