extension PendingChanges {
  /// Returns new records that were restored to their places among the other new ones, in the order of their creation.
  ///
  /// - Complexity: O(1) unless one was restored since the last call; else O(n log n) in the number of changes.
  func arrangeRestored() {
    guard isMixed else { return }
    isMixed = false
    let created = entries.indices.filter {
      entries[$0].map { $0.pendingKind == .inserted && $0.identifier.isTemporary } ?? false
    }
    let sorted = created.compactMap { entries[$0] }.sorted { $0.identifier.low < $1.identifier.low }
    for (place, state) in zip(created, sorted) {
      entries[place] = state
      state.pendingPlace = Int32(place)
    }
    (places, indexed) = ([:], 0)
    noteMoves()
    forgetRelevance()
    checkInvariantsWhenSmall()
  }
}
