/// Taking back what is unsaved.
extension ModelContext {
  /// Takes back every unsaved change and forgets all undo steps.
  ///
  /// Values are restored, new models leave the context, deleted ones come back.
  public func rollback() {
    discardPendingChanges()
    forgetSchemaChanges()
    forgetUndo()
    _ = surroundings.mailbox.takeComplaint()
    noteChange()
    mergePendingExternalChanges()
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
    merging.seen = [:]
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
}
