/// Discarding unsaved changes.
extension ModelContext {
  /// Discards all unsaved changes and all undo steps.
  ///
  /// Values and deleted models are restored; new models leave the context.
  public func rollback() {
    discardPendingChanges()
    forgetSchemaChanges()
    forgetUndo()
    _ = surroundings.inbox.takeComplaint()
    noteChange()
    mergePendingExternalChanges()
  }

  /// Discards all unsaved changes as one step that can be undone.
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
          "cannot undo unsaved schema changes: \(error)",
          cause: error
        )
    }
    for change in pending.all.reversed() { undoWrite(change) }
  }

  private func undoWrite(_ change: PendingChange) {
    let state = change.state
    switch change.kind {
    case .inserted: delete(state)
    case .deleted:
      // Recorded with the values at deletion, because undoing this step needs them.
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
    merging.seen = [:]
    problem = nil
    for change in changes {
      change.state.problems = [:]
      switch change.kind {
      case .inserted:
        change.state.isDeleted = true
        registry.forget(change.state)
      case .updated: change.state.replaceValues(change.original)
      case .deleted:
        change.state.replaceValues(change.original)
        change.state.isDeleted = false
      }
    }
  }
}
