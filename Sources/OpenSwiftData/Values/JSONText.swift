/// Validates and compacts JSON text in the value of an attribute (RFC 8259).
package enum JSONText {
  /// The maximum nesting depth of arrays and objects.
  package static let depthLimit = 64

  /// The ASCII character of a hexadecimal digit.
  @inlinable
  package static func hexDigit(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  /// The same JSON without white space between its tokens; numbers and strings are unchanged.
  ///
  /// - Throws: `ValueError` with the position of the problem, in bytes from 1.
  /// - Complexity: O(n) in the length of the text; no recursion.
  package static func compact(_ text: String) throws(ValueError) -> String {
    var scanner = JSONTextScanner(Array(text.utf8))
    try scanner.scanValue()
    try scanner.finish()
    return String(decoding: scanner.output, as: UTF8.self)
  }

  /// The text as a JSON string with quotes; control and invisible formatting characters are escaped.
  package static func quoted(_ text: String) -> String {
    let needsNoEscape = text.utf8.allSatisfy {
      $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    if needsNoEscape { return "\"" + text + "\"" }
    var result = "\""
    appendEscaped(text, to: &result)
    result += "\""
    return result
  }

  /// The JSON text with control and invisible formatting characters escaped.
  ///
  /// They can occur only in strings, so the JSON stays equivalent.
  package static func escapingInvisible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { mustEscape($0) && $0.value >= 0x7F }) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x7F, mustEscape(scalar) {
        appendUnicodeEscape(scalar, to: &result)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func appendUnicodeEscape(_ scalar: Unicode.Scalar, to result: inout String) {
    for unit in String(scalar).utf16 {
      let hex = String(unit, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    }
  }

  private static func appendEscaped(_ text: String, to result: inout String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if mustEscape(scalar) {
          appendUnicodeEscape(scalar, to: &result)
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
  }

  /// True for control characters and for the invisible ones that could reorder or hide text.
  package static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0xAD, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E,
      0x2060...0x206F,
      0xFEFF, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}

extension JSONText {
  /// How to make records of objects one after another.
  package static let objectsAdvice = "put each object on a line of its own, as jq -c . does"

  /// How to make records of arrays, one a line or in an array; nil for a text that begins with something else.
  package static func rowsAdvice(_ beginning: some Sequence<UInt8>) -> String? {
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let start = beginning.filter { !space.contains($0) }.prefix(2)
    guard start.first == UInt8(ascii: "["), start.last != UInt8(ascii: "{") else { return nil }
    let filter = start.last == UInt8(ascii: "[") ? "'.[] | @csv'" : "@csv"
    return "rows without names; make separated values of them, as jq -r \(filter) does"
  }
}

extension ValueError {
  /// The offset that the error of a JSON text names, and the message without it; nil for another error.
  package var placeInJSON: (offset: Int, message: String)? {
    guard let match = description.prefixMatch(of: /invalid JSON at byte ([0-9]+)/),
      let byte = Int(match.1)
    else { return nil }
    return (byte - 1, "invalid JSON" + description[match.range.upperBound...])
  }
}

/// One pass over JSON text with an explicit stack.
struct JSONTextScanner {
  let bytes: [UInt8]
  private(set) var position: Int
  private var stack: [UInt8] = []
  /// The decoded keys of every open object.
  private var keys: [Set<[UInt8]>] = []
  /// The value that was scanned last, without white space between its tokens.
  private(set) var output: [UInt8] = []
  /// True if NaN, Infinity and -Infinity are values.
  var acceptsNotANumber = false

  init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// Reads one value with all nested values into `output`.
  mutating func scanValue() throws(ValueError) {
    output.removeAll(keepingCapacity: true)
    repeat {
      try value()
      try closeOrContinue()
    } while !stack.isEmpty
  }

  /// Checks that only white space is left.
  mutating func finish() throws(ValueError) {
    skipSpace()
    guard position == bytes.count else { throw wrong("the end") }
  }

  /// The next byte after white space; nil at the end.
  mutating func peek() -> UInt8? {
    skipSpace()
    return position < bytes.count ? bytes[position] : nil
  }

  /// Skips the next byte if it is this one.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  /// Skips NaN, Infinity or -Infinity.
  mutating func takeNotANumber() -> Bool {
    guard let first = peek(), "NI-".utf8.contains(first) else { return false }
    let rest = bytes[position...]
    let word = ["NaN", "Infinity", "-Infinity"].first { rest.starts(with: $0.utf8) }
    guard let word else { return false }
    position += word.utf8.count
    return true
  }

  func wrong(_ expected: String) -> ValueError {
    ValueError("invalid JSON at byte \(position + 1): expected \(expected)")
  }

  /// The error of a key that an object has twice: one of two values would be lost.
  func duplicate(_ key: String, at start: Int) -> ValueError {
    ValueError("invalid JSON at byte \(start + 1): duplicate key \(Value.quoted(key))")
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Reads one scalar value or opens containers down to the next scalar or empty container.
  private mutating func value() throws(ValueError) {
    while true {
      skipSpace()
      guard position < bytes.count else { throw wrong("a value") }
      let byte = bytes[position]
      guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return try scalar() }
      guard stack.count < JSONText.depthLimit else {
        throw ValueError("JSON nested deeper than \(JSONText.depthLimit) levels")
      }
      stack.append(byte)
      if byte == UInt8(ascii: "{") { keys.append([]) }
      take()
      skipSpace()
      let close = byte + 2
      if position < bytes.count, bytes[position] == close { return }
      if byte == UInt8(ascii: "{") { try key() }
    }
  }

  /// Closes the containers that end here, or continues with the next value after a comma.
  private mutating func closeOrContinue() throws(ValueError) {
    while let open = stack.last {
      skipSpace()
      guard position < bytes.count else { throw wrong("the end of the container") }
      if bytes[position] == open + 2 {
        take()
        stack.removeLast()
        if open == UInt8(ascii: "{") { keys.removeLast() }
      } else if bytes[position] == UInt8(ascii: ",") {
        take()
        if open == UInt8(ascii: "{") { try key() }
        return
      } else {
        throw wrong("a comma or the end of the container")
      }
    }
  }

  private mutating func take() {
    output.append(bytes[position])
    position += 1
  }

  private mutating func key() throws(ValueError) {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      throw wrong("a key in double quotes")
    }
    try newKey()
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
      throw wrong("a colon")
    }
    take()
  }

  /// Reads a key, which must be unique in its object.
  private mutating func newKey() throws(ValueError) {
    let (start, written) = (position, output.count)
    try string()
    let decoded = try JSONReader.unescaped(output[(written + 1)..<(output.count - 1)])
    guard keys[keys.count - 1].insert(Array(decoded.utf8)).inserted else {
      throw duplicate(decoded, at: start)
    }
  }

  private mutating func scalar() throws(ValueError) {
    if acceptsNotANumber, takeNotANumber() { return }
    switch bytes[position] {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func word(_ word: StaticString) throws(ValueError) {
    let expected = word.withUTF8Buffer { Array($0) }
    guard bytes[position...].starts(with: expected) else { throw wrong("a value") }
    output += expected
    position += expected.count
  }

  private mutating func digits() throws(ValueError) {
    guard position < bytes.count, (48...57).contains(bytes[position]) else {
      throw wrong("a digit")
    }
    while position < bytes.count, (48...57).contains(bytes[position]) { take() }
  }

  private mutating func number() throws(ValueError) {
    if bytes[position] == UInt8(ascii: "-") { take() }
    guard position < bytes.count, (48...57).contains(bytes[position]) else {
      throw wrong("a value")
    }
    if bytes[position] == UInt8(ascii: "0") { take() } else { try digits() }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      take()
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      take()
      if position < bytes.count, bytes[position] == 43 || bytes[position] == 45 { take() }
      try digits()
    }
  }

  private mutating func string() throws(ValueError) {
    take()
    while position < bytes.count {
      let byte = bytes[position]
      guard byte >= 0x20 else { throw wrong("an escaped control character") }
      take()
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") { try escape() }
    }
    throw wrong("the closing quote")
  }

  private mutating func escape() throws(ValueError) {
    guard position < bytes.count else { throw wrong("an escape") }
    let byte = bytes[position]
    guard "\"\\/bfnrtu".utf8.contains(byte) else { throw wrong("an escape") }
    take()
    guard byte == UInt8(ascii: "u") else { return }
    let start = position - 2
    let unit = try hexadecimalUnit()
    guard UTF16.isSurrogate(unit) else { return }
    let isPair =
      UTF16.isLeadSurrogate(unit) && bytes[position...].starts(with: "\\u".utf8)
    guard isPair else { throw halfPair(at: start) }
    take()
    take()
    guard UTF16.isTrailSurrogate(try hexadecimalUnit()) else { throw halfPair(at: start) }
  }

  private func halfPair(at place: Int) -> ValueError {
    ValueError("invalid JSON at byte \(place + 1): unpaired surrogate")
  }

  private mutating func hexadecimalUnit() throws(ValueError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count,
        let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue
      else { throw wrong("four hexadecimal digits") }
      unit = unit << 4 | UInt16(digit)
      take()
    }
    return unit
  }
}
