extension ModelRegistry {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    for (identifier, state) in statesByIdentifier where !identifier.isTemporary {
      precondition(state.identifier == identifier, "a state stands under its identifier")
      precondition(state.owner != nil || state.isDeleted, "a state that is there has an owner")
    }
  }
}
