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
      let saved = part.remapped(result.remappedIdentifiers)
      changes.inserted += saved.inserted
      changes.updated += saved.updated
      changes.deleted += saved.deleted
      pairs += result.identifiers.pairs.map { (temporary: $0, permanent: $1) }
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
  /// It tells when the context is no longer at work: a listener may look at the context from a thread of
  /// its own while this one waits for it.
  @discardableResult
  private func saveAndTell(holdingBack held: [PendingChange] = []) throws -> [Save.Part] {
    // A listener that saves while it is told of a save: that save takes its changes along.
    if surroundings.isSaving { return [] }
    try enter()
    var save = Save(self)
    defer { if !save.saved.isEmpty { report(save.saved) } }
    return try whenAllowed("save") {
      if let complaint = surroundings.mailbox.takeComplaint() { throw complaint }
      for change in held { pending.remove(change.state) }
      defer { for change in held { pending.set(change) } }
      surroundings.isSaving = true
      defer { surroundings.isSaving = false }
      return try save.run()
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
        "unsaved changes; save or roll back before changing the schema"
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
