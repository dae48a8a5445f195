/// Recognizes text in other encodings than UTF-8 by its first bytes.
package enum TextEncoding {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The error message for text in UTF-16 or UTF-32, with or without a byte order mark; nil for other text.
  package static func refusal(of bytes: some Sequence<UInt8>) -> String? {
    refusal(of: Array(bytes.prefix(4)))
  }

  /// The same for an array, in which other modules call no generic code.
  package static func refusal(of bytes: [UInt8]) -> String? {
    name(Array(bytes.prefix(4))).map { "the file is \($0); save it as UTF-8" }
  }

  /// The bytes without the byte order mark that some editors write at the start of UTF-8.
  package static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
  }

  /// The encoding, determined by the byte order mark or the zero bytes of the first characters.
  private static func name(_ start: [UInt8]) -> String? {
    if start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    guard start.count == 4 else { return nil }
    return switch start.map({ $0 == 0 }) {
    case [false, true, true, true], [true, true, true, false]: "UTF-32"
    case [false, true, false, true], [true, false, true, false]: "UTF-16"
    default: nil
    }
  }
}
