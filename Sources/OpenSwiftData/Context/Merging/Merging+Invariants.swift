extension Merging {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    precondition(!stale.contains(where: \.isTemporary), "others know permanent identifiers only")
    precondition(!conflicting.contains(where: \.isTemporary), "conflicts are about saved records")
    precondition(gone.isSubset(of: conflicting), "a changed record that is gone is in conflict")
    for (identifier, conflict) in seen {
      precondition(conflict.persistentIdentifier == identifier, "a version is that of its record")
    }
  }
}
