/// New records that are held as columns until somebody needs their states.
extension PendingChanges {
  /// The new records that are all that has changed, if they are still columns; else nil.
  var onlyColumns: NewRecords? {
    guard columns.count == 1, let records = columns.first, count == records.count else {
      return nil
    }
    return records
  }

  /// Adds new records.
  func add(_ records: NewRecords) {
    guard records.count > 0 else { return }
    columns.append(records)
    count(.inserted, by: records.count)
  }

  /// Makes states of the new records that are still columns, as if they had been inserted one by one.
  ///
  /// - Complexity: O(n) in the number of their values.
  func makeStates() {
    let made = columns
    columns = []
    madeEntries.reserveCapacity(made.reduce(madeEntries.count) { $0 + $1.count })
    for records in made {
      for place in 0..<records.count {
        let state = ModelState(
          entity: records.entity,
          identifier: records.identifier(at: place),
          values: records.values(at: place)
        )
        adopt(state)
        noteNew(state.identifier.low)
        state.pendingPlace = Int32(madeEntries.count)
        state.pendingKind = .inserted
        madeEntries.append(state)
      }
    }
    checkInvariantsWhenSmall()
  }
}
