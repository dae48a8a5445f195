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

    /// True if both insert a record, or both delete one; such neighbors do not depend on each other.
    func isInterchangeable(with other: Change) -> Bool {
      switch (self, other) {
      case (.insert, .insert), (.delete, .delete): true
      default: false
      }
    }

    var inverse: Change {
      switch self {
      case .insert(let snapshot): .delete(snapshot)
      case .delete(let snapshot): .insert(snapshot)
      case .update(let identifier, let layout, let slot, let old, let new):
        .update(identifier, layout, slot: slot, old: new, new: old)
      case .schema(let edit, let isInverse): .schema(edit, isInverse: !isInverse)
      }
    }
  }

  /// The name of the action, such as `set title`.
  public let name: String
  var changes: [Change]

  /// The identifiers of the records that the step changes, as of its recording, without duplicates.
  ///
  /// - Complexity: O(n) in the number of changes.
  public var identifiers: [PersistentIdentifier] {
    var seen: Set<PersistentIdentifier> = []
    return changes.compactMap(\.identifier).filter { seen.insert($0).inserted }
  }

  var inverse: UndoStep {
    // Records that were deleted one after the other come back in their order, and new ones go in theirs.
    UndoStep(name: name, changes: Self.reversingRuns(changes.reversed().map(\.inverse)))
  }

  /// The changes with each run of interchangeable ones in reverse order.
  static func reversingRuns(_ changes: [Change]) -> [Change] {
    var changes = changes
    var start = 0
    while start < changes.count {
      let end =
        changes[(start + 1)...].firstIndex { !$0.isInterchangeable(with: changes[start]) }
        ?? changes.count
      changes[start..<end].reverse()
      start = end
    }
    return changes
  }
}

/// The steps that can be undone and redone, without limit.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. Every step changes something.
/// 2. If recording is disabled, there is nothing to undo or redo.
final class UndoLog {
  private(set) var undoable: [UndoStep] = []
  private(set) var redoable: [UndoStep] = []
  private(set) var open: [UndoStep.Change] = []
  /// True while a step is being undone or redone, which is not recorded again.
  var isReplaying = false
  /// False when nothing is recorded.
  var isEnabled: Bool

  init(isEnabled: Bool) { self.isEnabled = isEnabled }

  /// Restores the order of records that were discarded in reverse order since the last step.
  func restoreOrder() { open = UndoStep.reversingRuns(open) }

  var canUndo: Bool { !undoable.isEmpty || !open.isEmpty }
  var canRedo: Bool { !redoable.isEmpty && open.isEmpty }

  func record(_ change: UndoStep.Change) {
    if isEnabled, !isReplaying { open.append(change) }
  }

  /// Ends the step that is being recorded; does nothing if nothing changed.
  func close(named name: String) {
    guard !open.isEmpty else { return }
    undoable.append(UndoStep(name: name, changes: open))
    open = []
    redoable = []
    checkInvariantsWhenSmall()
  }

  /// Ends the step that is being recorded and returns it without keeping it; nil if nothing changed.
  func takeOpen() -> UndoStep? {
    guard !open.isEmpty else { return nil }
    defer { open = [] }
    return UndoStep(name: "", changes: open)
  }

  func takeUndo() -> UndoStep? {
    close(named: "changes")
    guard let step = undoable.popLast() else { return nil }
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

  /// True when something was changed since the last step ended.
  var isRecording: Bool { !open.isEmpty }

  func forgetRedo() {
    redoable = []
  }

  func removeAll() {
    (undoable, redoable, open) = ([], [], [])
  }
}
