public import Foundation

/// A syntax error in a predicate: its position and what was expected.
public struct FilterSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position in the text, in characters from 1.
  public let column: Int
  /// What was found and what was expected.
  public let message: String
  /// The kind of the error.
  package var problem = Problem.syntax

  /// The kinds of errors that programs distinguish.
  package enum Problem: Hashable, Sendable {
    /// A field that the entity does not have.
    case unknownField
    /// A parameter without a value.
    case unknownParameter
    /// Any other error.
    case syntax
  }

  /// The message with its position.
  public var description: String { "column \(column): \(message)" }
}

extension FilterSyntaxError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}

/// The tokens of a predicate.
extension SyntaxScanner {
  /// True if a space comes before an offset.
  func followsSpace(_ offset: Int) -> Bool { offset == 0 || isSpace(at: offset - 1) }

  /// Skips a colon that directly follows the last token; false if there is none.
  mutating func takeColon() -> Bool {
    guard byte(at: position) == UInt8(ascii: ":") else { return false }
    position += 1
    return true
  }

  func error(
    at offset: Int,
    _ message: String,
    _ problem: FilterSyntaxError.Problem = .syntax
  ) -> FilterSyntaxError {
    let column = text(0..<min(offset, bytes.count)).count + 1
    return FilterSyntaxError(column: column, message: message, problem: problem)
  }

  /// Reads the next token of a predicate.
  mutating func filterToken() throws(FilterSyntaxError) -> SyntaxToken {
    let isAtEnd = !skipSpace()
    let start = position
    do throws(SyntaxProblem) {
      let kind = try isAtEnd ? .end : kind()
      return SyntaxToken(kind: kind, start: start, end: position)
    } catch {
      throw self.error(at: error.offset, error.message, error.problem)
    }
  }

  private mutating func kind() throws(SyntaxProblem) -> SyntaxToken.Kind {
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try quotedText())
    case UInt8(ascii: "`"): return .name(try quoted(by: byte))
    case UInt8(ascii: "$"):
      let (name, value) = try parameter()
      return .parameter(name, value)
    case 48...57: return number()
    case UInt8(ascii: "-"), UInt8(ascii: "."):
      if position + 1 < bytes.count, (48...57).contains(bytes[position + 1]) { return number() }
    default: if Self.isWordByte(byte) { return word() }
    }
    guard let symbol = symbol(Self.filterPairs, "=<>!(),{}[]") else { throw unexpected }
    return .symbol(symbol)
  }

  private static let filterPairs: Set = ["==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||"]

  private mutating func word() -> SyntaxToken.Kind {
    let start = position
    while position < bytes.count,
      Self.isWordByte(bytes[position]) || bytes[position] == UInt8(ascii: "-")
        || bytes[position] == UInt8(ascii: ".")
    {
      position += 1
      takeElement()
    }
    return .word(text(start..<position))
  }

  /// Skips a step into JSON, such as the `[0]` of `tags[0]`, `[-1]` or the `["a.b"]` of `user["a.b"]`.
  private mutating func takeElement() {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "[") else { return }
    let digits = bytes[(position + 1)...].prefix {
      (48...57).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard let end = digits.isEmpty ? quotedEnd(from: position + 1) : digits.endIndex,
      end < bytes.count, bytes[end] == UInt8(ascii: "]")
    else { return }
    position = end + 1
    takeElement()
  }

  /// The end of a text in double quotes that begins at an offset; nil if there is none.
  private func quotedEnd(from start: Int) -> Int? {
    let quote = UInt8(ascii: "\"")
    guard start < bytes.count, bytes[start] == quote else { return nil }
    var place = start + 1
    while place < bytes.count {
      if bytes[place] == quote { return place + 1 }
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// A number, a date, or a date with time: digits and the characters allowed between them.
  private mutating func number() -> SyntaxToken.Kind {
    let start = position
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      let isExponentSign =
        (byte == 43 || byte == 45) && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
      let isDatePart = byte == 45 || byte == UInt8(ascii: ":") || byte == 43
      guard Self.isWordByte(byte) || byte == UInt8(ascii: ".") || isExponentSign || isDatePart
      else {
        break
      }
      position += 1
    }
    let text = text(start..<position)
    let digits = text.utf8.prefix { (48...57).contains($0) }.count
    return digits == 4 && text.utf8.dropFirst(4).first == 45
      ? .date(text) : .number(text, isPercent: false)
  }
}

/// The escapes inside double quotes: `\n \t \r \0 \' \u{1F600}`, and those of JSON: `\" \\ \/ \b \f \uXXXX`.
package enum TextEscape {
  /// The message for any other character after a backslash.
  package static let hint =
    "invalid escape; use \\n \\t \\r \\b \\f \\0 \\\" \\' \\/ \\\\ \\u{…} or \\uXXXX"

  /// Reads the characters after a backslash; nil if they are not an escape.
  package static func take(from bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let byte = bytes.popFirst() else { return nil }
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "0"): return [0]
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      let scalar = bytes.first == UInt8(ascii: "{") ? braced(&bytes) : unbraced(&bytes)
      return scalar.map { Array(String($0).utf8) }
    default: return nil
    }
  }

  /// `{1F600}`.
  private static func braced(_ bytes: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    bytes.removeFirst()
    guard let close = bytes.firstIndex(of: UInt8(ascii: "}")),
      let code = UInt32(
        String(decoding: bytes[bytes.startIndex..<close], as: UTF8.self),
        radix: 16
      ),
      let scalar = Unicode.Scalar(code)
    else { return nil }
    bytes = bytes[(close + 1)...]
    return scalar
  }

  /// `00e9`, or `d83d\ude00` for a character beyond four digits, as in JSON.
  private static func unbraced(_ bytes: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let first = unit(&bytes) else { return nil }
    guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
    guard bytes.starts(with: Array("\\u".utf8)) else { return nil }
    bytes = bytes.dropFirst(2)
    guard let second = unit(&bytes), UTF16.isTrailSurrogate(second) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
  }

  private static func unit(_ bytes: inout ArraySlice<UInt8>) -> UInt16? {
    let digits = bytes.prefix(4)
    guard digits.count == 4,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    bytes = bytes.dropFirst(4)
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
