/// Unsaved changes of the schema: applies and undoes them, including the affected records and values.
///
/// The changes themselves are held by the connections of the stores until the next save.
struct SchemaStaging {
  let stores: ContextStores
  let pending: PendingChanges
  let registry: ModelRegistry
  let undoLog: UndoLog
  let remapping: Remapping
  let tracker: ChangeTracker
  let merging: Merging
  let fetching: Fetching
  let surroundings: ContextSurroundings

  /// Changes the schema as an unsaved change that can be undone.
  ///
  /// - Throws: As `ModelContext.stage(_:)`. Nothing is changed then.
  func stage(_ change: SchemaChange) throws {
    try merging.enter()
    guard let step = SchemaStep(change) else {
      throw PersistenceError(.unsupported, "the store cannot keep schema changes unsaved")
    }
    let connection = try stores.stagedConnection(for: step)
    _ = try connection.schema.applying(change)
    try stage(step, in: connection.schema)
  }

  /// Throws if the store cannot save the change after the unsaved ones.
  func check(_ change: SchemaChange) throws {
    // Nothing to check if it cannot be kept unsaved.
    guard let step = SchemaStep(change), let connection = try? stores.stagedConnection(for: step)
    else { return }
    try connection.stagingStore?.check(connection.steps + [step])
  }

  /// Stages an unsaved step recovered from another run; does nothing if the schema already has it.
  ///
  /// - Throws: As `stage(_:)`.
  func stage(_ step: SchemaStep) throws {
    try merging.enter()
    let connection = try stores.stagedConnection(for: step)
    if step.isDone(in: connection.schema) { return }
    try stage(step, in: connection.schema)
  }

  private func stage(_ step: SchemaStep, in schema: Schema) throws {
    let edit = try SchemaEdit(step, in: schema)
    try perform(edit, isInverse: false)
    undoLog.record(.schema(edit, isInverse: false))
  }

  /// Applies or undoes a change of the schema, including the affected records and values.
  ///
  /// - Parameters:
  ///   - edit: The change.
  ///   - isInverse: True to undo it.
  ///   - departed: New records that the same undo step has removed just before, and may restore again with their values.
  /// - Throws: `PersistenceError` when it is not possible, or `Interruption.Stopped`; nothing is changed then.
  func perform(_ edit: SchemaEdit, isInverse: Bool, departed: [ModelState] = []) throws {
    let step = isInverse ? edit.inverse : edit.step
    try merging.enter()
    let connection = try stores.stagedConnection(for: step)
    let replacement: SchemaReplacement?
    if connection.isLast(edit, isInverse: !isInverse) {
      // A step that another program made inapplicable can still be undone: fields are then found by name.
      replacement = try? step.replacement(from: connection.schema)
    } else {
      replacement = try step.replacement(from: connection.schema)
    }
    try checkIsEmpty(step)
    let records = try connection.records()
    try pending.unpackAllUnlessStopped()
    var unsaved: [PersistentIdentifier: DroppedValues.Pending] = [:]
    let entity = step.entityName
    if let name = step.droppedField {
      unsaved = try absentValues(edit.dropped[isInverse], records)
        .merging(
          pendingValues(
            of: name,
            in: entity,
            // The records of the store have the others.
            isComplete: connection.isLast(edit, isInverse: !isInverse)
          )
        ) { $1 }
        .merging(values(of: name, in: departed.filter { $0.entity.name == entity })) { $1 }
    }
    var restored: [(identifier: PersistentIdentifier, value: Value)] = []
    let returning = step.addedField == nil ? nil : edit.dropped[!isInverse]
    if let dropped = returning, !connection.isLast(edit, isInverse: !isInverse) {
      restored = try droppedValues(dropped, of: entity)
    }
    let former = connection.staged
    let isCancelled = try connection.stage(edit, isInverse: isInverse)
    let arranged: [ArrangedState]
    do {
      arranged = try arrangement(replacement, of: entity, as: connection.schema)
    } catch {
      connection.restore(former)
      throw error
    }
    if let name = step.droppedField {
      // A field that was never saved has only unsaved values.
      edit.dropped[isInverse] = DroppedValues(
        name: name,
        records: isCancelled ? nil : records,
        pending: unsaved
      )
    }
    if case .removeEntity(let name) = step { edit.forgotten = forgetChanges(of: name) }
    arrange(arranged, of: entity, as: connection.schema)
    stores.noteSchemas()
    if let name = step.addedField {
      // The records have the field by now.
      try Interruption.ignored {
        if isCancelled {
          try readAgain(name, of: entity, returning)
        } else {
          try restore(restored, as: name)
        }
      }
    }
    if case .createEntity = step {
      if isCancelled { remember(edit.forgotten) }
      edit.forgotten = []
    }
    surroundings.noteChange()
  }

  /// Undoes all changes of the schema, last one first; each becomes part of the undo step.
  ///
  /// - Throws: `PersistenceError` when one cannot be undone.
  func undoAll() throws {
    for connection in stores.staged {
      // New records of new entities are deleted first; otherwise their entities could not be removed.
      let created = connection.staged.compactMap { staged -> String? in
        if case .createEntity(let entity) = staged.step { return entity.name }
        return nil
      }
      for change in pending.all(.inserted) where created.contains(change.state.entity.name) {
        tracker.delete(change.state)
      }
      for staged in connection.staged.reversed() {
        try perform(staged.edit, isInverse: !staged.isInverse)
        undoLog.record(.schema(staged.edit, isInverse: !staged.isInverse))
      }
    }
  }

  /// Discards all changes of the schema, after the unsaved changes of records were discarded.
  func discardAll() {
    guard stores.hasSchemaChanges else { return }
    stores.discardSchemaChanges()
    merging.reloadAll()
  }

  /// Throws an error if the entity to remove has records.
  private func checkIsEmpty(_ step: SchemaStep) throws {
    guard case .removeEntity(let name) = step, stores.schema.entitiesByName[name] != nil else {
      return
    }
    let count = try fetching.fetchCount(matching: Query(name))
    guard count > 0 else { return }
    throw PersistenceError(
      .unsavedChanges,
      "cannot undo the creation of entity \(name): it has \(recordCount(count)); delete them first"
    )
  }
}

// MARK: Records and values of changed entities

extension SchemaStaging {
  /// Removes the deletions of a dropped entity from the changes and returns them.
  private func forgetChanges(of entity: String) -> [PendingChange] {
    let changes = pending.all.filter { $0.state.entity.name == entity }
    for change in changes { pending.remove(change.state) }
    return changes
  }

  /// Restores the changes that `forgetChanges(of:)` removed, on the one object for each record.
  private func remember(_ changes: [PendingChange]) {
    for change in changes {
      registry.add(change.state)
      pending.set(change)
    }
  }

  /// The values of a field in the records with unsaved changes.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - entity: The entity.
  ///   - isComplete: False to leave out the values of changed records that are those of the store.
  /// - Returns: The values.
  /// - Throws: `Interruption.Stopped`.
  private func pendingValues(of name: String, in entity: String, isComplete: Bool) throws
    -> [PersistentIdentifier: DroppedValues.Pending]
  {
    var values: [PersistentIdentifier: DroppedValues.Pending] = [:]
    var meter = WorkMeter()
    try pending.forEach { state in
      try meter.count(Self.unitsOfRecord)
      guard state.entity.name == entity, let slot = state.entity.layout.slot(of: name) else {
        return
      }
      if !isComplete, state.pendingKind == .updated,
        state.original[slot] == state.orderedValues[slot]
      {
        return
      }
      values[state.identifier] = .init(
        original: state.pendingKind == .inserted ? nil : state.original[slot],
        value: state.orderedValues[slot]
      )
    }
    return values
  }

  /// The values of a field in new records that were removed.
  private func values(of name: String, in departed: [ModelState])
    -> [PersistentIdentifier: DroppedValues.Pending]
  {
    var values: [PersistentIdentifier: DroppedValues.Pending] = [:]
    for state in departed {
      guard let slot = state.entity.layout.slot(of: name) else { continue }
      values[state.identifier] = .init(original: nil, value: state.orderedValues[slot])
    }
    return values
  }

  /// The work on one record in the units of a meter.
  private static let unitsOfRecord = 4

  /// The values of a field, dropped again, in records that have since been deleted.
  ///
  /// Undo restores these records without the field first, and then the field.
  ///
  /// - Throws: `Interruption.Stopped`.
  private func absentValues(
    _ dropped: DroppedValues?,
    _ records: (any RecordReading)?
  ) throws -> [PersistentIdentifier: DroppedValues.Pending] {
    var absent = resolved(dropped)
    try Array(absent.keys).forEachBatch { batch in
      for identifier in (records?.snapshots(for: Array(batch)) ?? [:]).keys {
        absent[identifier] = nil
      }
    }
    return absent
  }

  /// Every state of an entity that this context knows.
  private func knownStates(of entity: String) -> [ModelState] {
    pending.states.filter { $0.entity.name == entity }
      + registry.states.filter { !$0.isDirty && $0.entity.name == entity }
  }

  /// A record in the layout of its changed entity.
  private struct ArrangedState {
    let state: ModelState
    let values: [Value]
    /// The values in the store; empty for a new record or one without a change.
    let original: [Value]
  }

  /// The records of an entity in its current layout; none if the entity is gone.
  ///
  /// - Throws: `Interruption.Stopped`; nothing has changed then.
  private func arrangement(
    _ replacement: SchemaReplacement?,
    of name: String,
    as schema: Schema
  ) throws -> [ArrangedState] {
    guard let entity = schema.entitiesByName[name] else { return [] }
    let isExact = replacement?.schema.entitiesByName[name]?.layout == entity.layout
    var meter = WorkMeter()
    return try knownStates(of: name).map { state in
      try meter.count(Self.unitsOfRecord + entity.fields.count)
      func arranged(_ values: [Value]) -> [Value] {
        var snapshot = state.snapshot
        snapshot.orderedValues = values
        guard isExact, let exact = replacement?.arranged(snapshot) else {
          return entity.fitted(snapshot)
        }
        return exact.orderedValues
      }
      return ArrangedState(
        state: state,
        values: arranged(state.orderedValues),
        original: state.isDirty && state.pendingKind != .inserted ? arranged(state.original) : []
      )
    }
  }

  /// Rearranges the records of an entity into its current layout.
  private func arrange(_ arranged: [ArrangedState], of name: String, as schema: Schema) {
    guard let entity = schema.entitiesByName[name] else {
      for state in knownStates(of: name) where !state.isDirty {
        state.isDeleted = true
        registry.forget(state)
      }
      return
    }
    pending.forgetRelevance()
    for record in arranged {
      let state = record.state
      state.orderedValues = record.values
      state.entity = entity
      guard state.isDirty, state.pendingKind != .inserted else { continue }
      state.original = record.original
      if state.pendingKind == .updated { pending.rebase(state, on: record.original) }
    }
  }

  /// Reloads the values, still in the store, of a field whose unsaved removal is undone.
  private func readAgain(_ name: String, of entity: String, _ dropped: DroppedValues?) throws {
    pending.forgetRelevance()
    let kept = resolved(dropped)
    // Held until the end, because nothing else references a record whose only change was in the dropped
    // field.
    let held = try fetching.statesPresent(among: Array(kept.keys))
    defer { withExtendedLifetime(held) {} }
    let states = knownStates(of: entity)
    let stored = try fetching.storedSnapshots(for: states.map(\.identifier))
    for state in states {
      guard let slot = state.entity.layout.slot(of: name) else { continue }
      let found = stored[state.identifier]?[name] ?? state.entity.fields[slot].defaultValue
      let known = kept[state.identifier]
      guard state.isDirty else {
        if known.map({ $0.value == found }) ?? true {
          state.orderedValues[slot] = found
        } else if let known {
          state.orderedValues[slot] = known.original ?? found
          tracker.write(known.value, at: slot, of: state)
        }
        continue
      }
      if state.pendingKind != .inserted { state.original[slot] = known?.original ?? found }
      state.orderedValues[slot] = known?.value ?? found
      if state.pendingKind == .updated { pending.rebase(state, on: state.original) }
    }
  }

  /// The values of a field that are to be restored, if its removal was saved or it was never saved itself.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  private func droppedValues(_ dropped: DroppedValues, of entity: String) throws -> [(
    identifier: PersistentIdentifier, value: Value
  )] {
    let kept = resolved(dropped)
    var values: [(identifier: PersistentIdentifier, value: Value)] = []
    // Deleted records get their values, too: undo may restore them together with the field.
    let deleted = pending.all(.deleted).lazy.filter { $0.state.entity.name == entity }
      .map(\.state.identifier)
    try (fetching.fetchIdentifiers(matching: Query(entity)) + deleted).forEachBatch { batch in
      let former = dropped.records?.snapshots(for: Array(batch)) ?? [:]
      for identifier in batch {
        guard let value = kept[identifier]?.value ?? former[identifier]?[dropped.name] else {
          continue
        }
        values.append((identifier, value.remapped(remapping)))
      }
    }
    return values
  }

  /// The values of a field before an edit dropped it for the last time.
  ///
  /// - Throws: As `droppedValues(_:of:)`.
  func formerValues(of edit: SchemaEdit, in entity: String) throws -> [PersistentIdentifier: Value]
  {
    guard let dropped = edit.dropped[false] else { return [:] }
    return Dictionary(
      try droppedValues(dropped, of: entity).map { ($0.identifier, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Restores the values of a field as unsaved changes.
  private func restore(
    _ values: [(identifier: PersistentIdentifier, value: Value)],
    as name: String
  ) throws {
    try values.forEachBatch { batch in
      let states = try fetching.states(for: batch.map(\.identifier))
      for (identifier, value) in batch {
        guard let state = states[identifier], let slot = state.entity.layout.slot(of: name),
          state.orderedValues[slot] != value
        else { continue }
        tracker.write(value, at: slot, of: state)
      }
    }
  }

  /// The values dropped with a field, by the current identifiers of the records.
  private func resolved(_ dropped: DroppedValues?) -> [PersistentIdentifier: DroppedValues.Pending]
  {
    Dictionary(
      (dropped?.pending ?? [:]).map { (remapping[$0.key] ?? $0.key, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }
}
