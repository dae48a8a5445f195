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
  /// What the next save writes.
  package var changes = UnsavedCounts()
  /// True if a save would create the store, even if only to write its schema.
  package var isUnwritten = false
  /// True if there is a change to undo.
  package var canUndo = false
  /// The number of changes of this run that can be undone.
  package var undoableSteps = 0
  /// What the store keeps and allows.
  package var traits = StoreTraits()
  /// What would be lost.
  package var losses = StoreLosses()
  /// The unsaved changes of a crashed run; nil if there are none.
  package var recovery: RecoveryOffer?
  /// The ways to read a file that may have been misread; empty if there is no doubt.
  package var offeredReadings: [ReadingChoice] = []
  /// True while changes of another program cannot be merged.
  package var isOutdated = false
  /// The current day; nil if it is unknown.
  package var today: CalendarDate?

  /// True if closing the store would lose changes of the user.
  var isLossy: Bool {
    if losses.values != nil { return true }
    if losses.isCopied { return false }
    return traits.isLasting
      ? unsaved > 0 && !losses.isUntouchedSample : losses.recordsOnlyHere != nil
  }

  /// The entity of a name; without one, or if it is not known, the first one whose records need no query.
  func entity(named name: String?) -> Schema.Entity? {
    entities.first { $0.name == name } ?? entities.first {
      !traits.computedEntities.contains($0.name)
    }
      ?? entities.first
  }

  /// The number of records that a save touches, and of changes of the schema.
  package var unsaved: Int { changes.count }
}

/// The numbers of records that the next save inserts, updates and deletes, and of changes of the schema.
package struct UnsavedCounts: Hashable, Sendable {
  var inserted = 0
  var updated = 0
  var deleted = 0
  var schemaChanges = 0

  var count: Int { inserted + updated + deleted + schemaChanges }

  /// The changes in words: `1 new, 2 changed, 1 deleted, 1 schema change`.
  var text: String {
    let schema = schemaChanges == 1 ? "schema change" : "schema changes"
    return [
      (inserted, "new"), (updated, "changed"), (deleted, "deleted"), (schemaChanges, schema),
    ]
    .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// What a store keeps and allows.
package struct StoreTraits: Hashable, Sendable {
  /// True if the history of the store is there after the program has ended.
  var keepsHistory = false
  /// True for a file that has values but no types.
  var infersTypes = false
  /// True if fields get the types that keep the texts that they get.
  var keepsTexts = false
  /// False if saved records are lost when the program ends.
  var isLasting = true
  /// False if the tables belong to another program.
  var allowsSchemaChanges = true
  /// True if the records come from a pipe, so that they have no place to be saved to.
  var isPipe = false
  /// What a user has to know about the records of some entities, by entity.
  var entityNotes: [String: String] = [:]
  /// The entities whose records are the rows of a query, such as a view, which may take any time.
  var computedEntities: Set<String> = []
}

/// What would be lost when a store is closed or saved.
package struct StoreLosses: Hashable, Sendable {
  /// True while the unsaved changes are exactly the bundled sample.
  var isUntouchedSample = false
  /// True if the records of a pipe were saved elsewhere with all changes.
  var isCopied = false
  /// The number of saved records that are lost when the program ends; nil if none are.
  var recordsOnlyHere: Int?
  /// Why the next save fails: unsaved values have no place in the schema of another program; nil if they have.
  var values: String?
}
