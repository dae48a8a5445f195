/// Discarding unsaved changes.
extension ModelContext {
  /// Discards all unsaved changes and all undo steps.
  ///
  /// Values and deleted models are restored; new models leave the context.
  public func rollback() {
    tracker.discardAll()
    forgetDecisions()
    merging.noteSeen([])
    schemaStaging.discardAll()
    forgetUndo()
    surroundings.inbox.forgetComplaint()
    stores.forgetLoss()
    stores.forgetChoices()
    surroundings.noteChange()
    merging.mergeChanges()
  }

  /// Forgets what was decided about unsaved changes, because none is left.
  func forgetDecisions() {
    pending.forgetConsequences()
    stores.forgetKeys()
    merging.forgetKept()
  }

  /// Discards all unsaved changes as one step that can be undone.
  ///
  /// - Complexity: O(n) in the number of changed records.
  public func discardChanges() {
    // Only a stop is thrown, before anything has changed.
    try? Interruption.ignored { try discardChangesUnlessStopped() }
  }

  /// Does the same; can be stopped while it reads the changes of many records, before it discards any.
  ///
  /// - Throws: `Interruption.Stopped`.
  package func discardChangesUnlessStopped() throws {
    processPendingChanges()
    try discardPacked()
    stores.forgetLoss()
    defer {
      stores.readSets.renew()
      closeUndoStep(named: "rollback")
    }
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
    for change in pending.all.reversed() where !conflictResolution.discardRestored(change) {
      tracker.discard(change)
    }
    undoLog.restoreOrder()
  }

  /// Discards the changes that are held as bytes, without making records of them.
  ///
  /// - Throws: `Interruption.Stopped`.
  private func discardPacked() throws {
    // Changes of the schema rearrange the records.
    guard pending.packedCount > 0, !stores.hasSchemaChanges, merging.conflicting.isEmpty else {
      return
    }
    var changes = UndoChanges()
    let counter = WorkCounter("discarding", of: pending.packedCount)
    for block in pending.blocks.reversed() where block.count > 0 {
      if undoLog.isEnabled { changes.appendDiscarding(block) }
      try counter.add(block.count)
    }
    pending.removePacked()
    undoLog.record(changes)
    surroundings.noteChange()
  }
}
