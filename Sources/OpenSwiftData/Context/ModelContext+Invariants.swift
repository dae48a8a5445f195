extension ModelContext {
  /// Checks the invariants of the context's parts; traps where one does not hold.
  ///
  /// - Complexity: O(n) in the number of registered and changed records.
  package func checkInvariants() {
    pending.checkInvariants()
    registry.checkInvariants()
    undoLog.checkInvariants()
    merging.checkInvariants()
    pending.forEach { state in
      precondition(state.owner === self, "changed states belong to the context")
    }
  }

  /// Checks in debug builds, as long as that takes no time.
  func assertInvariants() {
    assert(
      {
        if registry.count + pending.count <= 1000 { checkInvariants() }
        return true
      }()
    )
  }
}
