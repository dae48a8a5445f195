/// Undo and redo.
extension ModelContext {
  /// True when there is a step to undo.
  public var canUndo: Bool { undoLog.canUndo }
  /// True when there is a step to redo.
  public var canRedo: Bool { undoLog.canRedo }

  /// Ends the undo step with all changes since the last one; does nothing if nothing changed.
  public func closeUndoStep(named name: String) { undoLog.close(named: name) }

  /// Ends the current undo step, so the changes so far can be undone separately from later ones.
  ///
  /// Merges the changes of other contexts as well.
  public func processPendingChanges() {
    if let undoManager {
      registerPendingUndo(with: undoManager)
    } else {
      undoLog.close(named: "changes")
    }
    mergePendingExternalChanges()
  }

  /// Undoes the last step, saved or not; the result is an unsaved change like any other.
  ///
  /// - Returns: The step; nil if there was none.
  /// - Throws: The store's error when a record of the step must be reloaded; nothing has changed then.
  @discardableResult
  public func undo() throws -> UndoStep? {
    _ = try connections()
    guard let step = undoLog.takeUndo() else { return nil }
    do {
      try replay(step.inverse)
    } catch {
      _ = undoLog.takeRedo()
      throw error
    }
    mergePendingExternalChanges()
    return resolved(step)
  }

  /// Redoes the step that was undone last.
  ///
  /// - Returns: The step; nil if there was none.
  /// - Throws: As `undo()`.
  @discardableResult
  public func redo() throws -> UndoStep? {
    _ = try connections()
    guard let step = undoLog.takeRedo() else { return nil }
    do {
      try replay(step)
    } catch {
      _ = undoLog.takeUndo()
      throw error
    }
    mergePendingExternalChanges()
    return resolved(step)
  }

  private func resolved(_ step: UndoStep) -> UndoStep {
    UndoStep(
      name: step.name,
      changes: step.changes.map { change in
        switch change {
        case .insert(let snapshot): .insert(resolved(snapshot))
        case .delete(let snapshot): .delete(resolved(snapshot))
        case .update(let identifier, let layout, let slot, let old, let new):
          .update(resolve(identifier), layout, slot: slot, old: old, new: new)
        case .schema: change
        }
      }
    )
  }

  private func resolved(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
    var snapshot = snapshot
    snapshot.persistentIdentifier = resolve(snapshot.persistentIdentifier)
    return snapshot
  }

  /// The current identifier of the record.
  public func resolve(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    identifier.isTemporary ? remapping[identifier] ?? identifier : identifier
  }

  /// Applies a step completely or not at all: reads everything it needs before it changes anything.
  func replay(_ step: UndoStep) throws {
    var states = try liveStates(of: step)
    undoLog.isReplaying = true
    defer {
      undoLog.isReplaying = false
      // The restored values may now be equal to those of the store.
      if !merging.conflicting.isEmpty {
        let touched = Set(step.changes.compactMap(\.identifier).map(resolve))
        merging.stale.formUnion(merging.conflicting.intersection(touched))
      }
    }
    for change in step.changes {
      guard let recorded = change.identifier else {
        if case .schema(let edit, let isInverse) = change {
          try perform(edit, isInverse: isInverse)
        }
        continue
      }
      let identifier = resolve(recorded)
      if let former = valuesBeforeUpsert[recorded], let state = states[identifier],
        replayUpsert(change, former, of: state)
      {
        continue
      }
      switch change {
      case .schema: break
      case .insert(let snapshot):
        // Another program may have removed the entity; the rest of the step is still applied.
        guard let entity = schema.entitiesByName[identifier.entityName] else { continue }
        // Held until the end, because nothing else references a restored state without changes.
        states[identifier] = restore(
          identifier,
          entity: entity,
          entity.fitted(snapshot).map { $0.remapped(remapping) }
        )
      case .delete:
        if let state = states[identifier] { remove(state) }
      case .update(_, let layout, let slot, _, let new):
        guard let state = states[identifier],
          let (place, value) = state.entity.fitted(new, from: slot, of: layout)
        else { continue }
        write(value.remapped(remapping), at: place, of: state)
      }
    }
  }

  /// Undoes or redoes the merge of a new record into an existing one.
  ///
  /// - Returns: False when the change is of another kind.
  private func replayUpsert(
    _ change: UndoStep.Change,
    _ former: [Value],
    of state: ModelState
  ) -> Bool {
    let values: [Value]
    switch change {
    case .insert(let new): values = new.orderedValues.map { $0.remapped(remapping) }
    case .delete: values = former
    case .update, .schema: return false
    }
    guard values.count == state.orderedValues.count, !state.isDeleted else { return false }
    for slot in values.indices where state.orderedValues[slot] != values[slot] {
      write(values[slot], at: slot, of: state)
    }
    return true
  }

  /// The states of the records that the step updates or deletes, referenced to keep them registered.
  private func liveStates(of step: UndoStep) throws -> [PersistentIdentifier: ModelState] {
    var inserted: Set<PersistentIdentifier> = []
    var wanted: [PersistentIdentifier] = []
    for change in step.changes {
      guard let recorded = change.identifier else { continue }
      let identifier = resolve(recorded)
      if case .insert = change, valuesBeforeUpsert[recorded] == nil {
        inserted.insert(identifier)
      } else if !inserted.contains(identifier) {
        wanted.append(identifier)
      }
    }
    return try states(for: wanted)
  }

  /// Undoes the changes since the last undo step ended; they cannot be redone.
  ///
  /// - Throws: The store's error when a record must be reloaded; the changes then stay as a step.
  public func abandonUndoStep() throws {
    guard undoLog.isRecording else { return }
    undoLog.close(named: "changes")
    try undo()
    undoLog.forgetRedo()
  }

  /// Restores a deleted record with its identifier, as an undoable change.
  package func insertAgain(
    _ identifier: PersistentIdentifier,
    _ values: [Value],
    in entity: Schema.Entity
  ) {
    undoLog.record(
      .insert(
        DefaultSnapshot(
          persistentIdentifier: identifier,
          layout: entity.layout,
          orderedValues: values
        )
      )
    )
    restore(identifier, entity: entity, values)
  }
}
