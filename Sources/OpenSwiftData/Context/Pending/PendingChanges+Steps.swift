/// Discarding an undo step whose changes are separate from earlier ones.
extension PendingChanges {
  /// Removes the changes since the step began, and calls the body with each state, which still has its change.
  ///
  /// - Returns: The removed entries.
  /// - Complexity: O(n) in the changes of the step.
  func removeStep(_ body: (ModelState) -> Void) -> ArraySlice<ModelState?> {
    let step = entries[stepStart...]
    forgetIndex(of: step)
    truncate(to: stepStart)
    removePacked(after: stepBlock)
    for state in step {
      guard let state else { continue }
      count(state.pendingKind, by: -1)
      body(state)
      state.endChange()
    }
    // The changes of the step may have outnumbered the empty entries before them.
    compactIfSparse()
    checkInvariantsWhenSmall()
    return step
  }
}
