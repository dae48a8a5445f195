/// A line of text that is safe to draw and whose width in terminal cells is known.
///
/// A `Canvas` accepts no other text, so that data in a record cannot control the terminal. The original
/// text is not kept: store it separately if it is to be edited. Texts built from parts are safe too: a
/// part never merges with its neighbor.
package struct DisplayText: Hashable, Sendable {
  /// The side on which a text is placed in a wider field.
  package enum Alignment: Hashable, Sendable {
    case left, right, center
  }

  /// The characters that a terminal draws as a unit, with their cells.
  package struct Cluster: Hashable, Sendable {
    /// One base character with its marks, or a flag.
    package let text: String
    /// The number of cells, at least 1.
    package let width: Int
  }

  /// The safe text.
  package private(set) var plain: String
  /// The number of terminal cells that the text takes.
  package private(set) var width: Int
  /// True if every byte is a printable ASCII character, and therefore one cell.
  ///
  /// Any other scalar takes more bytes than cells.
  package var isASCII: Bool { width == plain.utf8.count }

  /// The empty text.
  package static let empty = DisplayText(plain: "", width: 0)

  /// Makes `raw` visible: control and invisible characters are replaced by visible symbols.
  ///
  /// Line feed, carriage return and tab become `↵`, `␍` and `→`.
  /// - Complexity: O(n); printable ASCII is only scanned, eight bytes at a time.
  package init(_ raw: String) {
    if PrintableASCII.isAll(raw, limit: .max) {
      self.init(plain: raw, width: raw.utf8.count)
    } else {
      var sanitizer = Sanitizer(raw)
      let safe = sanitizer.run(limit: .max)
      self.init(plain: safe, width: sanitizer.width)
    }
  }

  /// Makes the beginning of `raw` visible, with the same result as `DisplayText(raw).clipped(to:
  /// limit)`.
  ///
  /// - Complexity: O(limit), independent of the length of `raw`, unless it consists of marks.
  package init(_ raw: String, clippedTo limit: Int) {
    if raw.utf8.count <= limit || limit < 0 {
      self = DisplayText(raw).clipped(to: limit)
    } else if PrintableASCII.isAll(raw, limit: limit + 1) {
      self = Self.cutASCII(raw, to: limit)
    } else {
      var sanitizer = Sanitizer(raw)
      let safe = sanitizer.run(limit: limit)
      self = DisplayText(plain: safe, width: sanitizer.width)
        .clipped(to: limit)
    }
  }

  /// Wraps text that is already safe; only for parts of another text.
  init(plain: String, width: Int) {
    self.plain = plain
    self.width = width
  }

  /// Returns `count` spaces; empty if it is negative.
  package static func spaces(_ count: Int) -> DisplayText {
    let count = max(0, count)
    return DisplayText(
      plain: String(repeating: " ", count: count),
      width: count
    )
  }

  /// True if the text is empty.
  package var isEmpty: Bool { plain.isEmpty }

  /// Returns the text in at most `limit` cells; a text that was cut ends in `…`.
  ///
  /// A cluster is never split: a wide one that would cross the end is replaced by a space.
  package func clipped(to limit: Int) -> DisplayText {
    if width <= limit { return self }
    if limit <= 0 { return .empty }
    if isASCII { return Self.cutASCII(plain, to: limit) }
    var result = DisplayText.empty
    var end = plain.startIndex
    forEachCluster { _, range, cells in
      guard result.width + cells < limit else { return false }
      end = range.upperBound
      result.width += cells
      return true
    }
    result.plain = plain[..<end] + String(repeating: " ", count: limit - 1 - result.width) + "…"
    return DisplayText(plain: result.plain, width: limit)
  }

  /// Returns the text padded with spaces to `total` cells; a longer one unchanged.
  package func padded(to total: Int, alignment: Alignment = .left) -> DisplayText {
    let missing = total - width
    guard missing > 0 else { return self }
    let left =
      switch alignment {
      case .left: 0
      case .right: missing
      case .center: missing / 2
      }
    return .spaces(left) + self + .spaces(missing - left)
  }

  /// Returns the text in exactly `total` cells: clipped or padded.
  package func fitted(to total: Int, alignment: Alignment = .left) -> DisplayText {
    clipped(to: total).padded(to: total, alignment: alignment)
  }

  /// Joins two texts.
  package static func + (left: DisplayText, right: DisplayText) -> DisplayText {
    var result = left
    result += right
    return result
  }

  /// Appends a text.
  package static func += (left: inout DisplayText, right: DisplayText) {
    left.plain += right.plain
    left.width += right.width
  }

  private static func cutASCII(_ text: String, to limit: Int) -> DisplayText {
    guard limit > 0 else { return .empty }
    return DisplayText(
      plain: String(text.utf8.prefix(limit - 1)).map { $0 + "…" } ?? "…",
      width: limit
    )
  }
}

extension DisplayText: ExpressibleByStringInterpolation {
  /// Makes a literal visible, including its interpolated values.
  package init(stringLiteral value: String) { self.init(value) }
}

extension DisplayText: CustomStringConvertible {
  /// The safe text.
  package var description: String { plain }
}

/// Recognizes text that needs no changes.
enum PrintableASCII {
  /// Tells whether the first `limit` bytes of `text` are all between space and tilde.
  static func isAll(_ text: String, limit: Int) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let count = min(bytes.count, limit)
      guard let start = bytes.baseAddress else { return true }
      let raw = UnsafeRawPointer(start)
      var offset = 0
      while offset + 8 <= count {
        let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        if hasOther(word) { return false }
        offset += 8
      }
      return (offset..<count).allSatisfy { bytes[$0] >= 0x20 && bytes[$0] < 0x7F }
    }
  }

  /// Tells whether one of the eight bytes is below space or above tilde.
  private static func hasOther(_ word: UInt64) -> Bool {
    let high: UInt64 = 0x8080_8080_8080_8080
    let below = (word &- 0x2020_2020_2020_2020) & ~word
    let above = word &+ 0x0101_0101_0101_0101
    return (below | above | word) & high != 0
  }
}
