/// A text of separated values in UTF-8, with what divides it.
///
/// The same detection makes it for the import of records and for the store of CSV files.
package struct DelimitedText: Sendable {
  /// A text that cannot be read, at an offset.
  package struct Fault: Error {
    /// In the bytes of the file.
    package let offset: Int
    /// What is wrong, in words.
    package let message: String

    /// Creates a fault.
    package init(offset: Int, _ message: String) {
      (self.offset, self.message) = (offset, message)
    }
  }

  /// The text, without a byte order mark.
  package let bytes: [UInt8]
  /// What divides it.
  package let syntax: DelimitedScanner.Syntax
  /// True if backslashes stand for characters that would end a field without quotes.
  package let hasEscapes: Bool
  /// True if the first record has the names of the columns.
  package let hasHeader: Bool
  /// The names of the columns in order; each is different.
  package let columns: [String]
  /// Where the first record may begin, with the names of the columns or without.
  package let start: Int
  /// The encoding of the file, if a user should know that it was assumed; nil otherwise.
  package let assumedEncoding: String?

  /// Creates a description.
  package init(
    _ bytes: [UInt8],
    syntax: DelimitedScanner.Syntax,
    hasEscapes: Bool,
    hasHeader: Bool,
    columns: [String],
    start: Int,
    assumedEncoding: String?
  ) {
    self.bytes = bytes
    self.syntax = syntax
    self.hasEscapes = hasEscapes
    self.hasHeader = hasHeader
    self.columns = columns
    self.start = start
    self.assumedEncoding = assumedEncoding
  }

  /// The last byte of a line end.
  package var lineEnd: UInt8 { syntax.returnEndsLine ? 0x0D : 0x0A }

  /// The text of a field without quotes in which backslashes stand for other characters.
  ///
  /// A backslash before any other character stands for itself.
  package static func unescaped(_ text: String) -> String {
    if text == "\"\"" { return "" }
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.first, let meant = escapes[next] else {
        result.append(scalar)
        continue
      }
      rest.removeFirst()
      result.append(meant)
    }
    return String(result)
  }

  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "t": "\t", "n": "\n", "r": "\r", "\\": "\\", "\"": "\"",
  ]
}
