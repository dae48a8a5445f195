import OpenSwiftData

/// Counts the rows of a table that are equal as a whole.
///
/// Which of several equal records another program has removed cannot be known, only that there are fewer.
struct RowCopies {
  private let table: EntityTable
  /// The slots, those of the fields by which records are known first: most rows differ there.
  private let slots: [Int]
  /// So many rows are compared with each other row faster than their hashes.
  private static let few = 4

  init(_ table: EntityTable, knownBy fields: [String]) {
    self.table = table
    let first = fields.compactMap { table.entity.layout.slot(of: $0) }
    slots = first + table.columns.indices.filter { !first.contains($0) }
  }

  /// For each of some rows that has equal ones, how many there are, with itself.
  ///
  /// - Complexity: O(n) in the number of rows of the table for the first column; in the others only rows are examined that
  ///   may still be equal.
  func counts(of rows: [Int]) -> [Int: Int] {
    guard !rows.isEmpty, let first = slots.first else { return [:] }
    let own = Set(rows)
    var left = rowsThatMayEqual(rows, at: first)
    for slot in slots {
      let column = table.columns[slot]
      for place in left.indices {
        let row = left[place].row
        let hash = column.isNull(row) ? 0 : column.hash(at: row)
        left[place].digest = (left[place].digest ^ hash) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(slot)
      }
      let wanted = Set(left.lazy.filter { own.contains($0.row) }.map(\.digest))
      left = left.filter { wanted.contains($0.digest) }
      if left.count == wanted.count { return [:] }
    }
    var counts: [UInt64: Int] = [:]
    for row in left { counts[row.digest, default: 0] += 1 }
    var copies: [Int: Int] = [:]
    for row in left where own.contains(row.row) {
      if let count = counts[row.digest], count > 1 { copies[row.row] = count }
    }
    return copies
  }

  /// A row with the hash of its values in the columns that were examined.
  private struct Candidate {
    let row: Int
    var digest: UInt64 = 0
  }

  /// The rows with the values of some of these in a column, or all rows if they are many.
  private func rowsThatMayEqual(_ rows: [Int], at slot: Int) -> [Candidate] {
    let column = table.columns[slot]
    var found: [Candidate] = []
    let areFew = rows.count <= Self.few
    if !areFew { found.reserveCapacity(table.rowCount) }
    table.forEachRow { row in
      if !areFew || rows.contains(where: { column.equals(row, column, $0) }) {
        found.append(Candidate(row: row))
      }
    }
    return found
  }
}
