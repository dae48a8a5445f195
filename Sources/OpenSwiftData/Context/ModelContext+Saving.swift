extension ModelContext {
  /// What the next save would do, with the values of the store beside the new ones.
  ///
  /// - Complexity: O(n) in the number of changed records.
  public var pendingChanges: ChangeSet {
    var changes = ChangeSet()
    changes.inserted.reserveCapacity(pending.counts.inserted)
    pending.forEach { state in
      let snapshot = state.snapshot
      switch state.pendingKind {
      case .inserted: changes.inserted.append(snapshot)
      case .updated:
        var before = snapshot
        before.orderedValues = state.original
        changes.updated.append(RecordUpdate(before: before, after: snapshot))
      case .deleted:
        var before = snapshot
        before.orderedValues = state.original
        changes.deleted.append(before)
      }
    }
    return changes
  }

  /// The numbers of records that the next save inserts, updates and deletes.
  public var pendingCounts: (inserted: Int, updated: Int, deleted: Int) { pending.counts }

  /// Hands the changes to the stores and takes back permanent identifiers for temporary ones.
  ///
  /// Everything or nothing is saved; `saveWithoutConflicts()` saves what nobody else has changed.
  ///
  /// - Throws: What a store says; the context then still has all its changes. Where others changed the
  ///   same values, `PersistenceError` with code `.conflict` and all `conflicts`. Where the container has
  ///   several stores, those that had saved before another one refused have saved, and the context has
  ///   the rest.
  public func save() throws { _ = try saveAndTell() }

  /// Saves and tells what was saved, with permanent identifiers, and what they replaced.
  ///
  /// - Throws: As `save()`.
  @discardableResult
  public func saveReporting() throws -> (
    changes: ChangeSet,
    remapped: [(temporary: PersistentIdentifier, permanent: PersistentIdentifier)]
  ) {
    var changes = ChangeSet()
    var pairs: [(temporary: PersistentIdentifier, permanent: PersistentIdentifier)] = []
    for (part, result) in try saveAndTell() {
      let map = result.remappedIdentifiers
      let saved = part.remapped(map)
      changes.inserted += saved.inserted
      changes.updated += saved.updated
      changes.deleted += saved.deleted
      pairs += part.inserted.compactMap { snapshot in
        map[snapshot.persistentIdentifier].map {
          (temporary: snapshot.persistentIdentifier, permanent: $0)
        }
      }
    }
    return (changes, pairs)
  }

  /// Saves what nobody else changed, and leaves the rest unsaved.
  ///
  /// Held back are the records that `save()` would refuse, and those whose unsaved links begin or end at
  /// one of them: both sides of a relationship are saved together. `resolveConflict` settles what is
  /// left, and the next `save()` takes it along. Nobody but the caller decides to save a part: `save()`
  /// itself writes everything or nothing.
  ///
  /// - Returns: The conflicts that are left; empty when everything was saved.
  /// - Throws: As `save()`. Where it throws, the context still has all its changes.
  /// - Complexity: O(n) in the number of changed records, which are read from the store.
  @discardableResult
  public func saveWithoutConflicts() throws -> [RecordConflict] {
    let conflicts = try openConflicts()
    let held = pending.heldBack(by: Set(conflicts.map(\.persistentIdentifier)))
    try saveAndTell(holdingBack: held)
    noteSeen(conflicts)
    return conflicts
  }

  /// Saves, unless that is under way already, and tells those around what was saved.
  ///
  /// It tells when it is no longer at work: whoever is told may look at the context, from a thread of his
  /// own while this one waits for him.
  @discardableResult
  private func saveAndTell(holdingBack held: [PendingChange] = []) throws
    -> [(ChangeSet, CommitResult)]
  {
    // Whoever saves while it is told of a save: that save takes it along.
    if surroundings.isSaving { return [] }
    try enter()
    var saved = SavedChanges()
    defer { if !saved.isEmpty { report(saved) } }
    return try whenAllowed("a save") {
      if let complaint = surroundings.mailbox.takeComplaint() { throw complaint }
      defer {
        saved = surroundings.saved
        surroundings.saved = SavedChanges()
      }
      for change in held { pending.remove(change.state) }
      defer { for change in held { pending.set(change) } }
      return try saveOnTopOfOthers()
    }
  }

  private func saveOnTopOfOthers() throws -> [(ChangeSet, CommitResult)] {
    surroundings.isSaving = true
    defer { surroundings.isSaving = false }
    if hasChanges { postWillSave() }
    do {
      return try saveOnTopOfRecords()
    } catch let error as PersistenceError {
      guard try takesNewSchema() else { throw error }
      return try saveOnTopOfRecords()
    }
  }

  /// Arranges what is unsaved for the schema that another program gave the store, if it did.
  ///
  /// - Returns: Whether it did.
  /// - Throws: `PersistenceError` with code `.conflict` when a field that was edited here is no more.
  private func takesNewSchema() throws -> Bool {
    let former = knownSchemas
    let edits = pending.all(.updated).flatMap { change in
      let (state, entity) = (change.state, change.state.entity)
      return entity.layout.names.indices
        .filter { state.orderedValues[$0] != change.original[$0] }
        .map { (entity: entity.name, field: entity.layout.names[$0]) }
    }
    // A context that has met no store yet learns their schemas here; nobody changed them.
    guard !former.isEmpty, (try? connections()) != nil,
      former != knownSchemas
    else { return false }
    for edit in edits {
      let entities = knownSchemas.lazy.compactMap { $0.entitiesByName[edit.entity] }
      guard let entity = entities.first, entity.layout.slot(of: edit.field) == nil else { continue }
      throw PersistenceError(
        .conflict,
        "\(edit.entity).\(edit.field), which was edited here, is not there any more: another program "
          + "changed the schema"
      )
    }
    return true
  }

  private func saveOnTopOfRecords() throws -> [(ChangeSet, CommitResult)] {
    do {
      return try performSave()
    } catch let error as PersistenceError where error.code == .conflict {
      // Saved elsewhere a moment ago: what does not contradict it is saved on top of it.
      guard rebasePendingChanges() else { throw refusal(error, noteConflictsOfFailedSave()) }
      return try performSave()
    } catch let error as PersistenceError where error.code == .notUnique && container.isTyped {
      // Saved elsewhere since unique values were looked for: the policy says what to do with it now.
      return try performSave()
    }
  }

  /// The error of a save with the conflicts that are to be settled.
  private func refusal(_ error: PersistenceError, _ conflicts: [RecordConflict]) -> PersistenceError
  {
    guard !conflicts.isEmpty else { return error }
    var error = error
    error.conflicts = conflicts
    return error
  }

  /// Saves to each store what is its own.
  private func performSave() throws -> [(ChangeSet, CommitResult)] {
    forgetLinksToNothing()
    let plan = try validated()
    let isUnwritten = try !container.isTyped && connections().contains(where: \.isUnwritten)
    guard hasChanges || isUnwritten else { return [] }
    _ = try connections()
    let changes = plan?.applied(to: pendingChanges) ?? pendingChanges
    processPendingChanges()
    let parts =
      changes.isEmpty && !isUnwritten && !hasSchemaChanges ? [] : try parts(of: changes)
    var results: [(ChangeSet, CommitResult)] = []
    for (connection, part) in parts {
      do {
        let result = try connection.commit(part, state: editingState)
        results.append((part, result))
        surroundings.saved.tokens[connection.identifier] = result.token
      } catch {
        // What the stores before this one have saved is saved.
        if !results.isEmpty { finishSave(results, plan, isComplete: false) }
        throw error
      }
    }
    finishSave(results, plan, isComplete: true)
    return results
  }

  private func finishSave(
    _ results: [(ChangeSet, CommitResult)],
    _ plan: UniquenessPlan?,
    isComplete: Bool
  ) {
    surroundings.saved.author = author
    for (part, result) in results { surroundings.saved.add(part, result) }
    if let plan { carryOut(plan) }
    if isComplete { surroundings.seenConflicts = [:] }
    if isComplete, results.count == 1 {
      finishSave(of: pending.takeAll(), results[0].1)
    } else {
      finishSave(of: results)
    }
    if let plan { finish(plan) }
  }

  private func parts(of changes: ChangeSet) throws -> [(any StoreConnection, ChangeSet)] {
    let connections = try self.connections()
    if connections.count == 1 { return [(connections[0], changes)] }
    return connections.compactMap { connection in
      let names = Set(connection.schema.entities.map(\.name))
      let part = ChangeSet(
        inserted: changes.inserted.filter { names.contains($0.persistentIdentifier.entityName) },
        updated: changes.updated.filter { names.contains($0.persistentIdentifier.entityName) },
        deleted: changes.deleted.filter { names.contains($0.persistentIdentifier.entityName) }
      )
      let staged = (connection as? StagedConnection)?.staged ?? []
      let isNeeded = !part.isEmpty || !staged.isEmpty || connection.isUnwritten
      return isNeeded ? (connection, part) : nil
    }
  }

  /// Takes out of the changes what some of the stores have saved.
  private func finishSave(of results: [(ChangeSet, CommitResult)]) {
    for (part, result) in results {
      let identifiers =
        part.inserted.map(\.persistentIdentifier) + part.updated.map(\.persistentIdentifier)
        + part.deleted.map(\.persistentIdentifier)
      let saved = identifiers.compactMap { pending[$0]?.state }
      for state in saved { pending.take(state) }
      finishSave(of: saved, result)
    }
  }

  /// Gives what was saved its permanent identifiers.
  private func finishSave(of saved: [ModelState?], _ result: CommitResult) {
    let temporary = result.temporary
    let permanent = result.permanent
    lazy var map = result.remappedIdentifiers
    var next = 0
    register(reserving: permanent.count)
    for case let state? in saved {
      let kind = state.pendingKind
      // Held until it is registered.
      let model = state.heldModel
      state.endChange()
      if kind == .deleted {
        forget(state)
        continue
      }
      if state.hasLinks { state.remapLinks(map) }
      guard kind == .inserted, state.identifier.isTemporary else { continue }
      if next < temporary.count, temporary[next] == state.identifier {
        reRegister(state, model, as: permanent[next])
        next += 1
      } else if let identifier = map[state.identifier] {
        remapping.add([state.identifier], [identifier])
        reRegister(state, model, as: identifier)
      }
    }
    remapping.add(temporary, permanent)
    for snapshot in result.reregistered {
      guard let state = registeredState(snapshot.persistentIdentifier), !state.isDirty else {
        continue
      }
      state.replaceValues(state.entity.arranged(snapshot).orderedValues)
    }
  }

  /// Takes back every unsaved change and forgets all undo steps.
  ///
  /// Values are restored, new models leave the context, deleted ones come back.
  public func rollback() {
    discardPendingChanges()
    forgetSchemaChanges()
    forgetUndo()
    _ = surroundings.mailbox.takeComplaint()
    noteChange()
    takeMailIfAny()
  }

  /// Takes back every unsaved change as one step that can be undone.
  public func discardChanges() {
    processPendingChanges()
    defer { closeUndoStep(named: "rollback") }
    do {
      try takeBackSchemaChanges()
    } catch {
      problem =
        error as? PersistenceError
        ?? PersistenceError(
          .inaccessible,
          "unsaved changes of the schema could not be taken back: \(error)",
          cause: error
        )
    }
    for change in pending.all.reversed() { takeBack(change) }
  }

  private func takeBack(_ change: PendingChange) {
    let state = change.state
    switch change.kind {
    case .inserted: delete(state)
    case .deleted:
      // With the values that it was deleted with: taking this back, too, must find them.
      undoLog.record(.insert(state.snapshot))
      restore(state.identifier, entity: state.entity, state.orderedValues)
      takeBackValues(of: state, to: change.original)
    case .updated: takeBackValues(of: state, to: change.original)
    }
  }

  private func takeBackValues(of state: ModelState, to original: [Value]) {
    for (slot, value) in original.enumerated() where state.orderedValues[slot] != value {
      setValue(value, at: slot, of: state)
    }
  }

  private func discardPendingChanges() {
    let changes = pending.all
    pending.removeAll()
    surroundings.seenConflicts = [:]
    problem = nil
    for change in changes {
      change.state.problems = [:]
      switch change.kind {
      case .inserted:
        change.state.isDeleted = true
        forget(change.state)
      case .updated: change.state.replaceValues(change.original)
      case .deleted:
        change.state.replaceValues(change.original)
        change.state.isDeleted = false
      }
    }
  }

  /// Runs the block and saves; when either throws, everything unsaved is rolled back.
  public func transaction(block: () throws -> Void) throws {
    do {
      try block()
      try save()
    } catch {
      rollback()
      throw error
    }
  }

  /// Changes the schema of the store that has (or shall have) the entity, at once and for good.
  ///
  /// Undo steps from before are forgotten: they may speak of attributes that are no more.
  ///
  /// - Throws: `PersistenceError` with code `.unsavedChanges` when there are any, or what the store says.
  public func apply(_ change: SchemaChange) throws {
    guard !hasChanges else {
      throw PersistenceError(
        .unsavedChanges,
        "there are unsaved changes; save or roll back before changing the schema"
      )
    }
    let connections = try self.connections()
    let owner = connections.first { $0.schema.entitiesByName[change.entityName] != nil }
    guard let connection = owner ?? connections.first else {
      throw PersistenceError(.unsupported, "the container has no store")
    }
    try connection.apply(change, author: author)
    forgetUndo()
    _ = try self.connections()
  }
}

extension ModelContext {
  /// Inserts the records of a catalog as new ones, without an undo step.
  package func insert(_ document: CatalogDocument) {
    processPendingChanges()
    for (entity, values) in document.records {
      let record = Record(entity: schema.entitiesByName[entity.name] ?? entity)
      record.persistentState.orderedValues = values
      insert(record)
    }
    forgetUndo()
  }
}
