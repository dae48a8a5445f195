import CSystem
import Foundation
import OpenSwiftData

/// Searches the texts of a column for a pattern without looking at each row.
///
/// The texts follow each other in one array, so a single search covers them all, and each match
/// belongs to the row whose text contains it. Rows are tested one by one if their text was
/// replaced, which moves it elsewhere. The same holds for texts with characters beyond ASCII if the
/// search ignores accents, or ignores case with a pattern beyond ASCII. If it ignores only case, with a
/// pattern in ASCII, only characters that become ASCII when case is ignored matter, such as the Kelvin
/// sign.
struct TextScan {
  private let column: Column
  private let matcher: TextMatcher
  private let options: TextMatch.Options
  private let pattern: [UInt8]
  /// The two offsets in the pattern whose bytes are rarest in the column.
  private let rarest: (Int, Int)
  /// The rows whose text is not in row order; nil if there are none.
  private let moved: Bitmap?

  /// Nil if the texts must be tested one by one.
  init?(_ column: Column, _ match: TextMatch, _ matcher: TextMatcher) {
    guard match.operation == .contains, column.movedRows.count <= column.count / 8,
      !match.options.contains(.characters) || match.comparesBytes,
      !match.options.contains(.jsonStrings)
    else { return nil }
    pattern = Array(TextFolding.fold(match.pattern, match.options).utf8)
    guard !pattern.isEmpty else { return nil }
    (self.column, self.matcher, options) = (column, matcher, match.options)
    rarest = Self.rarest(pattern, in: column.bytes, options.contains(.caseInsensitive))
    moved =
      column.movedRows.isEmpty
      ? nil
      : column.movedRows.reduce(into: Bitmap(repeating: false, count: column.count)) {
        if $1 < column.count { $0[Int($1)] = true }
      }
  }

  /// Finds the matching rows of a part.
  ///
  /// - Complexity: O(n) in the bytes of the part's texts.
  func find(in part: BitmapPart) throws {
    try column.bytes.withUnsafeBufferPointer { bytes in
      try column.words.withUnsafeBufferPointer { words in
        var meter = WorkMeter()
        let texts = Texts(bytes: bytes, words: words, moved: moved, part)
        // The rows that are tested one by one.
        var single = [UInt64](repeating: 0, count: part.mask.count)
        func test(_ row: Int) throws {
          single[(row - part.start) >> 6] |= 1 << UInt64(row & 63)
          guard part.contains(row) else { return }
          let text = texts.text(row)
          try meter.count(1 + text.count >> 4)
          if matcher.matches(utf8: text) { part.insert(row) }
        }
        if moved != nil { for row in texts.rows where texts.isMoved(row) { try test(row) } }
        if testsSomeBeyondASCII {
          try texts.forEachBeyondASCII { row in
            if !isPlain || Self.mayFoldToASCII(texts.text(row)) { try test(row) }
          }
        }
        // A text in ASCII does not contain other characters.
        guard options.isEmpty || isPlain || pattern.allSatisfy({ $0 < 0x80 }) else { return }
        try texts.forEach(pattern, rarest, ignoresCase: options.contains(.caseInsensitive)) { row in
          guard part.contains(row), single[(row - part.start) >> 6] >> UInt64(row & 63) & 1 == 0
          else { return }
          // Bytes may match within a character, such as the base letter of an accented one.
          if options.isEmpty || texts.isASCII(row) || matcher.matches(utf8: texts.text(row)) {
            part.insert(row)
          }
        }
      }
    }
  }

  /// True if bytes decide for most texts beyond ASCII, too.
  private var isPlain: Bool {
    options == .caseInsensitive && pattern.allSatisfy { $0 < 0x80 }
  }

  private var testsSomeBeyondASCII: Bool { !options.isEmpty && options != .characters }

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

  /// The offsets of the two bytes of the pattern that are rarest in a sample of the texts.
  private static func rarest(_ pattern: [UInt8], in bytes: [UInt8], _ ignoresCase: Bool) -> (
    Int, Int
  ) {
    var counts = [Int](repeating: 0, count: 256)
    for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 4096)) {
      let byte = bytes[place]
      counts[Int(ignoresCase && byte &- 65 < 26 ? byte | 0x20 : byte)] += 1
    }
    let offsets = pattern.indices.sorted {
      (counts[Int(pattern[$0])], $0) < (counts[Int(pattern[$1])], $1)
    }
    return (offsets[0], offsets.count > 1 ? offsets[1] : offsets[0])
  }
}

/// The texts of some successive rows.
private struct Texts {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let words: UnsafeBufferPointer<UInt64>
  private let moved: Bitmap?
  let rows: Range<Int>

  /// The amount of text to search between two checks whether to stop.
  private static let windowBytes = 1 << 22

  init(
    bytes: UnsafeBufferPointer<UInt8>,
    words: UnsafeBufferPointer<UInt64>,
    moved: Bitmap?,
    _ part: BitmapPart
  ) {
    (self.bytes, self.words, self.moved) = (bytes, words, moved)
    rows = part.start..<min(words.count, part.start + 64 * part.mask.count)
  }

  @inline(__always)
  func isMoved(_ row: Int) -> Bool { moved.map { $0[row] } ?? false }

  @inline(__always)
  func text(_ row: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[Span(packed: words[row]).range])
  }

  func isASCII(_ row: Int) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let range = range(row)
    return catalog_find_beyond_ascii(start, range.lowerBound, range.upperBound) < 0
  }

  /// Calls the body with each row whose text has a byte beyond ASCII, except moved rows.
  func forEachBeyondASCII(_ body: (Int) throws -> Void) throws {
    try forEachHit(length: 1, { catalog_find_beyond_ascii($0, $1, $2) }, body)
  }

  /// Calls the body with each row whose text has the bytes, except moved rows.
  func forEach(
    _ pattern: [UInt8],
    _ rarest: (Int, Int),
    ignoresCase: Bool,
    _ body: (Int) throws -> Void
  ) throws {
    try pattern.withUnsafeBufferPointer { buffer in
      var wanted = catalog_pattern(
        bytes: buffer.baseAddress,
        count: buffer.count,
        first: rarest.0,
        second: rarest.1,
        ignores_case: ignoresCase ? 1 : 0
      )
      try forEachHit(length: pattern.count, { catalog_find(&wanted, $0, $1, $2) }, body)
    }
  }

  /// Calls the body with each row that contains a hit of the search.
  @inline(__always)
  private func forEachHit(
    length: Int,
    _ search: (UnsafePointer<UInt8>, Int, Int) -> Int,
    _ body: (Int) throws -> Void
  ) throws {
    let range = rangeInOrder
    guard let start = bytes.baseAddress, !range.isEmpty else { return }
    var row = rows.lowerBound
    var position = range.lowerBound
    while position < range.upperBound {
      try Interruption.check()
      let window = min(range.upperBound, position + Self.windowBytes)
      let end = min(range.upperBound, window + length - 1)
      while position < window {
        let hit = search(start, position, end)
        guard hit >= 0 else { break }
        // Rows without text have an empty span at 0 and are skipped.
        while row < rows.upperBound, isMoved(row) || self.range(row).upperBound <= hit { row += 1 }
        guard row < rows.upperBound else { return }
        let text = self.range(row)
        if hit < text.lowerBound || hit + length > text.upperBound {
          position = hit + 1
        } else {
          try body(row)
          position = text.upperBound
          row += 1
        }
      }
      position = max(position, window)
    }
  }

  @inline(__always)
  private func range(_ row: Int) -> Range<Int> { Span(packed: words[row]).range }

  /// The bytes of the rows that are in row order.
  private var rangeInOrder: Range<Int> {
    func isInOrder(_ row: Int) -> Bool { !isMoved(row) && Span(packed: words[row]).count > 0 }
    guard let first = rows.first(where: isInOrder), let last = rows.last(where: isInOrder) else {
      return 0..<0
    }
    return range(first).lowerBound..<range(last).upperBound
  }
}
