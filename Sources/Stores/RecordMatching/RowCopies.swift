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
    if rows.isEmpty { return [:] }
    var left = table.rowsInOrder().map(Int.init)
    var digests = [UInt64](repeating: 0, count: table.rowCount)
    for slot in slots {
      let column = table.columns[slot]
      if rows.count <= Self.few {
        left = left.filter { row in rows.contains { column.equals(row, column, $0) } }
      }
      for row in left {
        let hash = column.isNull(row) ? 0 : column.hash(at: row)
        digests[row] = (digests[row] ^ hash) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(slot)
      }
      let wanted = Set(rows.lazy.map { digests[$0] })
      left = left.filter { wanted.contains(digests[$0]) }
      if left.count == wanted.count { return [:] }
    }
    var counts: [UInt64: Int] = [:]
    for row in left { counts[digests[row], default: 0] += 1 }
    return Dictionary(
      rows.lazy.compactMap { row in
        counts[digests[row]].flatMap { $0 > 1 ? (row, $0) : nil }
      },
      uniquingKeysWith: { first, _ in first }
    )
  }
}
