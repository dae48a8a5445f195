import OpenSwiftData

// In a table with many columns most cells are empty: twenty thousand records with twenty thousand
// different keys have as many values as records, but four hundred million cells. In such a table a
// column starts out sparse, with a list of the rows that have a slot in its arrays. When a quarter
// of the rows have one, it becomes dense, with a slot for every row up to the last value. Rows
// without a slot have no value.

extension Column {
  /// A table with more fields than this has wide columns.
  static let wideFieldCount = 256

  /// A sparse column with fewer values than this is never converted to a dense one.
  private static let sparseCount = 64

  /// The index of a row in the arrays; nil if it has none, and so no value.
  ///
  /// - Complexity: O(1), in a sparse column O(log n) in the number of its values.
  @inline(__always)
  func place(of row: Int) -> Int? {
    isWide ? widePlace(of: row) : row
  }

  private func widePlace(of row: Int) -> Int? {
    guard let placedRows else { return row < count ? row : nil }
    let low = firstPlace(from: row, in: placedRows)
    return low < placedRows.count && placedRows[low] == Int32(row) ? low : nil
  }

  /// The index of the first row from this one on that has an index.
  private func firstPlace(from row: Int, in placedRows: [Int32]) -> Int {
    var low = 0
    var high = placedRows.count
    while low < high {
      let middle = (low + high) / 2
      if placedRows[middle] < Int32(row) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The rows with a value, ascending.
  ///
  /// - Complexity: O(n) in the rows, in a sparse column in those with a value.
  func presentRows(in rows: Range<Int>) -> [Int32] {
    guard let placedRows else {
      return rows.clamped(to: 0..<count).filter { !nulls[$0] }.map { Int32($0) }
    }
    let first = firstPlace(from: rows.lowerBound, in: placedRows)
    let end = firstPlace(from: rows.upperBound, in: placedRows)
    return (first..<end).filter { !nulls[$0] }.map { placedRows[$0] }
  }

  /// True if the row has no value.
  @inline(__always)
  func isNull(_ row: Int) -> Bool {
    guard let place = place(of: row) else { return true }
    return nulls[place]
  }

  /// The index for a value of the row, either the existing one or the next free one.
  @inline(__always)
  mutating func placeToPut(_ row: Int) -> Int {
    isWide ? widePlaceToPut(row) : row
  }

  private mutating func widePlaceToPut(_ row: Int) -> Int {
    if let rows = placedRows {
      if let place = widePlace(of: row) { return place }
      let isLast = rows.last.map { $0 < Int32(row) } ?? true
      if isLast, rows.count < Self.sparseCount || 4 * rows.count < row {
        placedRows?.append(Int32(row))
        return rows.count
      }
      makeDense()
    }
    while count < row { appendNull() }
    return row
  }

  /// Gives every row up to the last value an index.
  mutating func makeDense() {
    guard let rows = placedRows else { return }
    self = spread(over: rows.last.map { Int($0) + 1 } ?? 0, rows, isWide: true)
  }

  /// The column with an index for each of the rows, as required by code that visits all rows.
  ///
  /// - Complexity: O(1) for columns of ordinary tables, O(n) for others.
  func dense(_ rowCount: Int) -> Column {
    guard isWide else { return self }
    let rows = placedRows ?? (0..<Int32(count)).map { $0 }
    return spread(over: rowCount, rows, isWide: false)
  }

  private func spread(over rowCount: Int, _ rows: [Int32], isWide: Bool) -> Column {
    var result = Column(kind, isWide: false)
    result.reserve(rowCount)
    for row in rows where !isNull(Int(row)) {
      while result.count < Int(row) { result.appendNull() }
      switch layout {
      case .bytes: withText(at: Int(row)) { result.put(utf8: $0, at: Int(row)) }
      default: result.put(value(at: Int(row)), at: Int(row))
      }
    }
    while result.count < rowCount { result.appendNull() }
    return isWide ? Column(widening: result) : result
  }

  /// The same column for a table with many columns.
  private init(widening column: Column) {
    self.init(column.kind, isWide: true)
    placedRows = nil
    (count, nulls, words, days) = (column.count, column.nulls, column.words, column.days)
    (flags, bytes, exponents) = (column.flags, column.bytes, column.exponents)
    (decimals, identifiers) = (column.decimals, column.identifiers)
    (wastedCount, movedRows) = (column.wastedCount, column.movedRows)
  }
}
