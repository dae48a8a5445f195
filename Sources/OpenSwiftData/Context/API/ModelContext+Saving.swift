extension ModelContext {
  /// The changes that the next save would make, with the old and the new values.
  ///
  /// - Complexity: O(n) in the number of changed records.
  public var pendingChanges: ChangeSet {
    collectedChanges {}
  }

  /// The changes that the next save would make.
  ///
  /// - Throws: `Interruption.Stopped`.
  func pendingChangesUnlessStopped() throws -> ChangeSet {
    var meter = WorkMeter()
    return try collectedChanges { try meter.count() }
  }

  private func collectedChanges(pausing pause: () throws -> Void) rethrows -> ChangeSet {
    var changes = try separateChanges(pausing: pause)
    changes.updated.reserveCapacity(pending.counts.updated)
    changes.deleted.reserveCapacity(pending.counts.deleted)
    for block in pending.blocks {
      for index in block.indices {
        try pause()
        let original = block.original(at: index)
        let before = block.snapshot(at: index, original)
        if block.kind == .deleted {
          changes.deleted.append(before)
        } else {
          let after = block.snapshot(at: index, block.current(at: index, from: original))
          changes.updated.append(RecordUpdate(before: before, after: after))
        }
      }
    }
    return changes
  }

  /// The new and the deleted records, with the values that they have now: those of a deleted record are the ones that it
  /// had when it was deleted.
  ///
  /// - Complexity: O(n) in the number of inserted and deleted records and of updates that are not packed.
  package var pendingInsertsAndDeletes: ChangeSet {
    if pending.counts.inserted + pending.counts.deleted == 0 { return ChangeSet() }
    var changes = ChangeSet()
    pending.forEachEntry { state in
      switch state.pendingKind {
      case .inserted: changes.inserted.append(state.snapshot)
      case .updated: break
      case .deleted: changes.deleted.append(state.snapshot)
      }
    }
    for block in pending.blocks where block.kind == .deleted {
      for index in block.indices {
        changes.deleted.append(block.snapshot(at: index, block.original(at: index)))
      }
    }
    return changes
  }

  /// The numbers of records that the next save inserts, updates and deletes.
  public var pendingCounts: (inserted: Int, updated: Int, deleted: Int) { pending.counts }

  /// Saves all changes to the stores; new records get permanent identifiers.
  ///
  /// Saves everything or nothing; `saveWithoutConflicts()` saves only the records without conflicts.
  ///
  /// - Throws: The error of a store; the context then keeps all its changes. `PersistenceError` with code
  ///   `.conflict` and all `conflicts` if another program or context changed the same values. With several
  ///   stores, the stores before the failing one have saved their part, and the context keeps the rest.
  public func save() throws { _ = try saveAndTell() }

  /// Saves and returns the saved changes with permanent identifiers and the identifiers that they replaced.
  ///
  /// - Throws: As `save()`.
  @discardableResult
  public func saveReporting() throws -> (changes: ChangeSet, remapped: IdentifierMap) {
    var changes = ChangeSet()
    let parts = try saveAndTell()
    for part in parts {
      let saved = part.allChanges.remapped(part.result.identifiers)
      changes.inserted += saved.inserted
      changes.updated += saved.updated
      changes.deleted += saved.deleted
    }
    return (changes, IdentifierMap(joining: parts.map(\.result.identifiers)))
  }

  /// Saves with a message for the history, and returns the numbers of saved records, the identifiers that were
  /// replaced, and what databases changed by themselves, without copies of the saved records.
  ///
  /// - Throws: As `save()`.
  package func saveCounting(message: String? = nil) throws -> (
    counts: (inserted: Int, updated: Int, deleted: Int), remapped: IdentifierMap,
    effects: [SideEffects]
  ) {
    if message != nil { editingState.message = message }
    defer { if message != nil { editingState.message = nil } }
    let parts = try saveAndTell()
    var counts = (inserted: 0, updated: 0, deleted: 0)
    for part in parts {
      counts.inserted += part.columns?.count ?? part.changes.inserted.count
      counts.updated += part.changes.updated.count
      counts.deleted += part.changes.deleted.count
    }
    return (
      counts, IdentifierMap(joining: parts.map(\.result.identifiers)),
      parts.map(\.result.sideEffects).filter { !$0.isEmpty }
    )
  }

  /// Finds out whether the stores would accept a save; nothing is saved, and the changes stay unsaved.
  ///
  /// - Returns: What databases would change by themselves; nil if a store cannot tell.
  /// - Throws: As `save()`.
  package func rehearseSave() throws -> [SideEffects]? {
    _ = try fetching.connections()
    let stores = stores.staged.map(\.stagingStore)
    guard !stores.isEmpty, stores.allSatisfy({ $0?.canRehearse ?? false }) else { return nil }
    return try saveAndTell(isRehearsal: true).map(\.result.sideEffects).filter { !$0.isEmpty }
  }

  /// Saves new records into the only store, with the unsaved changes of the schema and without making models of them.
  ///
  /// - Throws: As `save()`; nothing is saved then.
  /// - Precondition: There are no unsaved records.
  package func saveNew(_ records: [DefaultSnapshot]) throws {
    precondition(pending.isEmpty, "only new records can be saved without models")
    try merging.enter()
    var saved = SavedChanges()
    for connection in try fetching.connections().prefix(1) {
      let changes = ChangeSet(inserted: records)
      let result = try connection.commit(changes, state: editingState)
      saved.tokens[connection.identifier] = result.token
      undoLog.noteSave(result.token)
      saved.author = author
      saved.add(changes, result)
    }
    forgetUndo()
    if !saved.isEmpty { report(saved) }
  }

  /// Saves the records without conflicts and leaves the rest unsaved.
  ///
  /// Records that `save()` would reject stay unsaved, and so do records connected to them by unsaved links:
  /// both sides of a relationship are saved together. Resolve the rest with `resolveConflict`; the next
  /// `save()` then includes them. Partial saves happen only through this method: `save()` itself writes
  /// everything or nothing.
  ///
  /// - Returns: The remaining conflicts; empty if everything was saved.
  /// - Throws: As `save()`. If it throws, the context keeps all its changes.
  /// - Complexity: O(n) in the number of changed records, which are read from the store.
  @discardableResult
  public func saveWithoutConflicts() throws -> [RecordConflict] {
    let conflicts = try openConflicts()
    let held = pending.heldBack(by: Set(conflicts.map(\.persistentIdentifier)))
    try saveAndTell(holdingBack: held)
    merging.noteSeen(conflicts)
    return conflicts
  }

  /// Saves, unless a save is already in progress, and reports the saved changes.
  ///
  /// Reports them after the context has finished its work, because a listener may use the context from its
  /// own thread while this thread waits for it.
  @discardableResult
  private func saveAndTell(
    holdingBack held: [PendingChange] = [],
    isRehearsal: Bool = false
  ) throws -> [Save.Part] {
    // A listener called this during a save, and that save includes its changes.
    if surroundings.isSaving { return [] }
    try merging.enter()
    var save = Save(self, isRehearsal: isRehearsal)
    defer { if !save.saved.isEmpty { report(save.saved) } }
    let parts = try confinement.whenAllowed("save") {
      if let complaint = surroundings.inbox.takeComplaint() { throw complaint }
      try stores.checkLoss()
      for change in held { pending.remove(change.state) }
      defer {
        for change in held { pending.set(change) }
        if !held.isEmpty {
          for connection in stores.staged { connection.forgetLinkStamp() }
          stores.readSets.renew()
        }
        if pending.isEmpty { forgetDecisions() }
      }
      surroundings.isSaving = true
      defer { surroundings.isSaving = false }
      return try save.run()
    }
    // Merge the external changes that the store found while saving.
    merging.mergeChanges()
    return parts
  }

  /// Changes the schema of the store of the entity immediately; the change cannot be undone.
  ///
  /// Discards earlier undo steps, because they may contain attributes that no longer exist. If several stores have the
  /// entity, it is changed in all of them.
  ///
  /// - Throws: `PersistenceError` with code `.unsavedChanges` when there are any, or `.readOnly` if one of several stores
  ///   cannot be saved, or the error of the store.
  public func apply(_ change: SchemaChange) throws {
    guard !hasChanges else {
      throw PersistenceError(
        .unsavedChanges,
        "unsaved changes; save or roll back before changing the schema"
      )
    }
    let connections = try fetching.connections()
    let places = stores.placement.placesToChange(change.entityName)
    if places.isEmpty { throw PersistenceError(.unsupported, "the container has no store") }
    if places.count > 1 {
      // What one of them refuses is not changed in another.
      try container.checkCanSave(places, to: "change entity \(Value.quoted(change.entityName))")
      for place in places { _ = try connections[place].schema.applying(change) }
    }
    for place in places { try connections[place].apply(change, author: author) }
    forgetUndo()
    _ = try fetching.connections()
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
