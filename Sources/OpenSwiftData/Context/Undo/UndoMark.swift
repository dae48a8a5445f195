/// A moment in an undo log to which the changes can return, even if steps from before it have been undone since.
struct UndoMark {
  /// The steps that could be undone then.
  private(set) var steps: [UndoStep]
  /// The number of them, from the first one on, that have not been undone since.
  private(set) var keptCount: Int

  init(_ steps: [UndoStep]) {
    self.steps = steps
    keptCount = steps.count
  }

  mutating func noteUndo(leaving count: Int) { keptCount = min(keptCount, count) }

  /// Forgets a step that changes nothing any more.
  mutating func noteRemoval(at place: Int) {
    guard place < keptCount else { return }
    steps.remove(at: place)
    keptCount -= 1
  }

  /// Puts a save from before the log before all other steps.
  mutating func adopt(_ step: UndoStep) {
    steps.insert(step, at: 0)
    keptCount += 1
  }
}

/// Returning to a marked moment.
extension ModelContext {
  /// True if `markChanges()` was called.
  package var hasMark: Bool { undoLog.mark != nil }

  /// Makes the unsaved changes as they are now those to which `discardChangesSinceMark()` returns.
  package func markChanges() {
    processPendingChanges()
    undoLog.mark = UndoMark(undoLog.undoable)
  }

  /// Discards the changes since `markChanges()`, and restores those that were undone since, as one step that can be
  /// undone.
  ///
  /// Does nothing without a mark.
  ///
  /// - Returns: The number of records and parts of the schema that changed.
  /// - Throws: The store's error when a record must be reloaded; some steps may be undone then, and can be redone.
  package func discardChangesSinceMark() throws -> Int {
    processPendingChanges()
    guard let mark = undoLog.mark else { return 0 }
    let former = undoLog.undoable
    let undone = mark.steps[mark.keptCount...]
    var changes = UndoChanges()
    for step in former[mark.keptCount...].reversed() { changes.append(step.changes.inverse) }
    for step in undone { changes.append(step.changes) }
    guard !changes.isEmpty else { return 0 }
    try returnTo(mark)
    let step = UndoStep(name: "rollback", changes: changes)
    undoLog.restoreSteps(former + [step], redoable: [])
    pending.forgetLastStep(after: undoLog.undoable.count)
    undoLog.mark = UndoMark(undoLog.undoable)
    return step.identifiers.count + step.changes.count { $0.identifier == nil }
  }

  /// Undoes the steps since the mark, and redoes those that were undone since.
  ///
  /// - Throws: As `discardChangesSinceMark()`.
  func returnTo(_ mark: UndoMark) throws {
    try Interruption.ignored {
      while undoLog.undoable.count > mark.keptCount { _ = try undoPresent() }
      for step in mark.steps[mark.keptCount...] {
        undoLog.pushRedo(step)
        _ = try redoPresent()
      }
    }
  }
}
