import OpenSwiftData

/// Where new records of a section go: restored ones next to their former neighbors, others after the last record.
///
/// Records are given by their places among the new ones.
struct JSONNewPlaces {
  /// The records before all existing ones, and the row of the first of these.
  private(set) var first: (row: Int, records: [Int])?
  /// The records that follow the record of a row.
  private(set) var following: [(row: Int, records: [Int])] = []

  /// Finds the places in the natural order of the table, which has the rows of deleted records until it is compacted.
  ///
  /// - Parameters:
  ///   - records: The new records.
  ///   - table: The table before the changes.
  ///   - last: The row that is last in the file.
  ///   - isKept: True for a row that is in the file before and after the changes.
  /// - Complexity: O(k) for new records; O(k + n) if some of them are restored.
  init(
    _ records: [DefaultSnapshot],
    in table: EntityTable?,
    last: Int,
    isKept: (Int) -> Bool
  ) {
    var appended: [Int] = []
    var restored: [Int: Int] = [:]
    for (place, record) in records.enumerated() {
      if let row = table?.formerRow(of: record.persistentIdentifier) {
        restored[row] = place
      } else {
        appended.append(place)
      }
    }
    if let table, !restored.isEmpty { place(restored, in: table, isKept) }
    guard !appended.isEmpty else { return }
    if let group = following.firstIndex(where: { $0.row == last }) {
      following[group].records += appended
    } else {
      following.append((last, appended))
    }
  }

  private mutating func place(
    _ restored: [Int: Int],
    in table: EntityTable,
    _ isKept: (Int) -> Bool
  ) {
    var beginning: [Int] = []
    var previous: Int?
    func visit(_ row: Int, _ places: inout JSONNewPlaces) {
      if let place = restored[row] {
        guard let previous else { return beginning.append(place) }
        if places.following.last?.row != previous { places.following.append((previous, [])) }
        places.following[places.following.count - 1].records.append(place)
      } else if isKept(row) {
        if previous == nil, !beginning.isEmpty { places.first = (row, beginning) }
        previous = row
      }
    }
    if let order = table.order {
      for row in order { visit(Int(row), &self) }
    } else {
      for row in 0..<table.rowCount { visit(row, &self) }
    }
  }
}

extension EntityTable {
  /// The row that the record had; nil for a new one.
  ///
  /// - Complexity: O(1) for a key after all others; as `anyRow(of:)` otherwise.
  fileprivate func formerRow(of identifier: PersistentIdentifier) -> Int? {
    if isAscending, rowCount == 0 || keys.isAfter(rowCount - 1, identifier) { return nil }
    return anyRow(of: identifier)
  }
}
