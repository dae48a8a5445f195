import OpenSwiftData

extension LogContent {
  /// Checks the invariants between records, schemas and places; traps if one is violated.
  ///
  /// 1. The records have the schema of the last era; before the first schema there are none.
  /// 2. Eras ascend by token, and none begins after the last transaction.
  /// 3. Transactions begin in ascending order, after the header and before the end of the last one.
  /// 4. A transaction without end begins at the end of the last complete one or after it.
  /// 5. `recordBytes` is the size after the last transaction, or the size at the horizon if there
  ///    is none.
  /// 6. No record has a greater key than the greatest key ever assigned.
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

  /// Checks the invariants in debug builds if the content is small.
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
