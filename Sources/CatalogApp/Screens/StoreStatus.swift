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
  /// True if fields get the types that keep the texts that they get.
  package var keepsTexts = false
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
  /// The entities whose records are the rows of a query, such as a view, which may take any time.
  package var computedEntities: Set<String> = []
  /// The current day; nil if it is unknown.
  package var today: CalendarDate?

  /// True if closing the store would lose changes of the user.
  var isLossy: Bool {
    if lostValues != nil { return true }
    if isCopied { return false }
    return isLasting ? unsaved > 0 && !isUntouchedSample : recordsOnlyHere != nil
  }

  /// The entity of a name; without one, or if it is not known, the first one whose records need no query.
  func entity(named name: String?) -> Schema.Entity? {
    entities.first { $0.name == name } ?? entities.first { !computedEntities.contains($0.name) }
      ?? entities.first
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
