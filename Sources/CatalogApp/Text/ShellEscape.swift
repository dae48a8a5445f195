/// The escapes between `$'` and `'`, as defined by bash.
enum ShellEscape {
  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "e"): 27, UInt8(ascii: "E"): 27,
    UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
    UInt8(ascii: "v"): 11, UInt8(ascii: "\\"): 92, UInt8(ascii: "'"): 39,
    UInt8(ascii: "\""): 34, UInt8(ascii: "?"): 63,
  ]

  /// Reads the escape after a backslash; nil if it is not one.
  static func take(from bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let byte = bytes.first else { return nil }
    if (48...55).contains(byte) {
      // Three digits may exceed a byte; bash uses the lowest bits.
      return number(from: &bytes, radix: 8, digits: 3).map { [UInt8(truncatingIfNeeded: $0)] }
    }
    bytes.removeFirst()
    if let letter = letters[byte] { return [letter] }
    switch byte {
    case UInt8(ascii: "x"):
      return number(from: &bytes, radix: 16, digits: 2).map { [UInt8(truncatingIfNeeded: $0)] }
    case UInt8(ascii: "u"): return scalar(from: &bytes, digits: 4)
    case UInt8(ascii: "U"): return scalar(from: &bytes, digits: 8)
    case UInt8(ascii: "c"):
      guard let control = bytes.popFirst(), control & 0x80 == 0 else { return nil }
      return [control & 0x1F]
    default: return nil
    }
  }

  private static func scalar(from bytes: inout ArraySlice<UInt8>, digits: Int) -> [UInt8]? {
    number(from: &bytes, radix: 16, digits: digits).flatMap { Unicode.Scalar($0) }
      .map { Array(String($0).utf8) }
  }

  /// Reads up to the given number of digits; nil if there are none.
  private static func number(
    from bytes: inout ArraySlice<UInt8>,
    radix: Int,
    digits: Int
  ) -> UInt32? {
    let text = bytes.prefix(digits).prefix {
      Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false
    }
    bytes.removeFirst(text.count)
    return UInt32(String(decoding: text, as: UTF8.self), radix: radix)
  }
}
