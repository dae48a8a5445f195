extension ModelContext {
  /// Where changes are registered so that they can be taken back; nil for nowhere.
  ///
  /// What was changed is registered as one action when `processPendingChanges()` or `save()` is called,
  /// when the manager begins or ends a group, and when it is asked to undo. Without a manager no values
  /// are kept for undo. Setting another manager removes this context's actions from the former one.
  public var undoManager: UndoManager? {
    get { surroundings.undoManager }
    set {
      guard surroundings.undoManager !== newValue else { return }
      surroundings.undoManager?.remove(self)
      surroundings.undoManager = newValue
      undoLog.removeAll()
      undoLog.isEnabled = newValue != nil || !container.isTyped
      newValue?.add(self)
    }
  }

  /// Why the last undo or redo of the undo manager changed nothing; nil when it worked.
  ///
  /// A record that was deleted elsewhere cannot get back the values it had.
  public var undoFailure: (any Error)? { surroundings.undoFailure }

  /// Forgets all steps, wherever they are kept.
  func forgetUndo() {
    undoLog.removeAll()
    undoManager?.removeAllActions(withTarget: self)
  }

  /// Does to the records what the step says, and registers how to take it back.
  private func perform(_ step: UndoStep, registeringWith manager: UndoManager) {
    do {
      try replay(step)
      surroundings.undoFailure = nil
    } catch {
      surroundings.undoFailure = error
      return
    }
    register(step, with: manager)
  }

  private func register(_ step: UndoStep, with manager: UndoManager) {
    manager.registerUndo(withTarget: self) { [weak manager] context in
      guard let manager else { return }
      context.perform(step.inverse, registeringWith: manager)
    }
  }
}

extension ModelContext: UndoParticipant {
  func registerPendingUndo(with manager: UndoManager) {
    guard let step = undoLog.takeOpen() else { return }
    register(step, with: manager)
  }
}
