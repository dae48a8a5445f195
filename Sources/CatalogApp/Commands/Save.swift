import OpenSwiftData

/// `save`: writes the unsaved changes.
struct Save: Instruction {
  static let command = Command(
    "save",
    aliases: ["w", "write"],
    summary: "save all unsaved changes to the store",
    details: """
      Prints "saved: I inserted, U updated, D deleted", then "t1 -> ID" for each temporary identifier that
      "insert" or "duplicate" printed: at most 100 lines; "status --ids" lists them all. If only the schema
      changed, a line "schema: CHANGES" shows the changes. If the file keeps no schema, such as an array of
      objects, a note on standard error reports added entities and fields; use "saveas" with a new .json
      file to keep them.
      A save is complete or not made at all: when it fails, nothing was written and the changes are still
      there.
      """,
    changesData: true,
    canBeStopped: true,
    progress: "saving …"
  ) { arguments, _ in
    if let word = arguments.peek {
      let name = CommandText.quoted(word.text)
      throw CommandError(
        "unexpected \(Value.quoted(word.text)); to copy the store, use \"saveas \(name)\""
      )
    }
    return Save()
  }

  func perform(in session: Session) throws -> Outcome {
    switch session.saving {
    case .atOnce: break
    case .atEnd: return .done("saved at the end")
    case .never: return try session.rehearseSave()
    }
    // Saved records still exist in the earlier copy.
    let isElsewhere = session.recordsOnlyHere == nil
    let steps = session.context.unsavedSchemaSteps
    let (counts, remapped) = try session.locatingFailures {
      try session.context.saveCounting()
    }
    var report = SaveReport(
      inserted: counts.inserted,
      updated: counts.updated,
      deleted: counts.deleted,
      remapped: remapped
    )
    report.reported = session.remember(report.remapped)
    report.schemaChanges = steps.map(\.words)
    report.notes = session.schemaWarning(steps).map { [$0] } ?? []
    report.notes += session.maintainableStores.flatMap { $0.compactIfWorthwhile() }
    session.noteSaved(isElsewhere: isElsewhere)
    return .saved(report)
  }
}
