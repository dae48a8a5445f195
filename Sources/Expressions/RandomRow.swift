/// Random numbers that depend on a seed and on the number of a row only, so that they can be computed again.
enum RandomRow {
  /// The 53 bits of a number (SplitMix64 with the row as the number of the step).
  static func bits(seed: Int64, row: Int) -> UInt64 {
    var z = UInt64(bitPattern: seed) &+ UInt64(truncatingIfNeeded: row) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return (z ^ z >> 31) >> 11
  }

  /// A number from 0, which is possible, to 1, which is not.
  static func number(seed: Int64, row: Int) -> Double {
    Double(bits(seed: seed, row: row)) / Double(1 << 53)
  }
}

/// The rows of a list that are chosen at random: those with the smallest numbers.
struct RowSample {
  private let size: SampleSize
  private var rowCount = 0
  private var kept: [(number: UInt64, place: Int, row: ExpressionRow)] = []
  /// The largest number that may still be among the smallest ones.
  private var bound = UInt64.max

  init(_ size: SampleSize) { self.size = size }

  /// Adds the next row.
  ///
  /// - Complexity: O(log n) on average in the number of rows that are chosen.
  mutating func add(_ row: ExpressionRow) {
    rowCount += 1
    let number = RandomRow.bits(seed: size.seed, row: rowCount)
    guard number < bound, size.count > 0 else { return }
    kept.append((number, rowCount, row))
    // Invariant: at most twice as many rows as are chosen are kept.
    if kept.count / 2 >= size.count { choose() }
  }

  /// The chosen rows in their order.
  mutating func rows() -> [ExpressionRow] {
    choose()
    return kept.sorted { $0.place < $1.place }.map(\.row)
  }

  private mutating func choose() {
    guard kept.count > size.count else { return }
    kept.sort { ($0.number, $0.place) < ($1.number, $1.place) }
    kept.removeLast(kept.count - size.count)
    // A later row with the same number is not chosen.
    bound = kept.last?.number ?? 0
  }
}

/// How many rows of a list are chosen at random, and what the random numbers are made from.
package struct SampleSize: Hashable, Sendable {
  let count: Int
  let seed: Int64

  /// Creates a size.
  ///
  /// - Precondition: The number is not negative.
  package init(_ count: Int, seed: Int64 = 0) { (self.count, self.seed) = (count, seed) }
}
