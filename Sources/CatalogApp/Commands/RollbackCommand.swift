import OpenSwiftData

extension Command {
  /// `rollback`: takes back what was not saved.
  static let rollback = Command(
    "rollback",
    summary: "take back all unsaved changes",
    details: "\"undo\" brings them back.",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    let count = session.context.pendingChanges.count
    session.context.discardChanges()
    return .done("took back \(Session.counted(count, "unsaved change"))")
  }
}
