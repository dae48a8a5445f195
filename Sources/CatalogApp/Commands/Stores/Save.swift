import OpenSwiftData

/// `save`: writes the unsaved changes.
struct Save: Instruction {
  /// The version that wins every conflict; nil to save nothing if there is one.
  var keeping: RecordConflict.Side?
  /// The message for the history, if any.
  var message: String?

  static let command = Command(
    "save",
    aliases: ["w", "write"],
    usage: "[keep mine|theirs] [message TEXT]",
    summary: "save all unsaved changes to the store",
    details: """
      Prints "saved: I inserted, U updated, D deleted", then "t1 -> ID" for each temporary identifier that
      "insert" or "duplicate" printed: at most 100 lines; "status --ids" lists them all. If only the schema
      changed, a line "schema: CHANGES" shows the changes. If the file keeps no schema, such as an array of
      objects, a note on standard error reports added entities and fields; use "saveas" with a new .json
      file to keep them.
      A save is complete or not made at all: when it fails, nothing was written and the changes are still
      there. "keep mine" overwrites values that another program has changed, too; "keep theirs" drops your
      changes of them. A link of yours to a record that another program has deleted is not dropped: the save
      fails and names it. "history" shows the message.
      A note reports what the foreign keys and triggers of a database changed in other records, and in other
      fields of the saved ones; "undo" restores what foreign keys changed, together with the change that
      caused it.
      """,
    changesData: true,
    progress: "saving …"
  ) { arguments, session in
    // With --atomic, the save at the end does what the last "save" has asked for.
    var save = session.script.lastSave as? Save ?? Save()
    var given: Set<String> = []
    while let word = arguments.peek {
      if try arguments.takeOnce("keep", &given) {
        save.keeping = try arguments.requireSide()
      } else if try arguments.takeOnce("message", &given) {
        save.message = try Self.requireMessage(&arguments, session)
      } else if given.contains("message") {
        throw CommandError(
          "unexpected \(Value.quoted(word.text)); quote a message of several words"
        )
      } else {
        let name = CommandText.quoted(word.text)
        throw CommandError(
          "unexpected \(Value.quoted(word.text)); to copy the store, use \"saveas \(name)\""
        )
      }
    }
    return save
  }

  func perform(in session: Session) throws -> Outcome {
    switch session.settings.saving {
    case .atOnce: break
    case .atEnd:
      session.script.lastSave = self
      session.context.markChanges()
      return .done("saved at the end")
    case .never:
      let outcome = try rehearse(in: session)
      session.context.markChanges()
      return outcome
    }
    // Saved records still exist in the earlier copy.
    let isElsewhere = session.store.recordsOnlyHere == nil
    let steps = session.context.unsavedSchemaSteps
    let removed = session.context.recordsOfRemovedEntities.count
    let (counts, remapped, effects) = try session.script.identifiers.locatingFailures {
      try resolving(in: keeping, session) { context in
        try witnessed(session.store) { try context.saveCounting(message: message) }
      }
    }
    // Before a long compaction, during which a crash would offer what is saved.
    session.store.noteSaved(isElsewhere: isElsewhere)
    session.notes.hasWritten = true
    var report = SaveReport(
      inserted: counts.inserted,
      updated: counts.updated,
      deleted: counts.deleted + removed,
      remapped: remapped
    )
    (report.reported, report.answered) = session.script.identifiers.replace(report.remapped)
    report.schemaChanges = steps.map(\.words)
    report.effects = effects
    report.notes = effects.compactMap { effects in
      effects.words.map {
        effects.isByRules
          ? "links that another program had saved to deleted records were cleared: \($0)"
          : "also changed by the database: \($0)"
      }
    }
    report.notes += effects.compactMap(\.overwrittenWords).map {
      "the database stored other values than were written: \($0)"
    }
    report.notes += effects.compactMap(\.limitRemark)
    report.notes += session.store.schemaWarning(steps).map { [$0] } ?? []
    if message != nil, !keepsMessages(session) {
      report.notes.append("\(session.store.name) does not keep the message")
    }
    report.notes += session.store.maintainableStores.flatMap { $0.compactIfWorthwhile() }
    return .saved(report)
  }
}

extension Arguments {
  /// Reads `mine` or `theirs`.
  ///
  /// - Throws: `CommandError` for any other word.
  fileprivate mutating func requireSide() throws -> RecordConflict.Side {
    guard let word = next(), let side = RecordConflict.Side(rawValue: word.text.lowercased()) else {
      throw CommandError("keep: expected mine or theirs")
    }
    return side
  }
}

extension Save {
  /// Reads the message of a save: one word, which may be a parameter.
  ///
  /// - Throws: `CommandError` if it is missing or empty.
  private static func requireMessage(_ arguments: inout Arguments, _ session: Session) throws
    -> String
  {
    let word = try arguments.require("text after \"message\"")
    let text = session.script.parameter(word).map { $0.text ?? "" } ?? word.text
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw CommandError("message: empty text")
    }
    return text
  }

  /// How often a save is tried again because another program has saved in between.
  private static let attempts = 5

  /// Runs a save; conflicts are resolved in favor of one side, if it is given.
  ///
  /// - Throws: The error of the store; the changes are still unsaved then.
  func resolving<Result>(
    in side: RecordConflict.Side?,
    _ session: Session,
    _ save: (ModelContext) throws -> Result
  ) throws -> Result {
    guard let side else { return try save(session.context) }
    return try session.context.restoringConflicts { resolveAll in
      for _ in 1..<Self.attempts {
        try session.context.refresh()
        try resolveAll(side)
        do {
          return try save(session.context)
        } catch let error as PersistenceError where error.code == .conflict && error.cause == nil {
          // Another program has saved since the conflicts were resolved.
          try Interruption.check()
        }
      }
      try session.context.refresh()
      try resolveAll(side)
      return try save(session.context)
    }
  }

  /// True if the store keeps messages after it is closed.
  private func keepsMessages(_ session: Session) -> Bool {
    session.store.keepsHistory
      && session.context.container.stores.allSatisfy { $0 is any StagingStore }
  }

  /// Runs a save, so that a crash at its end does not offer saved changes.
  private func witnessed<Result>(_ store: CurrentStore, _ save: () throws -> Result) throws
    -> Result
  {
    guard let recovery = store.recovery else { return try save() }
    return try recovery.watching(store.context, save)
  }
}
