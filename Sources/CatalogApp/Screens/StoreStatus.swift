package import OpenSwiftData

/// The status of the open store after the last command, for the screen.
package struct StoreStatus: Hashable, Sendable {
  /// The name of the store.
  package var storeName: String
  /// The location that reopens it; nil if it cannot be reopened.
  package var location: String?
  /// The entities in order.
  package var entities: [Schema.Entity]
  /// Why nothing can be changed, and what helps; nil if changes are possible.
  package var readOnlyReason: String?
  /// The same in a few words.
  package var shortReadOnlyReason: String?
  /// The numbers of records that the next save inserts, updates and deletes.
  package var inserted = 0
  /// The number of records whose values change.
  package var updated = 0
  /// The number of records to delete.
  package var deleted = 0
  /// The number of changes of the schema that the next save writes.
  package var schemaChanges = 0
  /// True if a save would create the store, even if only to write its schema.
  package var isUnwritten = false
  /// True if there is a change to undo.
  package var canUndo = false
  /// The number of changes of this run that can be undone.
  package var undoableSteps = 0
  /// True if the history of the store is there after the program has ended.
  package var keepsHistory = false
  /// True for a file that has values but no types.
  package var infersTypes = false
  /// True if there is a change to redo.
  package var canRedo = false
  /// The unsaved changes of a crashed run; nil if there are none.
  package var recovery: RecoveryOffer?
  /// The ways to read a file that may have been misread; empty if there is no doubt.
  package var offeredReadings: [ReadingChoice] = []

  /// True while the unsaved changes are exactly the bundled sample.
  package var isUntouchedSample = false

  /// The number of saved records that are lost when the program ends; nil if none are.
  package var recordsOnlyHere: Int?
  /// Why the next save fails: unsaved values have no place in the schema of another program; nil if they have.
  package var lostValues: String?
  /// True while changes of another program cannot be merged.
  package var isOutdated = false
  /// False if saved records are lost when the program ends.
  package var isLasting = true
  /// False if the tables belong to another program.
  package var allowsSchemaChanges = true
  /// True if the records come from a pipe, so that they have no place to be saved to.
  package var isPipe = false
  /// True if such records were saved elsewhere with all changes.
  package var isCopied = false
  /// What a user has to know about the records of some entities, by entity.
  package var entityNotes: [String: String] = [:]
  /// The current day; nil if it is unknown.
  package var today: CalendarDate?

  /// True if closing the store would lose changes of the user.
  var isLossy: Bool {
    if lostValues != nil { return true }
    if isCopied { return false }
    return isLasting ? unsaved > 0 && !isUntouchedSample : recordsOnlyHere != nil
  }

  /// The entity of a name; without one, or if it is not known, the first one.
  func entity(named name: String?) -> Schema.Entity? {
    entities.first { $0.name == name } ?? entities.first
  }

  /// The number of records that a save touches, and of changes of the schema.
  package var unsaved: Int { inserted + updated + deleted + schemaChanges }

  /// The unsaved changes in words: `1 new, 2 changed, 1 deleted, 1 schema change`.
  var unsavedText: String {
    let schema = schemaChanges == 1 ? "schema change" : "schema changes"
    return [
      (inserted, "new"), (updated, "changed"), (deleted, "deleted"), (schemaChanges, schema),
    ]
    .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// The filter and the order of the table.
package struct QuerySpec: Hashable, Sendable {
  /// The entity of the records.
  package var entityName: String
  /// The condition for the records to list.
  package var filter: Filter
  /// The order of the records.
  package var sort: [SortKey]
  /// The filter as text if it names records, titles or paths that must be looked up; nil otherwise.
  package var text: String?
  /// The groups that are folded; nil for none.
  package var folds: GroupFolds?

  /// Creates the filter and the order of a table.
  package init(
    entityName: String,
    filter: Filter = .all,
    sort: [SortKey] = [],
    text: String? = nil,
    folds: GroupFolds? = nil
  ) {
    (self.entityName, self.filter, self.sort, self.text) = (entityName, filter, sort, text)
    self.folds = folds
  }

  /// The filter and the order as a query.
  package var query: Query { Query(entityName, filter: filter, sort: sort) }
}

/// One record as the table shows it.
package struct TableRow: Hashable, Sendable {
  /// The identifier of the record.
  package let identifier: PersistentIdentifier
  /// The values in the order of the entity's attributes; empty if the record no longer exists.
  package let values: [Value]
  /// The effect of the next save on it.
  package let pending: ModelContext.PendingKind?
  /// The positions of the values that the next save changes.
  package var changed: Set<Int> = []
  /// The values at the paths that the table shows, by path; without those that are missing.
  package var paths: [String: Value] = [:]
  /// The titles of the records that it refers to, by record.
  package var titles: [PersistentIdentifier: String] = [:]

  /// The value in a column; nil if the record no longer exists.
  func value(of column: ShownColumn) -> Value? {
    if column.look.path != nil { return values.isEmpty ? nil : paths[column.name] ?? .null }
    return values.indices.contains(column.slot) ? values[column.slot] : nil
  }
}
