import OpenSwiftData

extension Command {
  /// `rollback`: takes back what was not saved.
  static let rollback = Command(
    "rollback",
    summary: "discard all unsaved changes",
    details: "\"undo\" restores them.",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    let count = session.context.pendingChanges.count
    session.context.discardChanges()
    return .done("discarded \(Session.counted(count, "unsaved change"))")
  }
}
