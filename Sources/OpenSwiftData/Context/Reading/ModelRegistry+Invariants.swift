extension ModelRegistry {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    for (identifier, state) in statesByIdentifier {
      precondition(state.identifier == identifier, "a state is registered under its identifier")
      precondition(state.owner != nil || state.isDeleted, "a state without an owner is deleted")
    }
  }
}
