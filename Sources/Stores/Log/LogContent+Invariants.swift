import OpenSwiftData

extension LogContent {
  /// Checks what must hold between records, schemas and places; traps where it does not.
  ///
  /// 1. The records have the schema of the last era; before the first schema there are none.
  /// 2. Eras ascend by token, and none begins after the last transaction.
  /// 3. Transactions begin one behind the other, behind the header and before the end of the last one.
  /// 4. A transaction without end begins at the end of the last whole one or behind it.
  /// 5. The size of the records is that after the last transaction, or as of the horizon.
  /// 6. No record has a greater key than the greatest that was given.
  ///
  /// - Complexity: O(n) in the transactions and in the cells.
  func checkInvariants() {
    precondition(table.schema == (eras.last?.schema.schema ?? Schema()), "1: one schema in force")
    precondition(
      zip(eras, eras.dropFirst()).allSatisfy { $0.token < $1.token },
      "2: eras ascend"
    )
    precondition(eras.last.map { $0.token <= lastToken } ?? true, "2: an era has begun")
    let offsets = transactions.map(\.offset)
    precondition(
      zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 },
      "3: transactions ascend"
    )
    precondition(
      offsets.allSatisfy { LogFormat.headerBytes..<committedOffset ~= $0 },
      "3: transactions lie within the file \(offsets) \(committedOffset)"
    )
    precondition(hasOrderlyPending, "4: what has no end is behind what has one")
    guard isFounded else { return }
    precondition(
      recordBytes == transactions.last?.recordBytes ?? horizonRecordBytes,
      "5: the size of the records is known"
    )
    let none = RecordKey(milliseconds: 0, sequence: 0)
    for table in table.tables {
      precondition(table.keys.greatestKey <= highestKey ?? none, "6: the greatest key is known")
    }
    table.checkInvariants()
  }

  /// Checks in debug builds, as long as that takes no time.
  func checkInvariantsWhenSmall() {
    assert(
      {
        let rowCount = table.tables.reduce(0) { $0 + $1.rowCount }
        if rowCount + transactions.count <= 1000 { checkInvariants() }
        return true
      }()
    )
  }
}
