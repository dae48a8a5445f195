extension UndoLog {
  /// Checks the invariants that the type states; traps where one does not hold.
  ///
  /// - Complexity: O(n) in the number of steps.
  func checkInvariants() {
    precondition(!undoable.contains { $0.changes.isEmpty }, "every step changes something")
    precondition(!redoable.contains { $0.changes.isEmpty }, "every step changes something")
    precondition(isEnabled || !(canUndo || canRedo), "nothing was recorded")
  }

  /// Checks in debug builds, as long as that takes no time.
  func checkInvariantsWhenSmall() {
    assert(
      {
        if undoable.count + redoable.count <= 16 { checkInvariants() }
        return true
      }()
    )
  }
}
