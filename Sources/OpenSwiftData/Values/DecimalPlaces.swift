/// How many digits stand after the point in the numbers of a column, as in prices: `12.50`, `3.00`.
package struct DecimalPlaces: Sendable, Hashable {
  /// The digits of every number with a point.
  private let count: Int
  /// True if whole numbers have a point as well.
  private let isInWholeNumbers: Bool

  /// The digits in some texts; nil if they differ, or none of them is a zero at the end, which tells that they are meant.
  package init?(of texts: some Sequence<ArraySlice<UInt8>>) {
    var count: Int?
    var hasZeros = false
    var hasWholeNumbers = false
    for text in texts {
      let parts = text.drop { $0 == UInt8(ascii: "-") }.split(
        separator: UInt8(ascii: "."),
        omittingEmptySubsequences: false
      )
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }) else {
        continue
      }
      guard parts.count == 2 else {
        hasWholeNumbers = true
        continue
      }
      guard count == nil || count == parts[1].count else { return nil }
      count = parts[1].count
      if parts[1].last == UInt8(ascii: "0") { hasZeros = true }
    }
    guard let count, hasZeros else { return nil }
    (self.count, isInWholeNumbers) = (count, !hasWholeNumbers)
  }

  /// Reads a code; nil for 0, which stands for none.
  package init?(code: UInt64) {
    guard let count = Int(exactly: code / 2), count > 0 else { return nil }
    (self.count, isInWholeNumbers) = (count, code % 2 == 1)
  }

  /// A number that keeps them.
  package var code: UInt64 { UInt64(count) * 2 + (isInWholeNumbers ? 1 : 0) }

  /// A number with these digits; nil for one that has them, and for other values.
  package func text(of value: Value) -> String? {
    switch value {
    case .integer, .number, .decimal: break
    default: return nil
    }
    let text = value.text
    let missing = missing(in: text.utf8)
    return missing.isEmpty ? nil : text + missing
  }

  /// What a number lacks at its end to have these digits; empty for one that has them, and for other texts.
  func missing(in text: some BidirectionalCollection<UInt8>) -> String {
    guard text.allSatisfy({ $0.isDigit || $0 == 0x2D || $0 == 0x2E }) else { return "" }
    guard let point = text.lastIndex(of: 0x2E) else {
      return isInWholeNumbers ? "." + String(repeating: "0", count: count) : ""
    }
    return String(repeating: "0", count: max(0, count + 1 - text[point...].count))
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
