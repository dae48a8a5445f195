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
    // Packed changes have no states, so nothing needs to be restored.
    pending.removePacked()
    let changes = pending.all
    pending.removeAll()
    forgetProblem()
    for change in changes { restoreStored(change.state, change.kind, change.original) }
  }

  /// Gives a record the values of the store; a new one leaves the context.
  private func restoreStored(
    _ state: ModelState,
    _ kind: PendingChange.Kind,
    _ original: @autoclosure () -> [Value]
  ) {
    state.problems = [:]
    switch kind {
    case .inserted:
      state.isDeleted = true
      registry.forget(state)
    case .updated: state.replaceValues(original())
    case .deleted:
      state.replaceValues(original())
      state.isDeleted = false
    }
  }

  /// Discards the changes of records in the undo step, without a way back, if they are separate from earlier ones.
  ///
  /// - Parameter isForgetting: True to forget the records as well, so that a change of the schema need not rearrange them.
  /// - Returns: False if some are not, or if models are involved, whose links to each other need more care.
  /// - Complexity: O(n) in the changes of the step.
  func discardStep(forgetting isForgetting: Bool) -> Bool {
    guard pending.isStepSeparate,
      !registry.hasModels(pending.entries[pending.stepStart...])
    else { return false }
    let states = pending.removeStep {
      restoreStored($0, $0.pendingKind, $0.original)
      if isForgetting { registry.forget($0) }
    }
    Leftovers.release((states: states, changes: undoLog.takeOpen()))
    surroundings.noteChange()
    return true
  }
}
