import OpenSwiftData

/// A value as a database keeps it.
package enum SQLValue: Hashable, Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A binary floating-point number.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case bytes([UInt8])
  /// The bytes of a text that is not valid UTF-8.
  case damagedText([UInt8])

  /// The value as SQL spells it, for values without a form of their own and for statements that are shown.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): Self.spelling(number)
    case .text(let text): "'" + text.replacing("'", with: "''") + "'"
    case .bytes(let bytes): "x'" + Self.hexadecimal(bytes) + "'"
    case .damagedText(let bytes): "CAST(x'" + Self.hexadecimal(bytes) + "' AS TEXT)"
    }
  }

  private static func spelling(_ number: Double) -> String {
    if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    return number.isNaN ? "NULL" : number.description
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    var text = ""
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }

  /// Reads the digits between the quotes of `x'…'`; nil for anything else.
  static func bytes(hexadecimal text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard digits[place] != UInt8(ascii: "+"), digits[place] != UInt8(ascii: "-"),
        let byte = UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

/// A piece of SQL with the values of its parameters, in order.
package struct SQLText: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The text, with `?` for each value.
  package var text: String
  /// The values of the parameters.
  package var values: [SQLValue]

  /// Creates a piece.
  package init(_ text: String, _ values: [SQLValue] = []) {
    (self.text, self.values) = (text, values)
  }

  /// Creates a piece without parameters.
  package init(stringLiteral text: String) { self.init(text) }

  /// Both pieces, one after the other.
  package static func + (left: SQLText, right: SQLText) -> SQLText {
    SQLText(left.text + right.text, left.values + right.values)
  }

  /// Appends a piece.
  package static func += (left: inout SQLText, right: SQLText) { left = left + right }

  /// The pieces with a separator between them, as in `a AND b`.
  package static func joined(_ pieces: [SQLText], by separator: String) -> SQLText {
    SQLText(pieces.map(\.text).joined(separator: separator), pieces.flatMap(\.values))
  }

  /// The statement with its values, to be shown to a person.
  package var shown: String {
    var (shown, rest) = ("", values[...])
    var isQuoted: Character?
    for character in text {
      if let quote = isQuoted {
        if character == quote { isQuoted = nil }
      } else if character == "'" || character == "\"" {
        isQuoted = character
      } else if character == "?", let value = rest.popFirst() {
        shown += value.literal
        continue
      }
      shown.append(character)
    }
    return shown
  }
}

extension String {
  /// The text as the name of a table or a column, whatever characters it has.
  package var quotedName: String {
    // Few names have such a mark, and the search of the standard library takes longer than all the rest.
    let name = utf8.contains(UInt8(ascii: "\"")) ? replacing("\"", with: "\"\"") : self
    return "\"" + name + "\""
  }
}
