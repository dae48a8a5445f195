/// What was unsaved before the block of a transaction, so that a block that fails undoes only what it did.
///
/// The changes of the block are recorded as undo steps, which a failure undoes.
struct TransactionScope {
  private let context: ModelContext
  private let undoable: [UndoStep]
  private let redoable: [UndoStep]
  private let wasRecording: Bool
  private let wasInTransaction: Bool
  private let outerMark: UndoMark?
  private let saveCount: Int
  private let problem: PersistenceError?
  /// The records with values that cannot be stored.
  private let troubled: [(state: ModelState, problems: [Int: PersistenceError])]

  /// Begins to record.
  init(_ context: ModelContext) {
    self.context = context
    context.processPendingChanges()
    let (log, surroundings) = (context.undoLog, context.surroundings)
    (undoable, redoable, outerMark) = (log.undoable, log.redoable, log.mark)
    (wasRecording, wasInTransaction) = (log.isEnabled, surroundings.isInTransaction)
    saveCount = surroundings.saveCount
    problem = context.tracker.problem
    troubled = context.troubledStates.map { ($0, $0.problems) }
    log.isEnabled = true
    log.mark = UndoMark(log.undoable)
    surroundings.isInTransaction = true
  }

  /// Keeps what the block did.
  func finish() {
    context.closeUndoStep(named: "changes")
    let log = context.undoLog
    let keptCount = log.mark?.keptCount ?? 0
    context.surroundings.isInTransaction = wasInTransaction
    guard wasRecording else { return forgetSteps() }
    if let manager = context.undoManager, !wasInTransaction {
      for step in log.undoable.dropFirst(keptCount) { context.register(step, with: manager) }
      log.restoreSteps(undoable, redoable: [])
    }
    log.mark = outerMark
    log.mark?.noteUndo(leaving: keptCount)
  }

  /// Undoes what the block did and no save has written.
  ///
  /// Discards all unsaved changes if a save has written those from before the block, or if a record of the block can no
  /// longer be read.
  func abandon() {
    context.closeUndoStep(named: "changes")
    let added = newRecords
    do {
      guard context.surroundings.saveCount == saveCount else { throw NotSeparate() }
      if let mark = context.undoLog.mark { try context.returnTo(mark) }
    } catch {
      end()
      return context.rollback()
    }
    end()
    restoreProblems()
    for identifier in added {
      guard let state = context.registry[identifier], state.isDeleted, !state.isDirty else {
        continue
      }
      context.registry.forget(state)
    }
    context.surroundings.noteChange()
  }

  /// The changes of the block cannot be undone without others.
  private struct NotSeparate: Error {}

  private func end() {
    context.surroundings.isInTransaction = wasInTransaction
    guard wasRecording else { return forgetSteps() }
    context.undoLog.restoreSteps(undoable, redoable: redoable)
    context.undoLog.mark = outerMark
  }

  private func forgetSteps() {
    context.undoLog.removeAll()
    context.undoLog.isEnabled = false
    context.uniqueness.forgetFormerValues()
  }

  /// The records that the block inserted.
  private var newRecords: [PersistentIdentifier] {
    let log = context.undoLog
    return log.undoable.dropFirst(log.mark?.keptCount ?? 0).flatMap(\.changes).compactMap {
      guard case .insert(let snapshot) = $0, snapshot.persistentIdentifier.isTemporary else {
        return nil
      }
      return snapshot.persistentIdentifier
    }
  }

  private func restoreProblems() {
    context.tracker.forgetProblem()
    if let problem { context.tracker.report(problem) }
    for state in context.troubledStates {
      state.problems = troubled.first { $0.state === state }?.problems ?? [:]
      if state.problems.isEmpty, state.pendingKind == .updated {
        context.pending.rebase(state, on: state.original)
      }
    }
  }
}

extension ModelContext {
  /// Runs the block and saves; if either throws, undoes what the block did.
  ///
  /// What was unsaved before the block is saved with it; if that fails, it stays unsaved. Everything unsaved is
  /// discarded if the block itself has saved before it failed.
  public func transaction(block: () throws -> Void) throws {
    // Without anything to keep, nothing has to be recorded: all changes are those of the block.
    let scope = hasChanges || undoLog.isEnabled ? TransactionScope(self) : nil
    do {
      try block()
      try save()
    } catch {
      if let scope { scope.abandon() } else { rollback() }
      throw error
    }
    scope?.finish()
  }

  /// The changed records with values that cannot be stored.
  fileprivate var troubledStates: [ModelState] {
    container.isTyped ? pending.all.map(\.state).filter(\.hasProblems) : []
  }
}
