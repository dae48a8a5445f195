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
