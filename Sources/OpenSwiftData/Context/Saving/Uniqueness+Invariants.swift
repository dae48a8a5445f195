extension Uniqueness {
  /// Checks the invariant of the type; traps if it is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    precondition(
      formerValues.keys.allSatisfy(\.isTemporary),
      "only new records are merged into others"
    )
  }
}
