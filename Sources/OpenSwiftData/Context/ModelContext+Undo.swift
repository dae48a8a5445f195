/// Taking steps back and doing them again.
extension ModelContext {
  /// True when there is a step to take back.
  public var canUndo: Bool { undoLog.canUndo }
  /// True when there is a step to do again.
  public var canRedo: Bool { undoLog.canRedo }

  /// Ends the undo step of what was changed since the last one; nothing happens when nothing changed.
  public func closeUndoStep(named name: String) { undoLog.close(named: name) }

  /// Makes sure that what was changed so far can be undone apart from what follows.
  ///
  /// Takes in what other contexts saved, too.
  public func processPendingChanges() {
    if let undoManager {
      registerPendingUndo(with: undoManager)
    } else {
      undoLog.close(named: "changes")
    }
    mergePendingExternalChanges()
  }

  /// Takes back the last step, saved or not; the result is unsaved like any other change.
  ///
  /// - Returns: The step; nil when there was none.
  /// - Throws: What the store says when a record of the step must be read again; nothing has changed then.
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

  /// Does the step again that was taken back last.
  ///
  /// - Returns: The step; nil when there was none.
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

  /// The identifier that the record has now.
  public func resolve(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    remapping[identifier] ?? identifier
  }

  /// Reads everything it needs first, then changes, so that it happens whole or not at all.
  func replay(_ step: UndoStep) throws {
    var states = try liveStates(of: step)
    undoLog.isReplaying = true
    defer {
      undoLog.isReplaying = false
      // What was put back may agree with the store by now.
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
        // Another program may have removed the entity; the rest of the step is done all the same.
        guard let entity = schema.entitiesByName[identifier.entityName] else { continue }
        // Held until the end: a restored state without changes is held by nobody else.
        states[identifier] = restore(
          identifier,
          entity: entity,
          entity.fitted(snapshot).map { $0.remapped(remapping.all) }
        )
      case .delete:
        if let state = states[identifier] { remove(state) }
      case .update(_, let layout, let slot, _, let new):
        guard let state = states[identifier],
          let (place, value) = state.entity.fitted(new, from: slot, of: layout)
        else { continue }
        write(value.remapped(remapping.all), at: place, of: state)
      }
    }
  }

  /// Takes back, or does again, that a new record became part of one that was there.
  ///
  /// - Returns: False when the change is another one.
  private func replayUpsert(
    _ change: UndoStep.Change,
    _ former: [Value],
    of state: ModelState
  ) -> Bool {
    let values: [Value]
    switch change {
    case .insert(let new): values = new.orderedValues.map { $0.remapped(remapping.all) }
    case .delete: values = former
    case .update, .schema: return false
    }
    guard values.count == state.orderedValues.count, !state.isDeleted else { return false }
    for slot in values.indices where state.orderedValues[slot] != values[slot] {
      write(values[slot], at: slot, of: state)
    }
    return true
  }

  /// The states of the records that the step updates or deletes, held so that they stay registered.
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

  /// Takes back what was changed since the last undo step ended, as if it had never been.
  ///
  /// - Throws: What the store says when a record must be read again; then the changes stay as a step.
  public func abandonUndoStep() throws {
    guard undoLog.isRecording else { return }
    undoLog.close(named: "changes")
    try undo()
    undoLog.forgetRedo()
  }

  /// Brings a deleted record back under its identifier, as an undoable change.
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
