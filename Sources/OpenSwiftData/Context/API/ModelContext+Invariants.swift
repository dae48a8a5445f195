extension ModelContext {
  /// Checks the invariants of the context's parts; traps if one is violated.
  ///
  /// - Complexity: O(n) in the number of registered and changed records.
  package func checkInvariants() {
    pending.checkInvariants()
    registry.checkInvariants()
    undoLog.checkInvariants()
    stores.checkInvariants()
    tracker.checkInvariants()
    merging.checkInvariants()
    uniqueness.checkInvariants()
    related.checkInvariants()
  }

  /// Checks the invariants in debug builds if there are few enough entries for the check to be fast.
  func assertInvariants() {
    assert(
      {
        if registry.count + pending.count <= 1000 { checkInvariants() }
        return true
      }()
    )
  }
}
