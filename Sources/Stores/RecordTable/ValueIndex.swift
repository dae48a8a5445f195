import OpenSwiftData

/// An index of a column's rows by value, for equality tests.
///
/// Rows with the same value form a chain, so a column with few distinct values is indexed as fast
/// as one with many. Takes 12 to 20 bytes per row.
struct ValueIndex: Sendable {
  /// The first row of each value, at the slot of its hash or after it; -1 in free slots.
  private var firsts: [Int32]
  /// For each row the next one with the same value; -1 after the last.
  private var next: [Int32]

  /// Indexes the values of rows that have one.
  ///
  /// - Complexity: O(n) expected.
  init(_ column: Column, _ rows: Bitmap) {
    let count = rows.populationCount
    var size = 16
    while size < 2 * count { size *= 2 }
    firsts = Array(repeating: -1, count: size)
    next = Array(repeating: -1, count: column.count)
    rows.forEach { row in
      let place = self.place(of: column.hash(at: row)) { column.equals($0, column, row) }
      next[row] = firsts[place]
      firsts[place] = Int32(row)
    }
  }

  /// Calls the body with the rows that hold the value, in descending order, until it returns false.
  ///
  /// - Complexity: O(1) expected for each.
  func forEachRow(holding value: Value, in column: Column, _ body: (Int32) -> Bool) {
    let place = place(of: Column.hash(of: value)) { column.holds(value, at: $0) }
    var row = firsts[place]
    while row >= 0, body(row) { row = next[Int(row)] }
  }

  /// The slot of the value with this hash, or the free slot for it.
  private func place(of hash: UInt64, where fits: (Int) -> Bool) -> Int {
    let mask = firsts.count - 1
    let mixed = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
    var place = Int(truncatingIfNeeded: mixed >> 20) & mask
    while firsts[place] >= 0, !fits(Int(firsts[place])) { place = (place + 1) & mask }
    return place
  }
}
