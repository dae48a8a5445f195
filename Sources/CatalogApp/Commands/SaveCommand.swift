import OpenSwiftData

extension Command {
  /// `save`: writes the unsaved changes.
  static let save = Command(
    "save",
    aliases: ["w", "write"],
    summary: "write all unsaved changes to the store",
    details: """
      Prints what was saved, changes of the schema where nothing else was, and for each new record the identifier that replaced its temporary one.
      A save is whole or absent: when it fails, nothing was written and the changes are still there.
      """,
    changesData: true
  ) { arguments, session in
    if let word = arguments.peek {
      let name = CommandLine.quoted(word.text)
      throw CommandError(
        "\(Value.quoted(word.text)) is one word too many; to copy the store, use \"saveas \(name)\""
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
