import CXXHash

/// The text lines of a recovery file, each with a checksum.
///
/// A line is sixteen hexadecimal digits, a space, the text and a line feed. The checksum of a line
/// is seeded with that of the line before, so that a missing line, or a line of another file, is
/// detected like a damaged one. Everything from the first such line on is ignored.
package enum RecoveryLines {
  /// Appends a line to bytes.
  ///
  /// `chain` is the checksum of the line before, 0 before the first; then that of this line.
  ///
  /// - Precondition: The text has no line feed.
  package static func append(_ text: String, to bytes: inout [UInt8], chain: inout UInt64) {
    let content = Array(text.utf8)
    precondition(!content.contains(lineFeed), "A line of a recovery file is one line.")
    chain = checksum(content[...], seed: chain)
    bytes += hexadecimal(chain).utf8
    bytes.append(UInt8(ascii: " "))
    bytes += content
    bytes.append(lineFeed)
  }

  /// Reads the lines up to the first one that is incomplete or damaged.
  ///
  /// - Returns: Their texts, and the number of bytes that are ignored.
  /// - Complexity: O(n).
  package static func read(_ bytes: [UInt8]) -> (lines: [String], damagedBytes: Int) {
    var lines: [String] = []
    var start = 0
    var chain: UInt64 = 0
    while let end = bytes[start...].firstIndex(of: lineFeed) {
      guard let (text, sum) = text(of: bytes[start..<end], seed: chain) else { break }
      lines.append(text)
      chain = sum
      start = end + 1
    }
    return (lines, bytes.count - start)
  }

  /// Sixteen hexadecimal digits that stand for a text.
  static func hash(of text: String) -> String {
    hexadecimal(checksum(Array(text.utf8)[...], seed: 0))
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let prefixBytes = 17

  private static func text(of line: ArraySlice<UInt8>, seed: UInt64) -> (String, UInt64)? {
    guard line.count >= prefixBytes, line[line.startIndex + 16] == UInt8(ascii: " "),
      let sum = UInt64(String(decoding: line.prefix(16), as: UTF8.self), radix: 16)
    else { return nil }
    let content = line.dropFirst(prefixBytes)
    guard checksum(content, seed: seed) == sum,
      let text = String(validating: content, as: UTF8.self)
    else { return nil }
    return (text, sum)
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { catalog_xxh3($0.baseAddress, $0.count, seed) }
  }
}
