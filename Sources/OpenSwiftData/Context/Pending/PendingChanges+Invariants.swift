extension PendingChanges {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    var found = (inserted: 0, updated: 0, deleted: 0)
    for records in columns { found.inserted += records.count }
    for (place, state) in madeEntries.enumerated() {
      guard let state else { continue }
      precondition(Int(state.pendingPlace) == place, "a changed state knows its place")
      switch state.pendingKind {
      case .inserted: found.inserted += 1
      case .updated: found.updated += 1
      case .deleted: found.deleted += 1
      }
      if !state.identifier.isTemporary {
        precondition(registered(state.identifier) === state, "a changed record is registered")
      } else if place < indexed {
        precondition(places[state.identifier] == place, "every indexed change is found")
      }
    }
    for block in blocks {
      block.checkInvariants()
      for index in block.indices {
        precondition(entry(block.identifiers[index]) == nil, "a packed change has no entry")
      }
      if block.kind == .deleted {
        found.deleted += block.count
      } else {
        found.updated += block.count
      }
    }
    precondition(packedCount == blocks.reduce(0) { $0 + $1.count }, "packed changes are counted")
    precondition(found == counts, "the counts are those of the kinds")
    precondition(indexed <= madeEntries.count, "the index knows entries only")
    let present = count - packedCount
    precondition(entryCount - present <= max(64, present), "few entries are empty")
  }

  /// Checks the invariants in debug builds if there are few enough entries for the check to be fast.
  func checkInvariantsWhenSmall() {
    assert(
      {
        if entryCount + packedCount <= 16 { checkInvariants() }
        return true
      }()
    )
  }
}
