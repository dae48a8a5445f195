/// What divides separated values, and what their fields stand for.
///
/// A file that is opened, one that is imported and a record that is changed are all read by the same value.
package struct DelimitedSyntax: Equatable, Sendable {
  /// The most bytes that a comment begins with.
  package static let longestComment = 8

  /// The byte between two fields; nil if each line is one.
  package var delimiter: UInt8?
  /// The byte around fields with delimiters and line ends; nil if quotes are characters.
  package var quote: UInt8?
  /// In quotes, the byte before a quote or another escape; nil for none, where quotes are doubled.
  package var escape: UInt8?
  /// True if the escape has this meaning outside quotes, too.
  package var unescapesBare = false
  /// True if CR alone ends a line, as LF does; otherwise it is part of a field.
  package var returnEndsLine: Bool
  /// True if several delimiters are one.
  package var joinsDelimiters = false
  /// The prefix of comment lines, at most `longestComment` bytes; empty if the file has none.
  package var comment: [UInt8] = []
  /// True if a line of blanks is a record, as in a file with one column.
  package var keepsBlankLines = false
  /// True if backslashes outside quotes stand for characters that would end a field: in TSV.
  package var hasEscapes = false
  /// True if blanks around a field without quotes do not belong to it.
  package var trims = false

  /// Creates a syntax; by default that of RFC 4180.
  package init(
    delimiter: UInt8? = UInt8(ascii: ","),
    quote: UInt8? = UInt8(ascii: "\""),
    returnEndsLine: Bool = false
  ) {
    self.delimiter = delimiter
    self.quote = quote
    self.returnEndsLine = returnEndsLine
  }

  /// The last byte of a line end.
  package var lineEnd: UInt8 { returnEndsLine ? 0x0D : 0x0A }

  /// True if a field may be in quotes.
  package var hasQuotes: Bool { quote != nil }
}

// MARK: Decoding fields

extension DelimitedSyntax {
  /// The text of a field as written; nil if it is empty, and therefore missing.
  package func text(of field: UnsafeBufferPointer<UInt8>) -> String? {
    guard let content = content(of: field) else {
      let bare = bare(field)
      if bare.isEmpty { return nil }
      if hasEscapes { return Self.unescaped(String(decoding: bare, as: UTF8.self)) }
      return unescapesBare
        ? String(decoding: undoubled(bare, isQuoted: false), as: UTF8.self)
        : String(decoding: bare, as: UTF8.self)
    }
    return String(decoding: undoubled(content, isQuoted: true), as: UTF8.self)
  }

  /// What is between the quotes of a field; nil for a field without quotes.
  package func content(of field: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    guard let quote, let first = field.firstIndex(where: { $0 != 0x20 }), field[first] == quote,
      let last = field.lastIndex(of: quote), last > first,
      // After the closing quote there are only blanks, or the end of an old file.
      field[(last + 1)...].allSatisfy({ $0 == 0x20 || $0 == 0x1A })
    else { return nil }
    return UnsafeBufferPointer(rebasing: field[(first + 1)..<last])
  }

  /// A field without quotes, without the blanks that do not belong to it.
  package func bare(_ field: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard trims, let first = field.firstIndex(where: { $0 != 0x20 }),
      let last = field.lastIndex(where: { $0 != 0x20 })
    else { return trims ? UnsafeBufferPointer(rebasing: field[..<0]) : field }
    return UnsafeBufferPointer(rebasing: field[first...last])
  }

  /// Bytes without the marks before quotes and escapes.
  private func undoubled(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if place < bytes.count {
        let next = bytes[place]
        let isDoubled = isQuoted && byte == quote && next == quote
        let isEscaped = byte == escape && (next == quote || next == byte)
        if isDoubled || isEscaped {
          result.append(next)
          place += 1
          continue
        }
      }
      result.append(byte)
    }
    return result
  }

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
