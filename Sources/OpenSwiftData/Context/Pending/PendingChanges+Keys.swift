extension PendingChanges {
  /// A change with the key that it brings.
  typealias Keyed = (change: PendingChange, key: [String])

  /// The new records and those whose key changes, by entity.
  ///
  /// - Parameter fields: Returns the fields of the key of an entity; empty without one.
  /// - Returns: The entities in the order of their names, without those that have no such changes.
  /// - Complexity: O(n) in the number of changes.
  func bringingKeys(_ fields: (String) -> [String]) -> [(entity: String, changes: [Keyed])] {
    var found: [String: [Keyed]] = [:]
    var known: [String: [String]] = [:]
    for change in all where change.kind != .deleted {
      let state = change.state
      let name = state.entity.name
      if known[name] == nil { known[name] = fields(name) }
      guard let names = known[name], !names.isEmpty,
        let key = state.snapshot.key(of: names),
        change.kind == .inserted || state.snapshot(with: change.original).key(of: names) != key
      else { continue }
      found[name, default: []].append((change, key))
    }
    return found.sorted { $0.key < $1.key }.map { (entity: $0.key, changes: $0.value) }
  }
}
