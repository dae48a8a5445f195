import OpenSwiftData

// Adding and removing rows.
extension EntityTable {
  /// The row of a new record.
  struct NewRow {
    var row: Int
    /// True if the row of a deleted record with the same key is reused.
    var isRevived: Bool
  }

  /// Reserves rows, for keys of a kind if there are none yet.
  ///
  /// As many rows in all as are expected will soon be there.
  mutating func reserve(
    _ additional: Int,
    keys kind: KeyColumn.Kind? = nil,
    expecting expected: Int = 0
  ) {
    if let kind { keys.expect(kind) }
    let capacity = rowCount + additional
    keys.reserve(capacity, expecting: expected)
    live.reserve(capacity)
    for slot in columns.indices { columns[slot].reserve(capacity, expecting: expected) }
  }

  /// Adds a row; nil if the record already exists.
  ///
  /// The caller must put a value or null into every column.
  mutating func addRow(_ identifier: PersistentIdentifier, _ placement: RecordTable.RowOrder)
    -> NewRow?
  {
    let row = rowCount
    let continues = isAscending && (row == 0 || keys.isAfter(row - 1, identifier))
    if !continues, let present = anyRow(of: identifier) {
      guard !live[present] else { return nil }
      live[present] = true
      liveCount += 1
      return NewRow(row: present, isRevived: true)
    }
    keys.append(identifier)
    live.append(true)
    liveCount += 1
    if !continues || !keys.isOrdered { leaveAscendingOrder(row, placement) }
    if !isAscending { addToIndex(row) }
    return NewRow(row: row, isRevived: false)
  }

  /// Adds rows in key order, for a caller that appends their values to every column.
  ///
  /// - Precondition: No row was ever there for any of the keys, unless it is still there.
  /// - Throws: `DuplicateKey` if a record exists; the table is unusable then.
  /// - Complexity: O(n), at the speed of copying for keys that ascend.
  mutating func addRows(_ added: KeyColumn) throws(DuplicateKey) {
    guard added.count > 0 else { return }
    let continues =
      isAscending && added.isAscending && (rowCount == 0 || keys.isAfter(rowCount - 1, added[0]))
    if continues {
      keys.append(contentsOf: added)
      live.append(repeating: true, count: added.count)
      liveCount += added.count
      return
    }
    for place in 0..<added.count {
      guard let new = addRow(added[place], .byKey) else {
        throw DuplicateKey(identifier: added[place])
      }
      precondition(!new.isRevived, "new rows follow the others")
    }
  }

  /// Fills an empty table with columns, ascending keys for them, and the indexes of unique attributes.
  mutating func fill(
    _ keys: KeyColumn,
    _ columns: [Column],
    uniqueIndexes indexes: [HashIndex?]? = nil
  ) {
    precondition(rowCount == 0 && keys.isAscending, "new rows in order")
    precondition(uniqueSlots.isEmpty || indexes != nil, "unique attributes have an index")
    uniqueIndexes = indexes ?? uniqueIndexes
    self.keys.append(contentsOf: keys)
    live.append(repeating: true, count: keys.count)
    liveCount = keys.count
    self.columns = columns
  }

  /// Takes over the rows of another table of the entity, if that needs no work for each of them.
  ///
  /// - Returns: False if nothing was done: the keys of the other table do not follow those here.
  /// - Complexity: O(1) for a table without rows, O(n) otherwise, at the speed of copying.
  mutating func adopt(_ other: EntityTable) -> Bool {
    if rowCount == 0, constraintIndexes.isEmpty {
      let former = keys
      self = other
      keys.note(greatestOf: former)
      return true
    }
    guard isAscending, other.isAscending, !isWide, other.liveCount == other.rowCount,
      keys.kind == other.keys.kind, rowCount > 0, keys.isAfter(rowCount - 1, other.keys[0])
    else { return false }
    let rows = rowCount..<rowCount + other.rowCount
    keys.append(contentsOf: other.keys)
    live.append(repeating: true, count: rows.count)
    liveCount += rows.count
    for slot in columns.indices { columns[slot].append(contentsOf: other.columns[slot]) }
    indexUniqueValues(rows)
    return true
  }

  /// Adds records under permanent identifiers, in their natural order.
  ///
  /// - Precondition: They were validated, and none exists yet.
  mutating func insert(_ snapshots: UnsafeBufferPointer<DefaultSnapshot>) {
    // For a few records the arrays grow on their own, by more than was requested.
    if snapshots.count > max(64, rowCount / 2) { reserve(snapshots.count) }
    var rows: [Int] = []
    rows.reserveCapacity(snapshots.count)
    for place in snapshots.indices {
      let identifier = snapshots[place].persistentIdentifier
      precondition(!identifier.isTemporary, "records are kept under permanent identifiers")
      guard let new = addRow(identifier, .byKey) else {
        preconditionFailure("validate the changes before applying them")
      }
      rows.append(new.row)
    }
    // Some rows at a time: their values are still in the cache for the next column.
    for start in stride(from: 0, to: rows.count, by: 64) {
      let part = start..<min(start + 64, rows.count)
      for slot in columns.indices {
        for place in part {
          columns[slot].put(snapshots[place].orderedValues[slot], at: rows[place])
        }
      }
    }
    indexUniqueValues(rows)
    mergeAddedRows()
  }

  /// Removes the last row, whose values may be incomplete.
  mutating func removeIncompleteRow() {
    let row = rowCount - 1
    for slot in columns.indices { columns[slot].remove(lastRow: row) }
    if live[row] { liveCount -= 1 }
    live.removeLast()
    keys.removeLast()
    if !isAscending { rebuildIndex() }
  }

  /// Replaces the keys of the rows.
  ///
  /// - Precondition: There is one key for each row, without duplicates, and no row is dead.
  mutating func replaceKeys(_ identifiers: [PersistentIdentifier]) {
    precondition(identifiers.count == rowCount && liveCount == rowCount)
    keys = KeyColumn(scope: keys.scope)
    keys.reserve(identifiers.count)
    isAscending = true
    for (row, identifier) in identifiers.enumerated() {
      if row > 0, !keys.isAfter(row - 1, identifier) { isAscending = false }
      keys.append(identifier)
    }
    isAscending = isAscending && keys.isOrdered
    isOrderedByKey = isAscending || identifiers.isEmpty
    order = nil
    if isAscending { index = HashIndex(capacity: 0) } else { rebuildIndex() }
  }

  mutating func kill(_ row: Int) {
    assert(live[row], "a record is deleted once")
    live[row] = false
    liveCount -= 1
  }

  /// Moves rows that were added out of order to their natural position.
  ///
  /// - Complexity: O(n) if there are any, O(1) otherwise.
  mutating func mergeAddedRows() {
    guard let inOrder = order, inOrder.count < rowCount else { return }
    guard keys.isOrdered else {
      order = inOrder + (inOrder.count..<rowCount).map { Int32($0) }
      isOrderedByKey = false
      return
    }
    let added = (inOrder.count..<rowCount).map { Int32($0) }
      .sorted { keys.precedes($0, $1) }
    var merged: [Int32] = []
    merged.reserveCapacity(rowCount)
    var next = 0
    for row in inOrder {
      while next < added.count, keys.precedes(added[next], row) {
        merged.append(added[next])
        next += 1
      }
      merged.append(row)
    }
    order = merged + added[next...]
  }

  private mutating func leaveAscendingOrder(_ row: Int, _ placement: RecordTable.RowOrder) {
    if isOrderedByKey, order == nil, row > 0 {
      if placement == .byKey, keys.isOrdered {
        order = (0..<row).map { Int32($0) }
      } else {
        isOrderedByKey = false
      }
    } else if row == 0 {
      isOrderedByKey = keys.isOrdered
    }
    if isAscending, !(row == 0 && keys.isOrdered) {
      isAscending = false
      rebuildIndex(upTo: row)
    }
  }
}
