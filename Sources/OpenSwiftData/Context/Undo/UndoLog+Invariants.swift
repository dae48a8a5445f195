extension UndoLog {
  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n) in the number of steps.
  func checkInvariants() {
    precondition(!undoable.contains { $0.changes.isEmpty }, "every step changes something")
    precondition(!redoable.contains { $0.changes.isEmpty }, "every step changes something")
    precondition(isEnabled || !(canUndo || canRedo), "nothing was recorded")
  }

  /// Checks the invariants in debug builds if there are few enough entries for the check to be fast.
  func checkInvariantsWhenSmall() {
    assert(
      {
        if undoable.count + redoable.count <= 16 { checkInvariants() }
        return true
      }()
    )
  }
}
