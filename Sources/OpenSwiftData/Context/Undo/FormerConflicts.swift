/// Conflicts before they were resolved, to restore them if the save fails.
package struct FormerConflicts {
  /// A change with the values of its record.
  typealias Change = (change: PendingChange, values: [Value])

  private(set) var changes: [Change] = []
  /// The records among them that are in conflict; the others belong to a deletion in conflict.
  private(set) var conflicts: Set<PersistentIdentifier> = []
  private var known: Set<PersistentIdentifier> = []
  /// As in `Merging`.
  let conflicting: Set<PersistentIdentifier>
  let gone: Set<PersistentIdentifier>
  let seen: [PersistentIdentifier: RecordConflict]
  let kept: [PersistentIdentifier: PersistentIdentifier]
  /// As in `UndoLog`.
  let undoable: [UndoStep]
  let redoable: [UndoStep]

  init(_ merging: Merging, _ undoLog: UndoLog) {
    (undoable, redoable) = (undoLog.undoable, undoLog.redoable)
    (conflicting, gone) = (merging.conflicting, merging.gone)
    (seen, kept) = (merging.seen, merging.kept)
  }

  /// Adds the change of a record as it is now, unless it is known.
  mutating func add(_ change: PendingChange, isConflict: Bool) {
    if isConflict { conflicts.insert(change.state.identifier) }
    guard known.insert(change.state.identifier).inserted else { return }
    changes.append((change, change.state.orderedValues))
  }
}
