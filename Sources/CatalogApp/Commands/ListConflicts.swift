import OpenSwiftData

/// `conflicts`: shows the values changed both here and by another program.
struct ListConflicts: Instruction {
  static let command = Command(
    "conflicts",
    summary: "list unsaved changes that conflict with changes saved by another program",
    details: """
      One line per field: record, field, original value, mine (unsaved), theirs (saved). A deleted record
      has a single line without a field. Use "resolve" to decide; "save" writes nothing until every
      conflict is resolved.
      """
  ) { arguments, _ in
    try arguments.finish()
    return ListConflicts()
  }

  func perform(in session: Session) throws -> Outcome {
    try session.refresh()
    return .table(ConflictTable.table(of: try session.context.conflicts()))
  }
}

extension Session {
  /// Merges the saves of other programs.
  ///
  /// - Throws: The error of a store that cannot be read.
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
