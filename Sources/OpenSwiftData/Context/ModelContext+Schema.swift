/// Changes of the schema that are unsaved like any other change.
extension ModelContext {
  /// Changes the schema as an unsaved change, which `save()` writes in one transaction with the records
  /// and `undo()` takes back; the values of a field that was dropped come back then, too.
  ///
  /// Unsaved changes of records stay.
  ///
  /// - Throws: `PersistenceError` that says why the change is not possible, with code `.unsupported` when the
  ///   store can change its schema only at once; see `apply(_:)`. Nothing is changed then.
  public func stage(_ change: SchemaChange) throws {
    let connections = try self.connections()
    guard let step = SchemaStep(change), let connection = stagedConnection(for: step, connections)
    else {
      throw PersistenceError(.unsupported, "the store cannot keep schema changes unsaved")
    }
    _ = try connection.schema.applying(change)
    let edit = try SchemaEdit(step, in: connection.schema)
    try perform(edit, isInverse: false)
    undoLog.record(.schema(edit, isInverse: false))
  }

  /// The changes of the schema that the next save writes, oldest first.
  package var unsavedSchemaSteps: [SchemaStep] { stagedConnections.flatMap(\.steps) }

  /// The records of the store that go with the entities that the next save removes: deleted before, they
  /// are no pending changes any more.
  package var recordsOfRemovedEntities: [DefaultSnapshot] {
    stagedConnections.flatMap(\.staged).flatMap { staged -> [DefaultSnapshot] in
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
  public var hasSchemaChanges: Bool {
    !container.isTyped && stagedConnections.contains { !$0.staged.isEmpty }
  }

  /// True when a store has never been written, so that a save without changes writes it.
  package var isUnwritten: Bool {
    !container.isTyped && knownConnections.contains(where: \.isUnwritten)
  }

  /// True when a store can keep changes of its schema unsaved.
  package var canStageSchema: Bool {
    (knownConnections.first as? StagedConnection)?.canStage ?? false
  }

  /// Stages steps that another run left unsaved.
  ///
  /// - Throws: As `stage(_:)`.
  package func stage(step: SchemaStep) throws {
    let connections = try self.connections()
    guard let connection = stagedConnection(for: step, connections) else {
      throw PersistenceError(.unsupported, "the store cannot keep schema changes unsaved")
    }
    if step.isDone(in: connection.schema) { return }
    let edit = try SchemaEdit(step, in: connection.schema)
    try perform(edit, isInverse: false)
    undoLog.record(.schema(edit, isInverse: false))
  }

  var stagedConnections: [StagedConnection] {
    knownConnections.compactMap { $0 as? StagedConnection }
  }

  /// The schema with the unsaved changes; nil when there are none.
  var stagedSchema: Schema? {
    guard hasSchemaChanges else { return nil }
    if knownConnections.count == 1 { return knownConnections[0].schema }
    return Schema(knownConnections.flatMap(\.schema.entities))
  }

  private func stagedConnection(
    for step: SchemaStep,
    _ connections: [any StoreConnection]
  ) -> StagedConnection? {
    let owner = connections.first { $0.schema.entitiesByName[step.entityName] != nil }
    let connection = (owner ?? connections.first) as? StagedConnection
    return connection?.canStage == true ? connection : nil
  }

  /// Makes a change of the schema, or takes it back, with all that goes or comes with it.
  ///
  /// - Throws: `PersistenceError` when it is not possible; nothing is changed then.
  func perform(_ edit: SchemaEdit, isInverse: Bool) throws {
    let step = isInverse ? edit.inverse : edit.step
    let connections = try self.connections()
    guard let connection = stagedConnection(for: step, connections) else {
      throw PersistenceError(.unsupported, "the store cannot keep schema changes unsaved")
    }
    let replacement: SchemaReplacement?
    if connection.isLast(edit, isInverse: !isInverse) {
      // What another program made impossible can still be taken back: fields are found by name then.
      replacement = try? step.replacement(from: connection.schema)
    } else {
      replacement = try step.replacement(from: connection.schema)
    }
    try checkIsEmpty(step)
    let records = try connection.records()
    let isCancelled = try connection.stage(edit, isInverse: isInverse)
    if case .dropAttribute(let entity, let name) = step {
      // A field that was never saved has no values but unsaved ones.
      edit.dropped = DroppedValues(
        name: name,
        records: isCancelled ? nil : records,
        pending: absentValues(edit.dropped, records)
          .merging(pendingValues(of: name, in: entity)) { $1 }
      )
    }
    if case .removeEntity(let name) = step { edit.forgotten = forgetChanges(of: name) }
    arrange(replacement, of: step.entityName, as: connection.schema)
    knownSchemas = connections.map(\.schema)
    switch step {
    case .addAttribute(let entity, let attribute, _):
      if isCancelled {
        try readAgain(attribute.name, of: entity, edit.dropped)
      } else if let dropped = edit.dropped {
        try restore(dropped, as: attribute.name, of: entity)
      }
    case .createEntity:
      if isCancelled { remember(edit.forgotten) }
      edit.forgotten = []
    default: break
    }
    noteChange()
  }

  /// Refuses to remove an entity with records.
  private func checkIsEmpty(_ step: SchemaStep) throws {
    guard case .removeEntity(let name) = step, schema.entitiesByName[name] != nil else { return }
    let count = try fetchCount(matching: Query(name))
    guard count > 0 else { return }
    throw PersistenceError(
      .unsavedChanges,
      "cannot undo the creation of entity \(name): it has \(recordCount(count)); delete them first"
    )
  }

  /// Takes the deletions of an entity that goes out of the changes.
  private func forgetChanges(of entity: String) -> [PendingChange] {
    let changes = pending.all.filter { $0.state.entity.name == entity }
    for change in changes { pending.remove(change.state) }
    return changes
  }

  /// Brings back what `forgetChanges(of:)` took, as the changes of the only objects for their records.
  private func remember(_ changes: [PendingChange]) {
    for change in changes {
      change.state.owner = self
      registry.register(change.state)
      pending.set(change)
    }
  }

  /// The values of a field in the records with unsaved changes.
  private func pendingValues(of name: String, in entity: String) -> [PersistentIdentifier:
    DroppedValues.Pending]
  {
    var values: [PersistentIdentifier: DroppedValues.Pending] = [:]
    for change in pending.all where change.state.entity.name == entity {
      guard let slot = change.state.entity.layout.slot(of: name) else { continue }
      values[change.state.identifier] = .init(
        original: change.kind == .inserted ? nil : change.original[slot],
        value: change.state.orderedValues[slot]
      )
    }
    return values
  }

  /// What a field that is dropped once more had the first time in records that are gone now: undo brings
  /// them back without the field, and then the field.
  private func absentValues(
    _ dropped: DroppedValues?,
    _ records: (any RecordReading)?
  ) -> [PersistentIdentifier: DroppedValues.Pending] {
    let kept = resolved(dropped)
    let present = records?.snapshots(for: Array(kept.keys)) ?? [:]
    return kept.filter { present[$0.key] == nil }
  }

  /// Every state of an entity that this context knows.
  private func knownStates(of entity: String) -> [ModelState] {
    var seen: Set<ObjectIdentifier> = []
    return (pending.states + registry.states).filter {
      $0.entity.name == entity && seen.insert(ObjectIdentifier($0)).inserted
    }
  }

  /// Brings the records of an entity into the layout that it has now.
  private func arrange(_ replacement: SchemaReplacement?, of name: String, as schema: Schema) {
    guard let entity = schema.entitiesByName[name] else {
      for state in knownStates(of: name) where !state.isDirty {
        state.isDeleted = true
        forget(state)
      }
      return
    }
    let isExact = replacement?.schema.entitiesByName[name]?.layout == entity.layout
    for state in knownStates(of: name) {
      func arranged(_ values: [Value]) -> [Value] {
        var snapshot = state.snapshot
        snapshot.orderedValues = values
        guard isExact, let exact = replacement?.arranged(snapshot) else {
          return entity.fitted(snapshot)
        }
        return exact.orderedValues
      }
      let values = arranged(state.orderedValues)
      let original = state.isDirty && state.pendingKind != .inserted ? arranged(state.original) : []
      state.orderedValues = values
      state.entity = entity
      guard state.isDirty, state.pendingKind != .inserted else { continue }
      state.original = original
      if state.pendingKind == .updated { pending.rebase(state, on: original) }
    }
  }

  /// Gives a field that comes back unsaved the values that the store has had all the time.
  private func readAgain(_ name: String, of entity: String, _ dropped: DroppedValues?) throws {
    let kept = resolved(dropped)
    // Held until the end: a record whose only change went with the field is held by nobody.
    let held = try statesPresent(among: Array(kept.keys))
    defer { withExtendedLifetime(held) {} }
    let states = knownStates(of: entity)
    let stored = try storedSnapshots(for: states.map(\.identifier))
    for state in states {
      guard let slot = state.entity.layout.slot(of: name) else { continue }
      let found = stored[state.identifier]?[name] ?? state.entity.fields[slot].defaultValue
      let known = kept[state.identifier]
      guard state.isDirty else {
        if known.map({ $0.value == found }) ?? true {
          state.orderedValues[slot] = found
        } else if let known {
          state.orderedValues[slot] = known.original ?? found
          write(known.value, at: slot, of: state)
        }
        continue
      }
      if state.pendingKind != .inserted { state.original[slot] = known?.original ?? found }
      state.orderedValues[slot] = known?.value ?? found
      if state.pendingKind == .updated { pending.rebase(state, on: state.original) }
    }
  }

  /// Gives the records of a field that was dropped for good, or never saved, their values as unsaved
  /// changes.
  private func restore(_ dropped: DroppedValues, as name: String, of entity: String) throws {
    let kept = resolved(dropped)
    let identifiers = try fetchIdentifiers(matching: Query(entity))
    for start in stride(from: 0, to: identifiers.count, by: 1000) {
      let batch = Array(identifiers[start..<min(start + 1000, identifiers.count)])
      let former = dropped.records?.snapshots(for: batch) ?? [:]
      let wanted = batch.compactMap { identifier -> (PersistentIdentifier, Value)? in
        (kept[identifier]?.value ?? former[identifier]?[dropped.name]).map {
          (identifier, $0.remapped(remapping.all))
        }
      }
      guard !wanted.isEmpty else { continue }
      let states = try states(for: wanted.map(\.0))
      for (identifier, value) in wanted {
        guard let state = states[identifier], let slot = state.entity.layout.slot(of: name),
          state.orderedValues[slot] != value
        else { continue }
        write(value, at: slot, of: state)
      }
    }
  }

  /// What went with a field, under the identifiers that the records have now.
  private func resolved(_ dropped: DroppedValues?) -> [PersistentIdentifier: DroppedValues.Pending]
  {
    Dictionary(
      (dropped?.pending ?? [:]).map { (resolve($0.key), $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Takes all changes of the schema back, the last one first; each is part of the undo step.
  ///
  /// - Throws: `PersistenceError` when one cannot be taken back.
  func takeBackSchemaChanges() throws {
    for connection in stagedConnections {
      // New records of new entities go first, or their entities could not.
      let created = connection.staged.compactMap { staged -> String? in
        if case .createEntity(let entity) = staged.step { return entity.name }
        return nil
      }
      for change in pending.all(.inserted) where created.contains(change.state.entity.name) {
        delete(change.state)
      }
      for staged in connection.staged.reversed() {
        try perform(staged.edit, isInverse: !staged.isInverse)
        undoLog.record(.schema(staged.edit, isInverse: !staged.isInverse))
      }
    }
  }

  /// Forgets all changes of the schema, with the unsaved changes of records gone already.
  func forgetSchemaChanges() {
    guard hasSchemaChanges else { return }
    for connection in stagedConnections { connection.unstage() }
    knownSchemas = knownConnections.map(\.schema)
    adopt(knownSchemas)
    merging.stale.formUnion(registeredIdentifiers.filter { !$0.isTemporary })
  }
}
