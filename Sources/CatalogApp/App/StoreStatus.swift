package import OpenSwiftData

/// What the screen says about the open store, as it was after the last command.
package struct StoreStatus: Hashable, Sendable {
  /// What the store is called.
  package var storeName: String
  /// Where it is, to open it again; nil for one that cannot be.
  package var location: String?
  /// The entities in order.
  package var entities: [Schema.Entity]
  /// True when nothing may be written.
  package var isReadOnly: Bool
  /// The numbers of records that the next save inserts, updates and deletes.
  package var inserted = 0
  /// The number of records whose values change.
  package var updated = 0
  /// The number of records that go.
  package var deleted = 0
  /// The number of changes of the schema that the next save writes.
  package var schemaChanges = 0
  /// True when a save writes a store that is not there yet, if only its schema.
  package var isUnwritten = false
  /// True when there is something to take back.
  package var canUndo = false
  /// True when there is something to do again.
  package var canRedo = false
  /// The unsaved edits that another run left behind; nil when there are none.
  package var recovery: RecoveryOffer?

  /// True while the bundled sample is all that is unsaved, as it came.
  package var isUntouchedSample = false

  /// The number of records that are gone with the program, though they are saved; nil when none are.
  package var recordsOnlyHere: Int?
  /// True while what another program wrote to the file cannot be taken in.
  package var isOutdated = false
  /// False when what is saved is gone with the program.
  package var isLasting = true

  /// True when leaving the store loses something that nobody decided to lose.
  var isLossy: Bool {
    isLasting ? unsaved > 0 && !isUntouchedSample : recordsOnlyHere != nil
  }

  /// The number of records that a save touches, and of changes of the schema.
  package var unsaved: Int { inserted + updated + deleted + schemaChanges }

  /// What is unsaved in words: `1 new, 2 changed, 1 deleted, 1 schema change`.
  var unsavedText: String {
    let schema = schemaChanges == 1 ? "schema change" : "schema changes"
    return [
      (inserted, "new"), (updated, "changed"), (deleted, "deleted"), (schemaChanges, schema),
    ]
    .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// Which records the table lists, and in which order.
package struct QuerySpec: Hashable, Sendable {
  /// The entity of the records.
  package var entityName: String
  /// Which of them.
  package var filter: Filter
  /// In which order.
  package var sort: [SortKey]
  /// The filter as text where it names records that are to be looked up; nil where it is whole.
  package var text: String?

  /// The same as a query.
  package var query: Query { Query(entityName, filter: filter, sort: sort) }
}

/// One record as the table shows it.
package struct TableRow: Hashable, Sendable {
  /// Which record it is.
  package let identifier: PersistentIdentifier
  /// The values in the order of the entity's attributes; none when the record is gone.
  package let values: [Value]
  /// What the next save does to it.
  package let pending: ModelContext.PendingKind?
}
