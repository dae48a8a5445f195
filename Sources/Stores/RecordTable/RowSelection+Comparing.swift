import Foundation
import OpenSwiftData

extension RowSelection {
  /// The rows whose value has this relation to the value; null as in
  /// `Filter.Comparison.holds(_:_:)`.
  func compare(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ value: Value,
    among mask: Bitmap
  ) -> Bitmap {
    if value.isNull {
      switch comparison {
      case .equal: return mask & column.nulls
      case .notEqual: return mask - column.nulls
      default: return none
      }
    }
    let present = mask - column.nulls
    let found = comparePresent(column, comparison, value, among: present)
    return comparison == .notEqual ? found | (mask & column.nulls) : found
  }

  private func comparePresent(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ value: Value,
    among present: Bitmap
  ) -> Bitmap {
    guard value.kind == column.kind else {
      return compareNumbers(column, comparison, value, among: present)
    }
    switch (column.layout, value) {
    case (.whole, _):
      return present & Self.integers(column, comparison, Int64(bitPattern: value.bits))
    case (.float, _):
      let bound = Double(bitPattern: value.bits)
      guard bound.isFinite else { break }
      return present & Self.doubles(column, comparison, bound)
    case (.days, .date(let bound)):
      return present
        & column.days.withUnsafeBufferPointer { days in
          comparison.bitmap(column.count, bound.daysSince1970) { days[$0] }
        }
    case (.flag, .boolean(let bound)):
      return present.filter { comparison.holds(column.flags[$0] ? 1 : 0, bound ? 1 : 0) }
    case (.decimal, _): return Self.decimals(column, comparison, value, among: present)
    case (.bytes, .text(var bound)), (.bytes, .json(var bound)):
      return bound.withUTF8 { Self.texts(column, comparison, $0, among: present) }
    case (.pair, .uuid(let bound)):
      return present.filter {
        comparison.holds(Self.uuid(column, $0), (bound.words.high, bound.words.low))
      }
    default: break
    }
    return present.filter { comparison.holds(column.value(at: $0), value) }
  }

  /// The rows whose number has this relation to a number of another kind.
  ///
  /// Values of kinds that cannot be compared with each other are different and unordered.
  private func compareNumbers(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ value: Value,
    among present: Bitmap
  ) -> Bitmap {
    switch (column.kind, value) {
    case (.integer, .number), (.integer, .decimal):
      guard let bound = WholeBound(value, timesTenTo: 0) else { break }
      switch bound.applied(comparison) {
      case .constant(let holds): return holds ? present : none
      case .whole(let comparison, let bound):
        return present & Self.integers(column, comparison, bound)
      }
    case (.number, .integer(let whole)):
      guard Int64(exactly: Double(whole)) == whole else { break }
      return present & Self.doubles(column, comparison, Double(whole))
    case (.decimal, .integer), (.decimal, .number):
      return Self.decimals(column, comparison, value, among: present)
    case (.number, .decimal): break
    // A moment is compared with a day as the day that it is in UTC.
    case (.datetime, .date), (.date, .datetime): break
    default: return comparison == .notEqual ? present : none
    }
    return present.filter { comparison.holds(column.value(at: $0), value) }
  }

  private static func integers(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ bound: Int64
  ) -> Bitmap {
    column.words.withUnsafeBufferPointer { words in
      comparison.bitmap(column.count, bound) { Int64(bitPattern: words[$0]) }
    }
  }

  private static func doubles(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ bound: Double
  ) -> Bitmap {
    column.words.withUnsafeBufferPointer { words in
      comparison.bitmap(column.count, bound) { Double(bitPattern: words[$0]) }
    }
  }

  private static func uuid(_ column: Column, _ row: Int) -> (UInt64, UInt64) {
    (column.words[2 * row], column.words[2 * row + 1])
  }

  private static func texts(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ bound: UnsafeBufferPointer<UInt8>,
    among present: Bitmap
  ) -> Bitmap {
    column.words.withUnsafeBufferPointer { words in
      column.bytes.withUnsafeBufferPointer { bytes in
        present.filter { row in
          let span = Span(packed: words[row])
          if span.count != bound.count {
            if comparison == .equal { return false }
            if comparison == .notEqual { return true }
          }
          let text = UnsafeBufferPointer(rebasing: bytes[span.range])
          return comparison.holds(TextOrder.compare(text, bound), 0)
        }
      }
    }
  }

  /// Decimals are compared by their mantissas, with the bound brought to each exponent once.
  private static func decimals(
    _ column: Column,
    _ comparison: Filter.Comparison,
    _ value: Value,
    among present: Bitmap
  ) -> Bitmap {
    var applied: [WholeBound.Applied?] = Array(repeating: nil, count: 256)
    return present.filter { row in
      let exponent = column.exponents[row]
      guard exponent != CompactDecimal.largeMark else {
        return comparison.holds(column.value(at: row), value)
      }
      let place = Int(exponent) + 128
      let bound =
        applied[place] ?? WholeBound(value, timesTenTo: -Int(exponent))?.applied(comparison)
      guard let bound else { return comparison.holds(column.value(at: row), value) }
      applied[place] = bound
      switch bound {
      case .constant(let holds): return holds
      case .whole(let comparison, let bound):
        return comparison.holds(Int64(bitPattern: column.words[row]), bound)
      }
    }
  }
}

// MARK: Two attributes

extension RowSelection {
  /// The rows whose two values have this relation.
  func compare(
    _ left: Column,
    _ comparison: Filter.Comparison,
    _ right: Column,
    among mask: Bitmap
  ) -> Bitmap {
    let bothNull = mask & left.nulls & right.nulls
    let oneNull = (mask & (left.nulls | right.nulls)) - bothNull
    let present = mask - left.nulls - right.nulls
    let found = present.filter { row in
      guard left.kind == right.kind else {
        return comparison.holds(left.value(at: row), right.value(at: row))
      }
      return switch left.layout {
      case .whole:
        comparison.holds(Int64(bitPattern: left.words[row]), Int64(bitPattern: right.words[row]))
      case .float: comparison.holds(left.double(at: row), right.double(at: row))
      case .days: comparison.holds(left.days[row], right.days[row])
      case .bytes:
        left.withText(at: row) { one in
          right.withText(at: row) { comparison.holds(TextOrder.compare(one, $0), 0) }
        }
      default: comparison.holds(left.value(at: row), right.value(at: row))
      }
    }
    switch comparison {
    case .equal: return found | bothNull
    case .notEqual: return found | oneNull
    default: return found
    }
  }
}

extension Filter.Comparison {
  @inline(__always)
  func holds(_ left: (UInt64, UInt64), _ right: (UInt64, UInt64)) -> Bool {
    holds(left == right ? 0 : left < right ? -1 : 1, 0)
  }

  /// The rows whose value has this relation to the bound; the relation is chosen once, not for each
  /// row.
  @inline(__always)
  func bitmap<T: Comparable>(_ count: Int, _ bound: T, _ value: (Int) -> T) -> Bitmap {
    switch self {
    case .equal: Bitmap.of(count: count) { value($0) == bound }
    case .notEqual: Bitmap.of(count: count) { value($0) != bound }
    case .less: Bitmap.of(count: count) { value($0) < bound }
    case .lessOrEqual: Bitmap.of(count: count) { value($0) <= bound }
    case .greater: Bitmap.of(count: count) { value($0) > bound }
    case .greaterOrEqual: Bitmap.of(count: count) { value($0) >= bound }
    }
  }
}

/// Orders texts by their bytes.
enum TextOrder {
  /// Negative, zero or positive if the left text comes before, with or after the right one.
  @inline(__always)
  static func compare(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let one = left.baseAddress, let other = right.baseAddress {
      let order = memcmp(one, other, common)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }
}
