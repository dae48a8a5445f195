extension PendingChanges {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    var found = (inserted: 0, updated: 0, deleted: 0)
    for (place, state) in entries.enumerated() {
      guard let state else { continue }
      precondition(Int(state.pendingPlace) == place, "a changed state knows its place")
      switch state.pendingKind {
      case .inserted: found.inserted += 1
      case .updated: found.updated += 1
      case .deleted: found.deleted += 1
      }
      if place < indexed {
        precondition(places[state.identifier] == place, "every indexed change is found")
      }
    }
    precondition(found == counts, "the counts are those of the kinds")
    precondition(indexed <= entries.count, "the index knows entries only")
    precondition(entries.count <= max(64, 2 * count), "few entries are empty")
  }

  /// Checks the invariants in debug builds if there are few enough entries for the check to be fast.
  func checkInvariantsWhenSmall() {
    assert(
      {
        if entries.count <= 16 { checkInvariants() }
        return true
      }()
    )
  }
}
