import OpenSwiftData

/// `save`: writes the unsaved changes.
struct Save: Instruction {
  static let command = Command(
    "save",
    aliases: ["w", "write"],
    summary: "save all unsaved changes to the store",
    details: """
      Prints what was saved, and the identifiers that replaced the temporary ones that "insert" and
      "duplicate" printed: at most 100 of them; "status --ids" lists them all. Changes of the schema are
      printed where nothing else was saved.
      A save is complete or not made at all: when it fails, nothing was written and the changes are still
      there.
      """,
    changesData: true,
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
    let steps = session.context.unsavedSchemaSteps
    let (changes, remapped) = try session.locatingFailures {
      try session.context.saveReporting()
    }
    var report = SaveReport(
      inserted: changes.inserted.count,
      updated: changes.updated.count,
      deleted: changes.deleted.count,
      remapped: remapped.map { .init(temporary: $0.temporary, permanent: $0.permanent) }
    )
    report.reported = session.remember(report.remapped)
    report.schemaChanges = steps.map(\.words)
    report.notes = session.schemaWarning(steps).map { [$0] } ?? []
    report.notes += session.maintainableStores.flatMap { $0.tidy() }
    return .saved(report)
  }
}
