/// Telling Windows-1252 from UTF-8: some of its characters are, next to each other, the bytes of a character in UTF-8.
extension DelimitedEncoding {
  /// The error for bytes that are not UTF-8 among others that are.
  static let mixedMessage =
    "invalid UTF-8, but other characters of the file are UTF-8: two encodings in one file"

  /// True if bytes that are not UTF-8 as a whole are Windows-1252.
  ///
  /// Characters in UTF-8 that Windows-1252 has, too, are text in two encodings. Others, such as `ܓ`, are more likely a
  /// pair of characters in Windows-1252, here `Ü“`, unless they are as many as the bytes that are not UTF-8.
  ///
  /// - Complexity: O(n) in the number of bytes.
  static func isWindows1252(_ bytes: [UInt8]) -> Bool {
    var (pairs, others) = (0, 0)
    var place = 0
    while let high = bytes[place...].firstIndex(where: { $0 >= 0x80 }) {
      if let (scalar, length) = character(in: bytes, at: high) {
        if bytes1252[scalar.value] != nil { return false }
        pairs += 1
        place = high + length
      } else {
        others += 1
        place = high + 1
      }
    }
    return pairs < others
  }

  /// Characters of a text that would be read as another character in UTF-8; nil if there are none.
  func ambiguity(in text: String) -> (text: String, reading: String)? {
    guard self == .windows1252 else { return nil }
    let scalars = Array(text.unicodeScalars)
    let bytes = scalars.map { $0.isASCII ? UInt8($0.value) : Self.bytes1252[$0.value] ?? 0 }
    for (place, byte) in bytes.enumerated() where byte >= 0x80 {
      guard let (scalar, length) = Self.character(in: bytes, at: place) else { continue }
      var written = String.UnicodeScalarView()
      written.append(contentsOf: scalars[place..<place + length])
      return (String(written), String(scalar))
    }
    return nil
  }

  /// The character beyond ASCII whose UTF-8 begins at a place, and the number of its bytes.
  private static func character(in bytes: [UInt8], at place: Int) -> (Unicode.Scalar, Int)? {
    let lead = bytes[place]
    guard (0xC2...0xF4).contains(lead) else { return nil }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard place + length <= bytes.count,
      let text = String(validating: bytes[place..<place + length], as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else { return nil }
    return (scalar, length)
  }
}
