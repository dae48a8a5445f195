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

  /// The text; nil for other values.
  package var asText: String? { if case .text(let text) = self { text } else { nil } }

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
///
/// In a literal, a value that is interpolated is a parameter, and a list of them is several with commas between them; a
/// text is a part of the statement.
package struct SQLText: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// A value, and the text after it.
  private struct Parameter: Hashable {
    let value: SQLValue
    var text = ""
  }

  /// The text before the first parameter.
  private var start: String
  private var parameters: [Parameter] = []

  /// Creates a piece without parameters.
  package init(_ text: String) { start = text }

  /// Creates a piece without parameters.
  package init(stringLiteral text: String) { self.init(text) }

  /// Creates a piece with the values that were interpolated.
  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// The values of the parameters.
  package var values: [SQLValue] { parameters.map(\.value) }

  /// The text with `?` for each value.
  package var text: String { text { _, _ in "?" } }

  /// The text with what a dialect has for each value and its number, from 1.
  func text(_ placeholder: (Int, SQLValue) -> String) -> String {
    var number = 0
    return parameters.reduce(into: start) { text, parameter in
      number += 1
      text += placeholder(number, parameter.value)
      text += parameter.text
    }
  }

  /// The statement with its values, to be shown to a person.
  package var shown: String {
    parameters.reduce(into: start) { $0 += $1.value.literal + $1.text }
  }

  private mutating func append(_ text: String) {
    if parameters.isEmpty { start += text } else { parameters[parameters.count - 1].text += text }
  }

  private mutating func append(_ value: SQLValue) { parameters.append(Parameter(value: value)) }

  /// Appends a piece.
  package static func += (left: inout SQLText, right: SQLText) {
    left.append(right.start)
    left.parameters += right.parameters
  }

  /// Both pieces, one after the other.
  package static func + (left: SQLText, right: SQLText) -> SQLText {
    var both = left
    both += right
    return both
  }

  /// The pieces with a separator between them, as in `a AND b`.
  package static func joined(_ pieces: [SQLText], by separator: String) -> SQLText {
    var all = pieces.first ?? ""
    for piece in pieces.dropFirst() {
      all.append(separator)
      all += piece
    }
    return all
  }

  /// Puts a literal together.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = SQLText("")

    /// Begins a literal.
    package init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of the statement.
    package mutating func appendLiteral(_ text: String) { sql.append(text) }

    /// Appends a part of the statement.
    package mutating func appendInterpolation(_ text: String) { sql.append(text) }

    /// Appends a number that is a part of the statement.
    package mutating func appendInterpolation(_ number: some BinaryInteger) {
      sql.append(String(number))
    }

    /// Appends a piece.
    package mutating func appendInterpolation(_ piece: SQLText) { sql += piece }

    /// Appends a parameter.
    package mutating func appendInterpolation(_ value: SQLValue) { sql.append(value) }

    /// Appends parameters with commas between them.
    package mutating func appendInterpolation(_ values: [SQLValue]) {
      for (place, value) in values.enumerated() {
        if place > 0 { sql.append(", ") }
        sql.append(value)
      }
    }
  }
}

extension DefaultStringInterpolation {
  /// Keeps values from being taken for parts of a statement.
  @available(*, unavailable, message: "a parameter of SQLText; in other texts, use its literal")
  package mutating func appendInterpolation(_ value: SQLValue) {}
}

extension String {
  /// The text as the name of a table or a column, whatever characters it has.
  package var quotedName: String {
    // Few names have such a mark, and the search of the standard library takes longer than all the rest.
    let name = utf8.contains(UInt8(ascii: "\"")) ? replacing("\"", with: "\"\"") : self
    return "\"" + name + "\""
  }
}
