/// Undo and redo.
extension ModelContext {
  /// True when there is a step to undo.
  public var canUndo: Bool { undoLog.canUndo }
  /// The number of steps that can be undone.
  package var undoableStepCount: Int { undoLog.undoable.count }
  /// True when there is a step to redo.
  public var canRedo: Bool { undoLog.canRedo }

  /// Ends the undo step with all changes since the last one; does nothing if nothing changed.
  public func closeUndoStep(named name: String) { closeUndoStep(named: .text(name)) }

  /// Does the same with a name that may be made later.
  package func closeUndoStep(named name: UndoStep.Name) {
    stores.readLinkedRecords()
    guard undoLog.isRecording else { return }
    undoLog.close(named: name)
    pending.endStep(number: undoLog.undoable.count)
  }

  /// Ends the current undo step, so the changes so far can be undone separately from later ones.
  ///
  /// Merges the changes of other contexts as well.
  public func processPendingChanges() {
    if let undoManager, !surroundings.isInTransaction {
      registerPendingUndo(with: undoManager)
    } else {
      closeUndoStep(named: "changes")
    }
    merging.mergeChanges()
  }

  /// Undoes the last step, saved or not; the result is an unsaved change like any other.
  ///
  /// - Returns: The step; nil if there was none.
  /// - Throws: The store's error when a record of the step must be reloaded; nothing has changed then.
  @discardableResult
  public func undo() throws -> UndoStep? { try undo(skippingMissing: false) }

  /// Redoes the step that was undone last.
  ///
  /// - Returns: The step; nil if there was none.
  /// - Throws: As `undo()`.
  @discardableResult
  public func redo() throws -> UndoStep? { try redo(skippingMissing: false) }

  /// Undoes the last step without the changes of records that no longer exist; the step names these records.
  ///
  /// A step without any other changes is empty, and cannot be redone.
  ///
  /// - Throws: As `undo()`.
  package func undoPresent() throws -> UndoStep? { try undo(skippingMissing: true) }

  /// Redoes the step that was undone last, in the same way.
  ///
  /// - Throws: As `undo()`.
  package func redoPresent() throws -> UndoStep? { try redo(skippingMissing: true) }

  private func undo(skippingMissing: Bool) throws -> UndoStep? {
    if hasWidenedTypes { try widenTypes(toApply: undoLog.undoable.last, isInverse: true) }
    return try undoReplay.undo(skippingMissing: skippingMissing)
  }

  private func redo(skippingMissing: Bool) throws -> UndoStep? {
    if hasWidenedTypes { try widenTypes(toApply: undoLog.redoable.last, isInverse: false) }
    return try undoReplay.redo(skippingMissing: skippingMissing)
  }

  /// The current identifier of the record.
  public func resolve(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    identifier.isTemporary ? remapping[identifier] ?? identifier : identifier
  }

  /// Prepares for the changes of one undo step, so that it can be abandoned quickly.
  package func beginUndoStep() {
    guard !undoLog.isRecording else { return }
    pending.beginStep(after: undoLog.undoable.count)
  }

  /// Undoes the changes since the last undo step ended; they cannot be redone, but earlier steps still can.
  ///
  /// - Throws: The store's error when a record must be reloaded; the changes then stay as a step.
  public func abandonUndoStep() throws {
    guard undoLog.isRecording else { return }
    defer { stores.readSets.renew() }
    if undoManager == nil, merging.conflicting.isEmpty, let edits = undoLog.open.editsWithoutLoss,
      tracker.discardStep(forgetting: !edits.isEmpty)
    {
      undoLog.isReplaying = true
      defer { undoLog.isReplaying = false }
      for edit in edits.reversed() { try schemaStaging.perform(edit, isInverse: true) }
      return
    }
    let redoable = undoLog.redoable
    undoLog.close(named: "changes")
    try undo()
    undoLog.restoreRedo(redoable)
  }

  /// Restores a deleted record with its identifier, as an undoable change.
  package func insertAgain(
    _ identifier: PersistentIdentifier,
    _ values: [Value],
    in entity: Schema.Entity
  ) {
    tracker.insertAgain(identifier, values, in: entity)
  }
}
