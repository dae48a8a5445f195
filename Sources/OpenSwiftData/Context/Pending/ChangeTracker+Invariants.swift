extension ChangeTracker {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n) in the number of changed records.
  func checkInvariants() {
    pending.forEach { state in
      precondition(owns(state), "changed states belong to the context")
      precondition(
        state.isDeleted == (state.pendingKind == .deleted),
        "a changed state is deleted exactly if its change is a deletion"
      )
    }
  }
}
