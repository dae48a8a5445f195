/// One save of a context, from the check of its rules to the permanent identifiers.
///
/// `attemptOnce()` contains the steps; the functions before it decide whether to repeat them. A save is repeated if
/// another program changed the schema or the same records and the unsaved changes cause no conflict, or overwrite theirs.
struct Save {
  /// What one store saved, and its result.
  struct Part {
    /// The changes, without new records in columns.
    let changes: ChangeSet
    /// The new records that the store took over in columns.
    var columns: NewRecords?
    let result: CommitResult

    /// All changes.
    ///
    /// - Complexity: O(n) in the records in columns.
    var allChanges: ChangeSet {
      columns.map { ChangeSet(inserted: $0.snapshots) } ?? changes
    }
  }

  private let context: ModelContext
  /// True to find out whether the stores would accept the save, without one.
  private let isRehearsal: Bool
  /// The changes that the stores have saved so far, even if the save fails later.
  private(set) var saved = SavedChanges()

  init(_ context: ModelContext, isRehearsal: Bool = false) {
    (self.context, self.isRehearsal) = (context, isRehearsal)
  }

  /// Saves the unsaved changes on top of the changes saved by others.
  ///
  /// - Throws: As `ModelContext.save()`.
  mutating func run() throws -> [Part] {
    if context.hasChanges, !isRehearsal { context.postWillSave() }
    do {
      return try runOnSameSchema()
    } catch let error as PersistenceError {
      guard try adoptNewSchema() else {
        throw error.code == .unknownEntity ? removedEntity() ?? error : error
      }
      return try runOnSameSchema()
    }
  }

  private mutating func runOnSameSchema() throws -> [Part] {
    var round = 1
    while true {
      do {
        return try attempt()
      } catch let error as PersistenceError where error.code == .conflict {
        try prepareToRepeat(after: error, round)
      } catch let error as PersistenceError
        where error.code == .notUnique && context.container.isTyped && round == 1
      {
        // Another context has saved since the unique values were checked; the policy now applies to its records
        // as well.
      }
      round += 1
    }
  }

  /// How often others may save the same records during one save.
  private static let mostRounds = 8

  /// Merges what others have just saved: changes without a conflict are saved on top of it.
  ///
  /// - Throws: The error of the save if there is no reason to repeat it.
  private func prepareToRepeat(after error: PersistenceError, _ round: Int) throws {
    if round < Self.mostRounds, context.merging.rebasePendingChanges() { return }
    let refusal = refusal(error)
    if round < Self.mostRounds, try overwrites(refusal.conflicts) { return }
    // A plain store may compare more than values, such as a revision, which has been read again now.
    guard round == 1, context.stores.looksUpByScanning, refusal.conflicts.isEmpty else {
      throw refusal
    }
  }

  /// Saves; a record that others have added, and that was sought here in vain, is changed instead of added.
  private mutating func attempt() throws -> [Part] {
    for _ in 0..<Self.mostJoins {
      do {
        return try attemptOnce()
      } catch let error as PersistenceError {
        guard let taken = error.cause as? TakenKeys else { throw error }
        try context.join(taken)
      }
    }
    return try attemptOnce()
  }

  /// How often others may add records that are sought here during one save.
  private static let mostJoins = 8

  private mutating func attemptOnce() throws -> [Part] {
    let merges = try validate()
    if merges == nil, let part = try commitColumns() {
      finish([part], nil, isComplete: true)
      return [part]
    }
    guard let plan = try plan(merges) else { return [] }
    if context.merging.hasUndecidedRecords {
      throw refusal(PersistenceError(.conflict, "another program has restored the same records"))
    }
    if try !context.conflictResolution.conflictsWithAdded().isEmpty {
      throw refusal(PersistenceError(.conflict, "another program has added the same records"))
    }
    if isRehearsal { return try rehearse(plan) }
    let parts = try commit(plan, merges)
    finish(parts, merges, isComplete: true)
    return parts
  }

  // MARK: The steps

  /// Checks all rules.
  ///
  /// - Returns: The plan for new records with the unique values of others; nil if there are none.
  private func validate() throws -> UniquenessPlan? {
    context.tracker.forgetLinksToNothing()
    return try context.saveRules.check()
  }

  /// The changes, divided among the stores; nil when there is nothing to save.
  private func plan(_ merges: UniquenessPlan?) throws -> [(any StoreConnection, ChangeSet)]? {
    let isUnwritten =
      try !context.container.isTyped
      && context.fetching.connections().contains(where: \.isUnwritten)
    guard context.hasChanges || isUnwritten else { return nil }
    let connections = try context.fetching.connections()
    // The schema may have changed just now.
    try context.stores.checkLoss()
    let pending = try context.pendingChangesUnlessStopped()
    let changes = merges?.applied(to: pending) ?? pending
    context.processPendingChanges()
    if changes.isEmpty, !isUnwritten, !context.hasSchemaChanges { return [] }
    if connections.count == 1 { return [(connections[0], changes)] }
    let placement = context.stores.placement
    let divided = try placement.divided(changes)
    return placement.cautiousOrder.compactMap { place in
      let (connection, part) = (connections[place], divided[place])
      let staged = (connection as? StagedConnection)?.staged ?? []
      let isNeeded = !part.isEmpty || !staged.isEmpty || connection.isUnwritten
      return isNeeded ? (connection, part) : nil
    }
  }

  /// Asks each store whether it would accept its part.
  private func rehearse(_ plan: [(any StoreConnection, ChangeSet)]) throws -> [Part] {
    try plan.compactMap { connection, changes in
      guard let staged = connection as? StagedConnection else { return nil }
      return Part(
        changes: changes,
        result: try staged.rehearse(changes, state: context.editingState)
      )
    }
  }

  /// Saves new records in columns, if they are all that has changed and the store takes over such.
  ///
  /// - Returns: Nil if nothing was done.
  private mutating func commitColumns() throws -> Part? {
    guard !isRehearsal, context.pending.onlyColumns != nil else { return nil }
    let connections = try context.fetching.connections()
    // The schema may have changed just now.
    try context.stores.checkLoss()
    context.processPendingChanges()
    guard connections.count == 1, let connection = connections.first as? StagedConnection,
      let records = context.pending.onlyColumns,
      let result = try connection.commit(records, state: context.editingState)
    else { return nil }
    note(result, of: connection)
    return Part(changes: ChangeSet(), columns: records, result: result)
  }

  private mutating func note(_ result: CommitResult, of connection: any StoreConnection) {
    saved.tokens[connection.identifier] = result.token
    context.undoLog.noteSave(result.token)
    context.surroundings.saveCount += 1
  }

  /// Hands each store its part.
  private mutating func commit(
    _ plan: [(any StoreConnection, ChangeSet)],
    _ merges: UniquenessPlan?
  ) throws -> [Part] {
    var parts: [Part] = []
    for (connection, changes) in plan {
      if let staged = connection as? StagedConnection {
        let readSets = context.stores.readSets
        staged.sought = context.stores.sought
        (staged.read, staged.linked) = (readSets.compared, readSets.linked)
      }
      do {
        let result = try connection.commit(changes, state: context.editingState)
        parts.append(Part(changes: changes, result: result))
        note(result, of: connection)
      } catch {
        // The stores before this one have already saved their part.
        if !parts.isEmpty { finish(parts, merges, isComplete: false) }
        throw error
      }
    }
    return parts
  }

  /// Removes the saved records from the unsaved changes and assigns their permanent identifiers.
  private mutating func finish(_ parts: [Part], _ merges: UniquenessPlan?, isComplete: Bool) {
    context.related.clear()
    saved.author = context.author
    for part in parts {
      let identifiers = part.result.identifiers
      if part.columns != nil { saved.inserted += identifiers.permanent }
      saved.add(part.changes, part.result)
      context.stores.forgetChoices(for: part.changes.inserted.map(\.persistentIdentifier))
      let replaced = part.changes.replacedRecords(identifiers)
      if !replaced.isEmpty { context.undoLog.orderReplacements(of: replaced, identifiers) }
    }
    if let merges { context.uniqueness.carryOut(merges) }
    if isComplete { context.merging.noteSeen([]) }
    if isComplete, parts.count == 1 {
      assignIdentifiers(context.pending.takeAll(), parts[0].result)
    } else {
      for part in parts {
        let states = part.changes.identifiers.compactMap { context.pending[$0]?.state }
        for state in states { context.pending.take(state) }
        assignIdentifiers(states, part.result)
      }
    }
    if let merges { context.uniqueness.finish(merges) }
    context.assertInvariants()
  }

  /// Assigns permanent identifiers to the saved states.
  private func assignIdentifiers(_ states: consuming [ModelState?], _ result: CommitResult) {
    let map = result.identifiers
    let temporary = map.temporary
    let permanent = map.permanent
    var next = 0
    var states = states
    for index in states.indices {
      guard var state = states[index] else { continue }
      states[index] = nil
      let kind = state.pendingKind
      // Held until it is registered, unless this is the last reference.
      var model = state.heldModel
      state.endChange()
      if kind == .inserted, Self.releaseIfUnreferenced(&state, &model) {
        // It need not be registered: it is read again on demand.
        if next < temporary.count, temporary[next] == state.identifier { next += 1 }
        continue
      }
      if kind == .deleted {
        context.merging.noteDeleted(state.identifier)
        context.registry.forget(state)
        continue
      }
      if state.hasLinks { state.remapLinks(map) }
      guard kind == .inserted, state.identifier.isTemporary else { continue }
      if next < temporary.count, temporary[next] == state.identifier {
        context.registry.register(state, model, as: permanent[next])
        next += 1
      } else if let identifier = map[state.identifier] {
        context.registry.register(state, model, as: identifier)
      }
    }
    context.remapping.add(map)
    takeOver(result.reregistered)
    takeIn(result.sideEffects)
  }

  /// Releases the object of a saved record if it is unreferenced; true if the record is unreferenced,
  /// too.
  private static func releaseIfUnreferenced(
    _ state: inout ModelState,
    _ model: inout (any PersistentModel)?
  ) -> Bool {
    guard !state.hasExtras else { return false }
    release(&model)
    return isKnownUniquelyReferenced(&state)
  }

  /// Releases an object without other references.
  private static func release(_ model: inout (any PersistentModel)?) {
    guard let held = model else { return }
    var object: AnyObject = held
    model = nil
    if !isKnownUniquelyReferenced(&object) { model = object as? any PersistentModel }
  }

  /// Applies values that the store changed while saving.
  private func takeOver(_ snapshots: [DefaultSnapshot]) {
    for snapshot in snapshots {
      guard let state = context.registry[snapshot.persistentIdentifier], !state.isDirty
      else { continue }
      state.replaceValues(state.entity.arranged(snapshot).orderedValues)
    }
  }

  /// Lets the context merge, after the save, what the database changed by itself.
  private func takeIn(_ effects: SideEffects) {
    let remapping = context.remapping
    context.undoLog.add(effects) { $0.isTemporary ? remapping[$0] ?? $0 : $0 }
    if effects.isEmpty { return }
    context.surroundings.inbox.receive(SavedChanges(effects))
  }

  // MARK: Others' changes

  /// The error of a save with the conflicts to resolve.
  private func refusal(_ error: PersistenceError) -> PersistenceError {
    if let removed = removedEntity() { return removed }
    let conflicts = context.conflictResolution.conflictsOfFailedSave()
    guard !conflicts.isEmpty else { return error }
    var error = error
    if let doubtful = conflicts.first(where: { $0.doubt != nil }), let doubt = doubtful.doubt {
      let identifier = doubtful.persistentIdentifier
      let count = conflicts.count { $0.doubt != nil }
      let more = count > 1 ? " (and \(count - 1) more)" : ""
      error = PersistenceError(
        .conflict,
        "\(identifier.entityName) record \(identifier): \(doubt.reason)\(more)"
      )
    }
    error.conflicts = conflicts
    return error
  }

  /// Keeps the values of this context in all conflicts, if that is the policy of the container.
  private func overwrites(_ conflicts: [RecordConflict]) throws -> Bool {
    // Only the user can decide which record was deleted here, or is to be changed.
    guard context.container.conflictPolicy == .lastWriterWins, !conflicts.isEmpty, !isRehearsal,
      !conflicts.contains(where: \.needsDecision)
    else { return false }
    let identifiers = conflicts.map(\.persistentIdentifier)
    return try context.conflictResolution.resolve(identifiers, keeping: .mine, attributes: nil) == 0
  }

  /// The error of changes to records of an entity that another program has removed; nil if there are none.
  private func removedEntity() -> PersistenceError? {
    let known = Set(context.stores.schemas.flatMap { $0.entities.map(\.name) })
    // A stop is reported by the next step.
    guard !known.isEmpty, let changes = try? context.pendingChangesUnlessStopped() else {
      return nil
    }
    // A new record may have an entity that no store ever had.
    let saved = changes.identifiers.filter { !$0.isTemporary }
    let names = saved.map(\.entityName).filter { !known.contains($0) }
    guard let name = names.min() else { return nil }
    let count = names.count { $0 == name }
    return PersistenceError(
      .conflict,
      "\(name): removed by another program; your unsaved changes of "
        + "\(count == 1 ? "1 record" : "\(count) records") cannot be saved",
      cause: ValuesWithoutPlace()
    )
  }

  /// Adapts the unsaved changes to a schema that another program has changed.
  ///
  /// - Returns: True if the schema has changed.
  /// - Throws: `PersistenceError` with code `.conflict` when a field with unsaved changes no longer exists.
  private func adoptNewSchema() throws -> Bool {
    let former = context.stores.schemas
    let edits = context.pending.all(.updated).flatMap { change in
      let (state, entity) = (change.state, change.state.entity)
      return entity.layout.names.indices
        .filter { state.orderedValues[$0] != change.original[$0] }
        .map { (entity: entity.name, field: entity.layout.names[$0]) }
    }
    // A context that has not used its stores yet reads their schemas here; they have not changed. If the
    // stores cannot be read, the error of the save is more useful.
    guard !former.isEmpty, (try? context.fetching.connections()) != nil,
      former != context.stores.schemas
    else { return false }
    if let removed = removedEntity() { throw removed }
    for edit in edits {
      let entities = context.stores.schemas.lazy.compactMap { $0.entitiesByName[edit.entity] }
      guard let entity = entities.first, entity.layout.slot(of: edit.field) == nil else { continue }
      // It would say the same at the next save.
      context.stores.forgetLoss()
      throw PersistenceError(
        .conflict,
        "\(edit.entity).\(edit.field): removed by another program; your change to it cannot "
          + "be saved",
        cause: ValuesWithoutPlace()
      )
    }
    return true
  }
}

extension ChangeSet {
  /// The changes of the records of these entities.
  package func restricted(to names: Set<String>) -> ChangeSet {
    ChangeSet(
      inserted: inserted.filter { names.contains($0.persistentIdentifier.entityName) },
      updated: updated.filter { names.contains($0.persistentIdentifier.entityName) },
      deleted: deleted.filter { names.contains($0.persistentIdentifier.entityName) }
    )
  }

  /// The records that the change set affects.
  fileprivate var identifiers: [PersistentIdentifier] {
    inserted.map(\.persistentIdentifier) + updated.map(\.persistentIdentifier)
      + deleted.map(\.persistentIdentifier)
  }
}
