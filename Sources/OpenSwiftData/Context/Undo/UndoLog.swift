/// One undoable step: the changes of one action of the user, with its name.
public struct UndoStep: Sendable {
  /// Values have the layout of the entity at the time the step was recorded.
  enum Change: Sendable {
    case insert(DefaultSnapshot)
    case delete(DefaultSnapshot)
    case update(PersistentIdentifier, SnapshotLayout, slot: Int, old: Value, new: Value)
    /// A change of the schema or its undo.
    case schema(SchemaEdit, isInverse: Bool)

    /// The record that changed; nil for the schema.
    var identifier: PersistentIdentifier? {
      switch self {
      case .insert(let snapshot), .delete(let snapshot): snapshot.persistentIdentifier
      case .update(let identifier, _, _, _, _): identifier
      case .schema: nil
      }
    }
  }

  /// The name of a step, or how to make it.
  package enum Name: Sendable {
    case text(String)
    /// Made each time it is needed, which is never for most steps of a script.
    case made(@Sendable () -> String)

    /// The name.
    package var text: String {
      switch self {
      case .text(let text): text
      case .made(let make): make()
      }
    }
  }

  /// The name of the action, such as `set title`.
  public var name: String { kept.text }
  private let kept: Name
  var changes: UndoChanges
  /// What the database changed at the save of the step and an undo does not restore, in words; nil if nothing.
  public internal(set) var unrestored: String?
  /// The records that no longer exist, whose changes an undo or a redo has left out.
  package internal(set) var missing: [PersistentIdentifier] = []
  /// Why it is not certain what became of the first of them; nil if it is gone.
  package internal(set) var doubt: RecordDoubt?
  /// The records whose entities no longer exist, and which an undo or a redo has therefore not inserted again.
  package internal(set) var unplaced: [PersistentIdentifier] = []
  /// True if some of its changes were left out.
  var isPartial: Bool { !missing.isEmpty || !unplaced.isEmpty }
  /// True if it changes nothing, because none of its records exists any more, or none has an entity.
  package var isEmpty: Bool { changes.isEmpty }

  /// The identifiers of the records that the step changes, as of its recording, without duplicates.
  ///
  /// - Complexity: O(n) in the number of changes.
  public var identifiers: [PersistentIdentifier] {
    var seen: Set<PersistentIdentifier> = []
    return changes.compactMap(\.identifier).filter { seen.insert($0).inserted }
  }

  var inverse: UndoStep {
    UndoStep(name: kept, changes: changes.inverse, unrestored: unrestored)
  }

  /// The step without the changes of records whose entities no longer exist.
  func leavingOut(_ unplaced: [PersistentIdentifier]) -> UndoStep {
    guard !unplaced.isEmpty else { return self }
    let names = Set(unplaced)
    var rest = with(
      UndoChanges(changes.lazy.filter { $0.identifier.map { !names.contains($0) } ?? true })
    )
    rest.unplaced = unplaced
    return rest
  }

  /// The same changes of records that have other identifiers now.
  func with(_ changes: UndoChanges) -> UndoStep {
    var step = self
    step.changes = changes
    return step
  }

  init(name: Name, changes: UndoChanges, unrestored: String? = nil) {
    kept = name
    self.changes = changes
    self.unrestored = unrestored
  }

  init(name: String, changes: UndoChanges) { self.init(name: .text(name), changes: changes) }
}

/// The steps that can be undone and redone, without limit.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. Every step changes something.
/// 2. If recording is disabled, there is nothing to undo or redo.
final class UndoLog {
  private(set) var undoable: [UndoStep] = []
  private(set) var redoable: [UndoStep] = []
  private(set) var open = UndoChanges()
  /// True while a step is being undone or redone, which is not recorded again.
  var isReplaying = false
  /// False when nothing is recorded.
  var isEnabled: Bool
  /// The token from which on the saves of the history were made during the life of this log, or have been undone; nil if
  /// none were.
  private(set) var earlierSavesEnd: Int64?

  /// The moment to which changes can be discarded; nil if there is none.
  var mark: UndoMark?

  init(isEnabled: Bool) { self.isEnabled = isEnabled }

  /// Restores the order of records that were discarded in reverse order since the last step.
  func restoreOrder() { open.reverseRuns() }

  var canUndo: Bool { !undoable.isEmpty || !open.isEmpty }
  var canRedo: Bool { !redoable.isEmpty && open.isEmpty }

  func record(_ change: UndoStep.Change) {
    if isEnabled, !isReplaying { open.append(change) }
  }

  /// Records new records that are columns.
  func record(_ records: NewRecords) {
    if isEnabled, !isReplaying { open.append(records) }
  }

  /// Records changes that were made together.
  func record(_ changes: UndoChanges) {
    if isEnabled, !isReplaying { open.append(changes) }
  }

  /// Ends the step that is being recorded; does nothing if nothing changed.
  func close(named name: String) { close(named: .text(name)) }

  /// Does the same with a name that may be made later.
  func close(named name: UndoStep.Name) {
    guard !open.isEmpty else { return }
    undoable.append(UndoStep(name: name, changes: open))
    open = UndoChanges()
    redoable = []
    checkInvariantsWhenSmall()
  }

  /// Ends the step that is being recorded and returns it without keeping it; nil if nothing changed.
  func takeOpen() -> UndoStep? {
    guard !open.isEmpty else { return nil }
    defer { open = UndoChanges() }
    return UndoStep(name: "", changes: open)
  }

  func takeUndo() -> UndoStep? {
    close(named: "changes")
    guard let step = undoable.popLast() else { return nil }
    mark?.noteUndo(leaving: undoable.count)
    redoable.append(step)
    checkInvariantsWhenSmall()
    return step
  }

  func takeRedo() -> UndoStep? {
    guard open.isEmpty, let step = redoable.popLast() else { return nil }
    undoable.append(step)
    checkInvariantsWhenSmall()
    return step
  }

  /// Replaces the step that was undone last by what could be undone of it; removes one without changes.
  func replaceUndone(with step: UndoStep) { Self.replaceLast(of: &redoable, with: step) }

  /// Replaces the step that was redone last by what could be redone of it; removes one without changes.
  func replaceRedone(with step: UndoStep) { Self.replaceLast(of: &undoable, with: step) }

  private static func replaceLast(of steps: inout [UndoStep], with step: UndoStep) {
    steps.removeLast()
    guard !step.changes.isEmpty else { return }
    steps.append(step)
    (steps[steps.count - 1].missing, steps[steps.count - 1].unplaced) = ([], [])
  }

  /// True when something was changed since the last step ended.
  var isRecording: Bool { !open.isEmpty }

  /// Makes steps available to redo that were available before a step was abandoned.
  func restoreRedo(_ steps: [UndoStep]) { redoable = steps }

  /// Makes a step the one that is redone next.
  func pushRedo(_ step: UndoStep) { redoable.append(step) }

  /// Records that this save and later ones, by whomever, are not earlier saves.
  func noteSave(_ token: Int64?) { earlierSavesEnd = earlierSavesEnd ?? token }

  /// Calls the body with each step, the last one first, then with those that were undone, the last one first; removes
  /// the steps that it leaves without changes.
  func forEachStep(_ body: (inout UndoStep, _ isUndone: Bool) -> Void) {
    for place in undoable.indices.reversed() {
      body(&undoable[place], false)
      removeIfEmpty(at: place)
    }
    for place in redoable.indices.reversed() {
      body(&redoable[place], true)
      if redoable[place].isEmpty { redoable.remove(at: place) }
    }
    checkInvariantsWhenSmall()
  }

  private func removeIfEmpty(at place: Int) {
    guard undoable[place].isEmpty else { return }
    undoable.remove(at: place)
    mark?.noteRemoval(at: place)
  }

  /// Notes what an undo of the last step cannot restore.
  func noteUnrestorable(_ words: String) {
    guard let place = undoable.indices.last else { return }
    undoable[place].unrestored = words
  }

  /// Adds a save of the history as the step that is undone next; what can be redone stays.
  ///
  /// - Precondition: There is nothing to undo.
  func adopt(_ step: UndoStep, savedAs token: Int64) {
    precondition(!canUndo, "earlier saves come last")
    guard !step.changes.isEmpty else { return }
    undoable = [step]
    mark?.adopt(step)
    earlierSavesEnd = token
    checkInvariantsWhenSmall()
  }

  /// Removes the adopted step, which could not be undone, so that it can be adopted again.
  func rejectAdopted(_ end: Int64?) {
    undoable = []
    earlierSavesEnd = end
  }

  /// Restores the steps of an earlier moment, and discards what is being recorded.
  func restoreSteps(_ undoable: [UndoStep], redoable: [UndoStep]) {
    (self.undoable, self.redoable, open) = (undoable, redoable, UndoChanges())
    checkInvariantsWhenSmall()
  }

  /// Puts the deletion of each record before the insertion of the one that has replaced it, so that an undo reverses
  /// the insertion first.
  ///
  /// - Complexity: O(n) in the changes of the steps back to those of the records.
  func orderReplacements(of replaced: Set<PersistentIdentifier>, _ map: IdentifierMap) {
    func inserted(_ change: UndoStep.Change) -> PersistentIdentifier? {
      guard case .insert(let snapshot) = change else { return nil }
      return map[snapshot.persistentIdentifier].flatMap { replaced.contains($0) ? $0 : nil }
    }
    var deletions: [PersistentIdentifier: (step: Int, change: UndoStep.Change)] = [:]
    var insertions: [PersistentIdentifier: Int] = [:]
    for step in undoable.indices.reversed()
    where min(deletions.count, insertions.count) < replaced.count {
      for change in undoable[step].changes {
        if case .delete(let snapshot) = change {
          let identifier = snapshot.persistentIdentifier
          guard replaced.contains(identifier), deletions[identifier] == nil else { continue }
          deletions[identifier] = (step, change)
        } else if let identifier = inserted(change), insertions[identifier] == nil {
          insertions[identifier] = step
        }
      }
    }
    let moved = deletions.filter { entry in
      insertions[entry.key].map { $0 <= entry.value.step } ?? false
    }
    let steps = Set(moved.flatMap { [$0.value.step, insertions[$0.key] ?? $0.value.step] })
    for step in steps.sorted(by: >) {
      undoable[step].changes = UndoChanges(
        undoable[step].changes.flatMap { change -> [UndoStep.Change] in
          if case .delete(let snapshot) = change,
            moved[snapshot.persistentIdentifier]?.step == step
          {
            return []
          }
          guard let identifier = inserted(change), insertions[identifier] == step,
            let deletion = moved[identifier]?.change
          else { return [change] }
          return [deletion, change]
        }
      )
      removeIfEmpty(at: step)
    }
    checkInvariantsWhenSmall()
  }

  func removeAll() {
    (undoable, redoable, open) = ([], [], UndoChanges())
    mark = nil
  }
}
