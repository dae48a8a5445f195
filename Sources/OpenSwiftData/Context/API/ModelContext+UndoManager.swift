extension ModelContext {
  /// The undo manager that changes are registered with; nil for none.
  ///
  /// Changes are registered as one action when `processPendingChanges()` or `save()` is called, when the
  /// manager begins or ends a group, and when it is asked to undo. Without a manager no values are kept for
  /// undo. Setting another manager removes this context's actions from the previous one.
  public var undoManager: UndoManager? {
    get { surroundings.undoManager }
    set {
      guard surroundings.undoManager !== newValue else { return }
      surroundings.undoManager?.remove(self)
      surroundings.undoManager = newValue
      undoLog.removeAll()
      uniqueness.forgetFormerValues()
      undoLog.isEnabled = newValue != nil || !container.isTyped
      newValue?.add(self)
    }
  }

  /// The error of the undo manager's last undo or redo, which changed nothing; nil if it succeeded.
  ///
  /// For example, the old values of a record that was deleted elsewhere cannot be restored.
  public var undoFailure: (any Error)? { surroundings.undoFailure }

  /// Discards all undo steps, in this context and in the undo manager.
  func forgetUndo() {
    undoLog.removeAll()
    stores.readSets.forgetLinkedRecords()
    uniqueness.forgetFormerValues()
    undoManager?.removeAllActions(withTarget: self)
  }

  /// Applies the step to the records and registers its inverse.
  private func perform(_ step: UndoStep, registeringWith manager: UndoManager) {
    do {
      try undoReplay.replay(step)
      surroundings.undoFailure = nil
    } catch {
      surroundings.undoFailure = error
      return
    }
    register(step, with: manager)
  }

  func register(_ step: UndoStep, with manager: UndoManager) {
    manager.registerUndo(withTarget: self) { [weak manager] context in
      guard let manager else { return }
      context.perform(step.inverse, registeringWith: manager)
    }
  }
}

extension ModelContext: UndoParticipant {
  func registerPendingUndo(with manager: UndoManager) {
    guard !surroundings.isInTransaction, let step = undoLog.takeOpen() else { return }
    register(step, with: manager)
  }
}
