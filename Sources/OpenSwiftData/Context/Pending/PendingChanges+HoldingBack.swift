extension PendingChanges {
  /// The changes of the given records and of all records connected to them by unsaved links.
  ///
  /// - Complexity: O(n) in the number of changes, for each step along the links.
  func heldBack(by identifiers: Set<PersistentIdentifier>) -> [PendingChange] {
    guard !identifiers.isEmpty else { return [] }
    var held = identifiers
    let changes = all.map { (change: $0, links: $0.changedLinks) }
    var isComplete = false
    while !isComplete {
      isComplete = true
      for (change, links) in changes {
        if held.contains(change.state.identifier) {
          if !links.isSubset(of: held) {
            held.formUnion(links)
            isComplete = false
          }
        } else if !held.isDisjoint(with: links) {
          held.insert(change.state.identifier)
          isComplete = false
        }
      }
    }
    return changes.map(\.change).filter { held.contains($0.state.identifier) }
  }
}

extension PendingChange {
  /// The records whose link was added or removed.
  fileprivate var changedLinks: Set<PersistentIdentifier> {
    let mine = Set(kind == .deleted ? [] : state.orderedValues.flatMap(\.linkedIdentifiers))
    let base = Set(kind == .inserted ? [] : original.flatMap(\.linkedIdentifiers))
    return mine.symmetricDifference(base)
  }
}
