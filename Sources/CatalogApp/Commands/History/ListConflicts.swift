import OpenSwiftData

/// `conflicts`: shows the values changed both here and by another program.
struct ListConflicts: Instruction {
  static let command = Command(
    "conflicts",
    summary: "list unsaved changes that conflict with changes saved by another program",
    details: """
      One line per field: record, field, original value, mine (unsaved), theirs (saved). A deleted record
      has a single line without a field. If it is not certain which record yours is now, as in a file
      without identifiers, that line says why, and further lines compare it with the most likely one. Use
      "resolve" to decide; "save" writes nothing until every conflict is resolved.
      """
  ) { _, _ in ListConflicts() }

  func perform(in session: Session) throws -> Outcome {
    try session.context.refresh()
    return .table(ConflictTable.table(of: try session.context.conflicts()))
  }
}

extension ModelContext {
  /// Merges the saves of other programs.
  ///
  /// - Throws: The error of a store that cannot be read.
  func refresh() throws {
    try container.refresh()
    processPendingChanges()
  }
}

extension RecordConflict {
  /// True if values are to be decided; false if it is which record it is, or whether it exists.
  var isAboutValues: Bool { kind == .changed && doubt == nil }

  /// What happened to the record as a whole on each side, in a few words.
  var words: (mine: String, theirs: String) {
    let others = doubt.map { doubt in
      doubt.reason + (doubt.candidate.map { "; see record \($0)" } ?? "")
    }
    switch kind {
    case .changed: return ("changed", others ?? "changed")
    case .deletedElsewhere: return ("changed", others ?? "deleted")
    case .deletedHere: return ("deleted", others ?? "changed")
    case .addedElsewhere:
      return (persistentIdentifier.isTemporary ? "added" : "changed", others ?? "added")
    }
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
      if !conflict.isAboutValues {
        let (mine, theirs) = conflict.words
        rows.append(head + [.null, .null, .text(mine), .text(theirs)])
        if conflict.doubt == nil { continue }
      }
      for difference in conflict.differences {
        rows.append(
          head + [.text(difference.name), difference.base, difference.mine, difference.theirs]
        )
      }
    }
    return OutputTable(columns: ["id", "entity", "field", "was", "mine", "theirs"], rows: rows)
  }
}
