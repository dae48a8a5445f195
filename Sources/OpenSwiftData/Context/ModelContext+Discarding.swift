/// Discarding unsaved changes.
extension ModelContext {
  /// Discards all unsaved changes and all undo steps.
  ///
  /// Values and deleted models are restored; new models leave the context.
  public func rollback() {
    tracker.discardAll()
    merging.noteSeen([])
    schemaStaging.discardAll()
    forgetUndo()
    _ = surroundings.inbox.takeComplaint()
    stores.forgetLoss()
    surroundings.noteChange()
    merging.mergeChanges()
  }

  /// Discards all unsaved changes as one step that can be undone.
  public func discardChanges() {
    processPendingChanges()
    stores.forgetLoss()
    defer { closeUndoStep(named: "rollback") }
    do {
      try schemaStaging.undoAll()
    } catch {
      tracker.report(
        error as? PersistenceError
          ?? PersistenceError(
            .inaccessible,
            "cannot undo unsaved schema changes: \(error)",
            cause: error
          )
      )
    }
    for change in pending.all.reversed() { tracker.discard(change) }
    undoLog.restoreOrder()
  }
}
