extension ContextStores {
  /// Checks the invariants of the type; traps if one is violated.
  func checkInvariants() {
    guard !connections.isEmpty else { return }
    precondition(schemas.count == connections.count, "each connection has a known schema")
    precondition(
      staged.count == (isTyped ? 0 : connections.count),
      "connections hold schema changes exactly if records have no Swift type"
    )
  }
}
