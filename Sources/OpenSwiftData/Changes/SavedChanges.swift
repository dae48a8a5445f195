/// What was saved, for those who were not part of it: other contexts, observers.
package struct SavedChanges: Sendable {
  /// Who saved it, if the context said so.
  package var author: String?
  /// New records, under their permanent identifiers.
  package var inserted: [PersistentIdentifier] = []
  /// Records whose values changed; both snapshots have one layout, which may be without the values
  /// that stayed as they were.
  package var updated: [RecordUpdate] = []
  /// Records that others may have changed, whose values are to be read again.
  package var changed: [PersistentIdentifier] = []
  /// Records that are gone.
  package var deleted: [PersistentIdentifier] = []
  /// The numbers of the transactions by the identifiers of their stores, where these have some.
  var tokens: [String: Int64] = [:]
  /// True when it is not known what changed, so that everything has to be looked at again.
  package var isUnknown = false

  /// Creates a report without changes.
  package init(author: String? = nil) { self.author = author }

  /// Takes what a transaction of the history tells.
  package init(_ transaction: Transaction) {
    author = transaction.author
    inserted = transaction.changes.inserted.map(\.persistentIdentifier)
    updated = transaction.changes.updated
    deleted = transaction.changes.deleted.map(\.persistentIdentifier)
    isUnknown = transaction.schemaChange != nil
  }

  /// Adds what a store committed.
  mutating func add(_ part: ChangeSet, _ result: CommitResult) {
    if part.inserted.count == result.identifiers.count {
      inserted += result.identifiers.permanent
      updated +=
        result.identifiers.isEmpty || part.updated.isEmpty
        ? part.updated : part.remappedUpdates(result.remappedIdentifiers)
    } else {
      let map = result.remappedIdentifiers
      inserted += part.inserted.lazy.map(\.persistentIdentifier).map { map[$0] ?? $0 }
      updated += part.remappedUpdates(map)
    }
    deleted += part.deleted.lazy.map(\.persistentIdentifier)
    changed += result.reregistered.lazy.map(\.persistentIdentifier)
  }

  /// True when there is nothing in it.
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
  /// The updates with permanent identifiers in their links.
  fileprivate func remappedUpdates(_ map: [PersistentIdentifier: PersistentIdentifier])
    -> [RecordUpdate]
  {
    if map.isEmpty { return updated }
    return updated.map { update in
      RecordUpdate(
        before: update.before,
        after: update.after.copy(
          persistentIdentifier: update.persistentIdentifier,
          remappedIdentifiers: map
        )
      )
    }
  }
}
