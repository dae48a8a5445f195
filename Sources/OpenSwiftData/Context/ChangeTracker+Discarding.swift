/// Discarding unsaved changes of records, with and without a way back.
extension ChangeTracker {
  /// Discards one change; the result can be undone.
  func discard(_ change: PendingChange) {
    let state = change.state
    switch change.kind {
    case .inserted: delete(state)
    case .deleted:
      // Recorded with the values at deletion, because undoing this step needs them.
      undoLog.record(.insert(state.snapshot))
      restore(state.identifier, entity: state.entity, state.orderedValues)
      setValues(change.original, of: state)
    case .updated: setValues(change.original, of: state)
    }
  }

  private func setValues(_ values: [Value], of state: ModelState) {
    for (slot, value) in values.enumerated() where state.orderedValues[slot] != value {
      setValue(value, at: slot, of: state)
    }
  }

  /// Discards all changes and the error that the next save would throw; the result cannot be undone.
  func discardAll() {
    let changes = pending.all
    pending.removeAll()
    forgetProblem()
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
