import OpenSwiftData

extension Command {
  /// `conflicts`: shows what was changed both here and elsewhere.
  static let conflicts = Command(
    "conflicts",
    summary: "list unsaved changes that conflict with changes saved by another program",
    details: """
      One line per field: record, field, original value, mine (unsaved), theirs (saved). A deleted
      record has a single line without a field. Use "resolve" to decide; "save" writes nothing until
      every conflict is resolved.
      """
  ) { arguments, session in
    try arguments.finish()
    try session.refresh()
    return .table(ConflictTable.table(of: try session.context.conflicts()))
  }
}

extension Session {
  /// Takes in what others saved by now.
  ///
  /// - Throws: What keeps the store from being read.
  func refresh() throws {
    try context.container.refresh()
    context.processPendingChanges()
  }
}

/// Conflicts as rows.
enum ConflictTable {
  static func table(of conflicts: [RecordConflict]) -> OutputTable {
    var rows: [[Value]] = []
    for conflict in conflicts {
      let head: [Value] = [
        .text(conflict.persistentIdentifier.description),
        .text(conflict.persistentIdentifier.entityName),
      ]
      switch conflict.kind {
      case .changed:
        for difference in conflict.differences {
          rows.append(
            head + [.text(difference.name), difference.base, difference.mine, difference.theirs]
          )
        }
      case .deletedElsewhere:
        rows.append(head + [.null, .null, .text("changed"), .text("deleted")])
      case .deletedHere:
        rows.append(head + [.null, .null, .text("deleted"), .text("changed")])
      }
    }
    return OutputTable(columns: ["id", "entity", "field", "was", "mine", "theirs"], rows: rows)
  }
}
