import OpenSwiftData

/// The cells before and after the decimal points of a column.
struct PointWidths: Hashable, Sendable {
  private var before = 0
  private var after = 0

  /// Longer fractions are not aligned.
  private static let longestFraction = 6

  /// The cells that the numbers need when their points are below each other.
  var width: Int { before + after }

  /// Counts a number.
  mutating func add(_ text: DisplayText, of column: ShownColumn) {
    guard let parts = Self.parts(text, column) else { return }
    before = max(before, parts.before)
    after = max(after, parts.after)
  }

  /// The cells by which the end of a number is shorter than that of the longest one.
  func missing(in text: DisplayText, of column: ShownColumn) -> Int {
    Self.parts(text, column).map { max(0, after - $0.after) } ?? 0
  }

  /// The cells before the point, and those from the point on; nil for a text that is not aligned.
  private static func parts(_ text: DisplayText, _ column: ShownColumn) -> (
    before: Int, after: Int
  )? {
    guard column.attribute.type.isNumeric, column.alignment == .right,
      text.plain.utf8.allSatisfy({ (48...57).contains($0) || [43, 44, 45, 46].contains($0) })
    else { return nil }
    let whole = text.plain.utf8.prefix { $0 != UInt8(ascii: ".") }.count
    let rest = text.width - whole
    return rest - 1 > longestFraction ? nil : (whole, rest)
  }
}
