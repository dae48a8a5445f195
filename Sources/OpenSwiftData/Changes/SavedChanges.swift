/// Saved changes, as reported to other contexts and observers.
package struct SavedChanges: Sendable {
  /// The author of the save, if the context has one.
  package var author: String?
  /// New records, under their permanent identifiers.
  package var inserted: [PersistentIdentifier] = []
  /// Records whose values changed.
  ///
  /// Both snapshots of an update have the same layout, which may omit unchanged values.
  package var updated: [RecordUpdate] = []
  /// Records that other programs may have changed and that must be reloaded.
  package var changed: [PersistentIdentifier] = []
  /// Deleted records.
  package var deleted: [PersistentIdentifier] = []
  /// The transaction numbers by store identifier, for stores that have them.
  var tokens: [String: Int64] = [:]
  /// True when the changes are unknown and everything must be reloaded.
  package var isUnknown = false
  /// The reason why the store can no longer be read; nil if it can.
  var failure: String?

  /// Creates a report without changes.
  package init(author: String? = nil) { self.author = author }

  /// Creates a report from a transaction of the history.
  package init(_ transaction: Transaction) {
    author = transaction.author
    inserted = transaction.changes.inserted.map(\.persistentIdentifier)
    updated = transaction.changes.updated
    deleted = transaction.changes.deleted.map(\.persistentIdentifier)
    isUnknown = transaction.schemaChange != nil
  }

  /// Adds the changes that a store committed.
  mutating func add(_ part: ChangeSet, _ result: CommitResult) {
    defer { mergeReplacements(part, result) }
    if part.inserted.count == result.identifiers.count {
      inserted += result.identifiers.permanent
      updated +=
        result.identifiers.isEmpty || part.updated.isEmpty
        ? part.updated : part.remappedUpdates(result.identifiers)
    } else {
      let map = result.identifiers
      inserted += part.inserted.lazy.map(\.persistentIdentifier).map { map[$0] ?? $0 }
      updated += part.remappedUpdates(map)
    }
    deleted += part.deleted.lazy.map(\.persistentIdentifier)
    changed += result.reregistered.lazy.map(\.persistentIdentifier)
    add(result.sideEffects)
  }

  /// Makes changed records of those that were deleted and inserted again with the same identifiers.
  private mutating func mergeReplacements(_ part: ChangeSet, _ result: CommitResult) {
    let replaced = part.replacedRecords(result.identifiers)
    if replaced.isEmpty { return }
    inserted.removeAll { replaced.contains($0) }
    deleted.removeAll { replaced.contains($0) }
    changed += replaced.subtracting(changed).sorted()
  }

  /// True when there are no changes.
  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && changed.isEmpty && deleted.isEmpty && !isUnknown
  }

  /// The identifiers of the records whose values changed.
  var updatedIdentifiers: [PersistentIdentifier] {
    updated.map(\.persistentIdentifier) + changed
  }

  /// True when a record of one of the entities changed.
  ///
  /// - Complexity: O(n) in the number of records.
  func touches(_ names: Set<String>) -> Bool {
    isUnknown || inserted.contains { names.contains($0.entityName) }
      || updated.contains { names.contains($0.persistentIdentifier.entityName) }
      || changed.contains { names.contains($0.entityName) }
      || deleted.contains { names.contains($0.entityName) }
  }
}

extension ChangeSet {
  /// The deleted records whose identifiers new records have now.
  func replacedRecords(_ map: IdentifierMap) -> Set<PersistentIdentifier> {
    if deleted.isEmpty || map.isEmpty { return [] }
    return Set(deleted.map(\.persistentIdentifier)).intersection(map.permanent)
  }

  /// The updates with permanent identifiers in their links.
  fileprivate func remappedUpdates(_ map: IdentifierMap) -> [RecordUpdate] {
    if map.isEmpty { return updated }
    return updated.map { RecordUpdate(before: $0.before, after: $0.after.remapped(map)) }
  }
}
