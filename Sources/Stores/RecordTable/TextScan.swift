import Foundation
import OpenSwiftData

/// Searches all texts of a column for a pattern in one pass.
///
/// The texts follow each other in one array, so a single search covers them all, and each match
/// belongs to the row whose text contains it. Rows are tested one by one if their text was
/// replaced, which moves it elsewhere, or if it has characters beyond ASCII and the search ignores
/// accents, or ignores case with a pattern beyond ASCII. For a pattern in ASCII, only those matches are tested, and the
/// few rows with characters that become ASCII when case is ignored, such as the Kelvin sign.
struct TextScan {
  private let column: Column
  private let options: TextMatch.Options
  private let pattern: [UInt8]

  /// Nil if the texts must be tested one by one.
  init?(_ column: Column, _ match: TextMatch) {
    guard match.operation == .contains, column.movedRows.count <= column.count / 8,
      !match.options.contains(.characters) || match.comparesBytes
    else { return nil }
    pattern = Array(TextFolding.fold(match.pattern, match.options).utf8)
    guard !pattern.isEmpty else { return nil }
    self.column = column
    options = match.options
  }

  /// The rows that match; nil if there are so few of them that testing each costs less.
  ///
  /// - Complexity: O(n) in the bytes of the column.
  func rows(_ matcher: TextMatcher, among present: Bitmap) throws -> Bitmap? {
    var meter = WorkMeter()
    guard present.populationCount > column.count / 8 else { return nil }
    let single = rowsToTest(among: present)
    try Interruption.check()
    var found = found() & present
    if options == .characters || findsASCII {
      // Bytes may match within a character, such as the base letter of an accented one.
      found = try (found - single).filter { row in
        try meter.count()
        return column.withText(at: row) { matcher.matches(utf8: $0) }
      }
    }
    let tested = try single.filter { row in
      try column.withText(at: row) {
        try meter.count(1 + $0.count >> 4)
        return matcher.matches(utf8: $0)
      }
    }
    return (found - single) | tested
  }

  private func rowsToTest(among present: Bitmap) -> Bitmap {
    var moved = Bitmap(repeating: false, count: column.count)
    for row in column.movedRows where row < column.count { moved[Int(row)] = true }
    guard !options.isEmpty, options != .characters, !Self.isASCII(column.bytes[...]) else {
      return moved & present
    }
    return column.bytes.withUnsafeBufferPointer { bytes in
      column.words.withUnsafeBufferPointer { words in
        present.filter { row in
          let text = UnsafeBufferPointer(rebasing: bytes[Span(packed: words[row]).range])
          return moved[row]
            || (findsASCII ? Self.mayFoldToASCII(text) : !Self.isASCII(text))
        }
      }
    }
  }

  /// True if the bytes of most texts tell whether they match, although case is ignored.
  private var findsASCII: Bool {
    options == .caseInsensitive && pattern.allSatisfy { $0 < 0x80 }
  }

  /// True if the text may have characters beyond ASCII that become ASCII when case is ignored.
  ///
  /// They are ß and ẞ (ss), ſ, ŉ, ǰ, İ, ı, the letters from U+1E96, the Kelvin sign, the ligatures from U+FB00, and two
  /// that are the same as `;` and the grave accent. `TextScanTests` compares this with all characters of Unicode.
  static func mayFoldToASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    for place in text.indices where text[place] >= 0xC3 {
      // Valid UTF-8, so a second byte follows.
      let next = text[place + 1]
      switch text[place] {
      case 0xC3: if next == 0x9F { return true }
      case 0xC4: if next == 0xB0 || next == 0xB1 { return true }
      case 0xC7: if next == 0xB0 { return true }
      case 0xC5: if next == 0x89 || next == 0xBF { return true }
      case 0xCD: if next == 0xBE { return true }
      case 0xE1: if next == 0xBA || next == 0xBF { return true }
      case 0xE2: if next == 0x84 { return true }
      case 0xEF: if next == 0xAC { return true }
      default: break
      }
    }
    return false
  }

  /// The rows, among those in order, whose bytes contain the pattern.
  private func found() -> Bitmap {
    var moved = Bitmap(repeating: false, count: column.count)
    for row in column.movedRows where row < column.count { moved[Int(row)] = true }
    let bytes = options.contains(.caseInsensitive) ? Self.lowercased(column.bytes) : column.bytes
    var result = Bitmap(repeating: false, count: column.count)
    bytes.withUnsafeBufferPointer { bytes in
      column.words.withUnsafeBufferPointer { words in
        mark(&result, bytes, words, moved)
      }
    }
    return result
  }

  private func mark(
    _ result: inout Bitmap,
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ words: UnsafeBufferPointer<UInt64>,
    _ moved: Bitmap
  ) {
    let offset = rarestByte(bytes)
    var row = 0
    var position = 0
    while let hit = search(bytes, from: position, byByteAt: offset) {
      // Rows without text have an empty span at 0 and are skipped.
      while row < words.count, moved[row] || Span(packed: words[row]).range.upperBound <= hit {
        row += 1
      }
      guard row < words.count else { return }
      let range = Span(packed: words[row]).range
      if hit < range.lowerBound || hit + pattern.count > range.upperBound {
        position = hit + 1
      } else {
        result[row] = true
        position = range.upperBound
        row += 1
      }
    }
  }

  /// The first match at or after the position; the search starts from one byte of the pattern.
  @inline(__always)
  private func search(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from position: Int,
    byByteAt offset: Int
  ) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    let byte = Int32(pattern[offset])
    var next = position + offset
    let end = bytes.count - pattern.count + offset
    while next <= end, let found = memchr(start + next, byte, end - next + 1) {
      let place = UnsafeRawPointer(found) - UnsafeRawPointer(start)
      if memcmp(start + place - offset, pattern, pattern.count) == 0 { return place - offset }
      next = place + 1
    }
    return nil
  }

  /// The offset of the pattern's byte that is rarest in a sample of the texts.
  private func rarestByte(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var counts = [Int](repeating: 0, count: 256)
    for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 4096)) {
      counts[Int(bytes[place])] += 1
    }
    return pattern.indices.min { counts[Int(pattern[$0])] < counts[Int(pattern[$1])] } ?? 0
  }

  private static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { isASCII($0) }
  }

  private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    return all < 0x80
  }

  private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { bytes in
      [UInt8](unsafeUninitializedCapacity: bytes.count) { lowered, count in
        for place in 0..<bytes.count {
          let byte = bytes[place]
          lowered[place] = byte &- 65 < 26 ? byte | 0x20 : byte
        }
        count = bytes.count
      }
    }
  }
}
