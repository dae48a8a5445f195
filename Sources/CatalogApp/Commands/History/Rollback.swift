import OpenSwiftData

/// `rollback`: discards all unsaved changes.
struct Rollback: Instruction {
  static let command = Command(
    "rollback",
    summary: "discard all unsaved changes",
    details: """
      "undo" restores them. With --atomic and --dry-run, the changes before the last "save" count as saved: they stay.
      """,
    changesData: true
  ) { _, _ in Rollback() }

  func perform(in session: Session) throws -> Outcome {
    if session.holdsBackSaves {
      let count = try session.context.discardChangesSinceMark()
      return .done("discarded \(counted(count, "unsaved change")) since the last \"save\"")
    }
    let (inserted, updated, deleted) = session.context.pendingCounts
    let count = inserted + updated + deleted + session.store.unsavedSchemaChanges.count
    try session.context.discardChangesUnlessStopped()
    session.script.rehearsed = nil
    return .done("discarded \(counted(count, "unsaved change"))")
  }
}
