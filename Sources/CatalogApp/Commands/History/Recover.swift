import OpenSwiftData

/// `recover`: restores the unsaved changes of a crashed run.
struct Recover: Instruction {
  /// True to discard them instead.
  var isDiscarding = false

  static let command = Command(
    "recover",
    usage: "[discard]",
    summary: "recover unsaved changes after a crash",
    details: """
      They become unsaved changes again; one "undo" reverts them all. Changes that no longer apply, because
      the store has changed since, are listed and skipped; a copy of the recovery file is then kept under
      another name. If nothing applies, the file stays where it is. What a save wrote before the program
      ended is skipped; if the store cannot tell, a warning says so. "recover discard" discards the changes;
      the file is kept with the ending .discarded until the next discard.
      """,
    changesData: true,
    progress: "recovering …"
  ) { arguments, _ in Recover(isDiscarding: arguments.take("discard")) }

  func perform(in session: Session) throws -> Outcome {
    isDiscarding ? try discardFoundEdits(session.store) : try recoverEdits(session)
  }

  private func foundEdits(_ store: CurrentStore) throws -> Recovery {
    guard let recovery = store.recovery, !recovery.found.isEmpty else {
      throw CommandError("nothing to recover")
    }
    guard !recovery.hasRecovered else {
      throw CommandError("already recovered; run \"save\" to write the changes")
    }
    return recovery
  }

  private func discardFoundEdits(_ store: CurrentStore) throws -> Outcome {
    let paths = try foundEdits(store).discardFound()
    return .done(
      "discarded; a copy is kept as \(paths.joined(separator: " and ")) until the next discard"
    )
  }

  private func recoverEdits(_ session: Session) throws -> Outcome {
    if let recovery = session.store.recovery, recovery.found.isEmpty, let note = recovery.savedNote
    {
      return .lines(["nothing to recover: \(note)"])
    }
    let recovery = try foundEdits(session.store)
    guard recovery.offer != nil else {
      throw CommandError("\(recovery.note ?? "nothing to recover")")
    }
    guard session.store.isSampleUntouched else { return try recover(recovery, session) }
    // The records of the bundled sample are among the changes, if they existed at all.
    session.context.rollback()
    return try Interruption.ignored { try recover(recovery, session) }
  }

  private func recover(_ recovery: Recovery, _ session: Session) throws -> Outcome {
    let before = OwnEdits.all(session.context)
    var edits = EditRecovery(into: session.context)
    var unfit: [RecoveryFileEdits] = []
    for found in recovery.found {
      let (count, conflicts) = (edits.count, edits.conflicts.count)
      try edits.recover(found, isOutdated: recovery.isOutdated(found))
      if edits.count == count, edits.conflicts.count > conflicts, found.steps.isEmpty {
        unfit.append(found)
      }
    }
    if edits.count == 0, edits.changeCount == 0, !unfit.isEmpty {
      throw nothingFits(unfit, edits, session)
    }
    recovery.keepFiles(unfit)
    let steps = recovery.found.flatMap(\.steps)
    let damage = recovery.found.compactMap(\.damage)
    guard
      edits.count > 0 || edits.changeCount > 0 || !edits.conflicts.isEmpty || !damage.isEmpty
        || session.context.hasChanges
    else {
      try recovery.removeFound()
      return .lines(["nothing to recover: the store already has these changes"])
    }
    recovery.noteRecovered(
      hasConflicts: !edits.conflicts.isEmpty || !damage.isEmpty,
      before: before,
      after: OwnEdits.all(session.context),
      steps: steps.filter { session.context.unsavedSchemaSteps.contains($0) }
    )
    session.notes.stepName = "recover"
    let summary = "recovered \(Self.recoveredParts(edits)), not saved yet"
    let warning = recovery.found.contains(where: \.mayBeSaved) ? [RecoveryOffer.mayBeSaved] : []
    guard !edits.conflicts.isEmpty else {
      return warning.isEmpty ? .done(summary) : .lines([summary] + warning)
    }
    let count = edits.conflicts.count
    return .lines(
      [summary] + warning + [
        "\(count == 1 ? "1 change no longer applies" : "\(count) changes no longer apply"):"
      ]
        + edits.conflicts
        + ["the recovery file is kept next to the store"]
    )
  }

  /// `the edits of 2 records and 1 change of the schema`.
  private static func recoveredParts(_ edits: EditRecovery) -> String {
    let schema = counted(edits.changeCount, "schema change")
    if edits.changeCount == 0 { return "changes to \(counted(edits.count))" }
    return edits.count == 0 ? schema : "changes to \(counted(edits.count)) and \(schema)"
  }

  /// The failure after which files are kept in place, with the reason unless it is another store.
  private func nothingFits(
    _ unfit: [RecoveryFileEdits],
    _ edits: EditRecovery,
    _ session: Session
  ) -> any Error {
    let paths = unfit.map(\.path).joined(separator: " and ")
    let kept = "\(paths) kept (run \"recover discard\" to discard it)"
    guard edits.metCount > 0 else {
      return CommandError(
        "nothing recovered: none of the records are in this store; \(kept)",
        code: .conflict
      )
    }
    session.notes.remarks.append("nothing recovered; \(kept)")
    return Findings(edits.conflicts, of: "recover", "conflict", .conflict)
  }
}
