import OpenSwiftData

// Indexes of keys and unique values.
extension EntityTable {
  mutating func addToIndex(_ row: Int) {
    if index.isFull { rebuildIndex(upTo: row) }
    index.insert(row, hash: KeyColumn.hash(of: keys[row]))
  }

  mutating func rebuildIndex(upTo end: Int? = nil) {
    let end = end ?? rowCount
    index = HashIndex(capacity: end + end / 2 + 1)
    for row in 0..<end { index.insert(row, hash: KeyColumn.hash(of: keys[row])) }
  }

  /// Adds the value of a unique attribute to its index; called after it was put.
  mutating func indexUniqueValue(_ row: Int, slot: Int) {
    guard uniqueIndexes[slot] != nil, !columns[slot].isNull(row) else { return }
    if uniqueIndexes[slot]?.isFull ?? false {
      rebuildUniqueIndex(slot)
    } else {
      uniqueIndexes[slot]?.insert(row, hash: columns[slot].hash(at: row))
    }
  }

  mutating func indexUniqueValues(_ row: Int) {
    for slot in uniqueSlots { indexUniqueValue(row, slot: slot) }
    indexConstraints(row)
  }

  mutating func indexUniqueValues(_ rows: some Sequence<Int>) {
    guard !constraintIndexes.isEmpty || !uniqueSlots.isEmpty else { return }
    for row in rows { indexUniqueValues(row) }
  }

  mutating func rebuildUniqueIndex(_ slot: Int) {
    var index = HashIndex(capacity: 2 * (liveCount + 1))
    live.forEach { row in
      guard columns[slot].isWide || row < columns[slot].count, !columns[slot].isNull(row) else {
        return
      }
      index.insert(row, hash: columns[slot].hash(at: row))
    }
    uniqueIndexes[slot] = index
  }

  /// The live row with this value of a unique attribute that passes the test.
  func row(holding value: Value, slot: Int, where test: (Int) -> Bool) -> Int? {
    uniqueIndexes[slot]?.row(hash: Column.hash(of: value)) { row in
      live[row] && columns[slot].holds(value, at: row) && test(row)
    }
  }
}
