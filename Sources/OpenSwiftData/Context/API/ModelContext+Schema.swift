/// Unsaved changes of the schema.
extension ModelContext {
  /// Changes the schema as an unsaved change.
  ///
  /// `save()` writes it in one transaction with the records, and `undo()` undoes it, including the values of
  /// a dropped field.
  ///
  /// Unsaved changes of records are kept.
  ///
  /// - Throws: `PersistenceError` with the reason why the change is not possible; the code is `.unsupported`
  ///   if the store can only change its schema immediately, see `apply(_:)`. Nothing is changed then.
  public func stage(_ change: SchemaChange) throws { try schemaStaging.stage(change) }

  /// Checks that a change of the schema can be staged, if the store stages any; see `stage(_:)`.
  ///
  /// - Throws: `PersistenceError` with the reason why the change is not possible.
  package func checkStaging(_ change: SchemaChange) throws { try schemaStaging.check(change) }

  /// The changes of the schema that the next save writes, oldest first.
  package var unsavedSchemaSteps: [SchemaStep] { stores.staged.flatMap(\.steps) }

  /// True for a file that has values but no types.
  package var infersTypes: Bool {
    container.stores.contains { ($0 as? any StagingStore)?.keepsSchema == false }
  }

  /// Unsaved changes with the former values of fields that unsaved changes of the schema convert.
  ///
  /// - Throws: The error of a store that cannot be read, or `Interruption.Stopped`.
  /// - Complexity: O(n) in the records of entities with such fields.
  package func withFormerValues(_ changes: ChangeSet) throws -> ChangeSet {
    var result = changes
    for connection in stores.staged where !connection.staged.isEmpty {
      guard let store = connection.stagingStore else { continue }
      let former = connection.base.schema
      let fields = ReplacedFields(
        SchemaStep.possibleReplacement(connection.steps, from: former).0,
        of: former,
        steps: connection.steps
      )
      if fields.isEmpty { continue }
      let records = try store.staged([], known: nil).records
      let values = try fields.formerValues(changedBy: changes, isComplete: true) {
        try records.forEachPage(matching: $0, $1)
      }
      result = result.adding(values, of: fields)
    }
    return result
  }

  /// The records of the store that the next save removes together with their entities.
  ///
  /// They were deleted before their entity, so they are no longer pending changes.
  package var recordsOfRemovedEntities: [DefaultSnapshot] {
    stores.staged.flatMap(\.staged).flatMap { staged -> [DefaultSnapshot] in
      guard case .removeEntity = staged.step else { return [] }
      return staged.edit.forgotten.map { change in
        DefaultSnapshot(
          persistentIdentifier: change.state.identifier,
          layout: change.state.entity.layout,
          orderedValues: change.original
        )
      }
    }
  }

  /// True when the next save changes the schema.
  public var hasSchemaChanges: Bool { stores.hasSchemaChanges }

  /// True when a store has never been written, so even a save without changes writes it.
  package var isUnwritten: Bool {
    !container.isTyped && stores.connections.contains(where: \.isUnwritten)
  }

  /// True when the store can keep changes of its schema unsaved, see `stage(_:)`.
  ///
  /// - Throws: The error of a store that cannot be read.
  package func canStageSchema() throws -> Bool {
    (try fetching.connections().first as? StagedConnection)?.canStage ?? false
  }

  /// True when the store can change its schema at all, see `apply(_:)`.
  ///
  /// - Throws: The error of a store that cannot be read.
  package func canChangeSchema() throws -> Bool {
    try fetching.connections().first?.canChangeSchema ?? false
  }

  /// Stages unsaved steps recovered from another run.
  ///
  /// - Throws: As `stage(_:)`.
  package func stage(step: SchemaStep) throws { try schemaStaging.stage(step) }
}
