/// What was saved, for those who were not part of it: other contexts, observers.
package struct SavedChanges: Sendable {
  /// Who saved it, if the context said so.
  package var author: String?
  /// New records, under their permanent identifiers.
  package var inserted: [PersistentIdentifier] = []
  /// Records whose values changed; both snapshots have one layout, which may be without the values
  /// that stayed as they were.
  package var updated: [RecordUpdate] = []
  /// Records that are gone.
  package var deleted: [PersistentIdentifier] = []
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

  /// True when there is nothing in it.
  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isUnknown }

  /// The names of the entities that have changed records.
  ///
  /// - Complexity: O(n) in the number of records.
  func touches(_ names: Set<String>) -> Bool {
    isUnknown || inserted.contains { names.contains($0.entityName) }
      || updated.contains { names.contains($0.persistentIdentifier.entityName) }
      || deleted.contains { names.contains($0.entityName) }
  }
}
