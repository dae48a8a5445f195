/// What a database changed by itself while it saved: by foreign keys, triggers and replaced rows.
package struct SideEffects: Hashable, Sendable {
  /// How many rows of a table changed.
  package struct Counts: Hashable, Sendable {
    /// The numbers of rows.
    package var inserted = 0
    /// The rows with other values.
    package var updated = 0
    /// The rows that are gone.
    package var deleted = 0

    /// Creates counts.
    package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
      (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }

    /// The counts in words for an entity, such as `3 Track deleted`.
    fileprivate func words(_ name: String) -> [String] {
      [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")]
        .filter { $0.0 > 0 }.map { "\($0.0) \(name) \($0.1)" }
    }
  }

  /// The changed records; none of them is changed by the save itself.
  package var changes = ChangeSet()
  /// By changed record, the record of the save that made the database change it.
  package var causes: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// Records that triggers changed: an undo leaves them to the triggers, which run for it, too.
  package var triggered: Set<PersistentIdentifier> = []
  /// By entity, all changed rows, including those whose records are not known.
  package var counts: [String: Counts] = [:]
  /// True if not all changed records are known, so that contexts have to reload theirs.
  package var isIncomplete = false

  /// Creates an empty report.
  package init() {}

  /// True if nothing else was changed.
  package var isEmpty: Bool { counts.isEmpty && !isIncomplete }

  /// The changed rows in words, such as `3 Track deleted, 1 Audit inserted`; nil if there are none.
  package var words: String? {
    if isEmpty { return nil }
    let known = Self.words(counts)
    return known.isEmpty ? "this SQLite library cannot tell what" : known
  }

  private static func words(_ counts: [String: Counts]) -> String {
    counts.sorted { $0.key < $1.key }.flatMap { $1.words($0) }.joined(separator: ", ")
  }

  /// The changes that an undo of their causes restores.
  var restorable: ChangeSet {
    ChangeSet(
      inserted: changes.inserted.filter { !triggered.contains($0.persistentIdentifier) },
      updated: changes.updated.filter { !triggered.contains($0.persistentIdentifier) },
      deleted: changes.deleted.filter { !triggered.contains($0.persistentIdentifier) }
    )
  }

  /// The rows that an undo does not restore, in words; nil if there are none.
  var remark: String? {
    var left = counts
    let restored = restorable
    for snapshot in restored.inserted {
      left[snapshot.persistentIdentifier.entityName]?.inserted -= 1
    }
    for update in restored.updated { left[update.persistentIdentifier.entityName]?.updated -= 1 }
    for snapshot in restored.deleted {
      left[snapshot.persistentIdentifier.entityName]?.deleted -= 1
    }
    let words = Self.words(left)
    return words.isEmpty ? nil : words
  }

  /// The part that concerns some entities, with other snapshots of the same records.
  func mapped(_ names: Set<String>, _ view: (DefaultSnapshot) -> DefaultSnapshot) -> SideEffects {
    var result = self
    let known = changes.restricted(to: names)
    result.changes = ChangeSet(
      inserted: known.inserted.map(view),
      updated: known.updated.map { RecordUpdate(before: view($0.before), after: view($0.after)) },
      deleted: known.deleted.map(view)
    )
    return result
  }
}

extension SavedChanges {
  /// The changes that a database made by itself.
  init(_ effects: SideEffects) {
    add(effects)
  }

  /// Adds the changes that a database made by itself.
  mutating func add(_ effects: SideEffects) {
    inserted += effects.changes.inserted.map(\.persistentIdentifier)
    updated += effects.changes.updated
    deleted += effects.changes.deleted.map(\.persistentIdentifier)
    isUnknown = isUnknown || effects.isIncomplete
  }
}
