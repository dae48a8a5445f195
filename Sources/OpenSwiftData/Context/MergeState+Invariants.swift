extension MergeState {
  /// Checks the invariants that the type states; traps where one does not hold.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    precondition(!stale.contains(where: \.isTemporary), "others know permanent identifiers only")
    precondition(!conflicting.contains(where: \.isTemporary), "conflicts are about saved records")
    for (identifier, conflict) in seen {
      precondition(conflict.persistentIdentifier == identifier, "a version is that of its record")
    }
  }
}
