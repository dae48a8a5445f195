import OpenSwiftData

extension Command {
  /// `save`: writes the unsaved changes.
  static let save = Command(
    "save",
    aliases: ["w", "write"],
    summary: "save all unsaved changes to the store",
    details: """
      Prints the number of saved changes, or the schema changes if nothing else changed, and the permanent
      identifier of each new record. A save writes all changes or none: if it fails, nothing is written
      and your changes are kept.
      """,
    changesData: true
  ) { arguments, session in
    if let word = arguments.peek {
      let name = CommandLine.quoted(word.text)
      throw CommandError(
        "unexpected \(Value.quoted(word.text)); to copy the store, use \"saveas \(name)\""
      )
    }
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
    session.remember(report.remapped)
    report.schemaChanges = steps.map(\.words)
    report.notes = session.schemaWarning(steps).map { [$0] } ?? []
    report.notes += session.maintainableStores.flatMap { $0.tidy() }
    return .saved(report)
  }
}
