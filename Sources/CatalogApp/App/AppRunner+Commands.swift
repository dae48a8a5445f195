import OpenSwiftData

extension AppRunner {
  /// Lines to read are cut off after these.
  private static let lineLimit = 1000

  /// Does a command line on the session and follows what it changed.
  ///
  /// `shown` says what stood on the screen when the values of the line were typed.
  func run(_ line: String, shown: ShownValues? = nil, isConfirmed: Bool = false) -> CommandReport {
    session.shown = shown
    session.asksFirst = !isConfirmed
    defer {
      session.shown = nil
      session.asksFirst = false
    }
    let context = session.context
    let schema = context.schema
    var saved: [PersistentIdentifier: PersistentIdentifier]?
    var answer: CommandReport.Answer
    var failure: SaveFailure?
    var isOutcomeUnknown = false
    var isConflict = ["conflicts", "resolve"].contains { line.hasPrefix($0) }
    do {
      let outcome = try session.perform(line)
      if case .saved(let report) = outcome {
        saved = Dictionary(
          report.remapped.map { ($0.temporary, $0.permanent) },
          uniquingKeysWith: { first, _ in first }
        )
      }
      answer = try self.answer(outcome)
    } catch {
      failure = error as? SaveFailure
      isConflict = isConflict || SaveFailure.isConflict(error)
      session.isInDoubt = session.isInDoubt || SaveFailure.isOutcomeUnknown(error)
      isOutcomeUnknown = SaveFailure.isOutcomeUnknown(error)
      answer = .failed(ScriptRunner.line(for: error))
    }
    // Where the store cannot be read, the failure is what there is to say.
    let conflicts = isConflict ? try? openConflicts() : nil
    if let failure, failure.isSettleable, conflicts?.isEmpty == false {
      // The screen that opens says the rest.
      answer = .failed("not saved: settle first what another program changed, too")
    }
    let changes = session.context.pendingChanges
    let isSameList =
      session.context === context
      && (session.context.schema === schema || session.context.schema.entities == schema.entities)
    let appeared = isSameList ? list.follow(changes, saved: saved) : nil
    return CommandReport(
      line: line,
      answer: answer,
      status: Self.status(of: session, changes),
      extent: isSameList ? list.extent : nil,
      appearedAt: appeared,
      remapped: saved ?? [:],
      warning: session.shown?.warning,
      conflicts: conflicts,
      isOutcomeUnknown: isOutcomeUnknown
    )
  }

  /// The conflicts as they are now, to be shown.
  func openConflicts() throws -> [ConflictReport] {
    let context = session.context
    let conflicts = try context.conflicts()
    let snapshots = try context.snapshots(for: conflicts.map(\.persistentIdentifier))
    return conflicts.map { conflict in
      let snapshot = snapshots[conflict.persistentIdentifier]
      return ConflictReport(
        conflict: conflict,
        title: snapshot.map(session.label) ?? conflict.persistentIdentifier.description
      )
    }
  }

  /// Turns what a command has to show into lines.
  private func answer(_ outcome: Outcome) throws -> CommandReport.Answer {
    switch outcome {
    case .done(let text), .note(let text): return .done(text)
    case .question(let question, let details): return .question(question, details)
    case .saved(let report):
      return .done(([report.summary] + report.notes).joined(separator: "; "))
    case .quit(let isDiscarding): return .quit(isDiscarding: isDiscarding)
    case .lines(let lines): return .lines(lines)
    case .records(let listing) where listing.identifiers.count > Self.lineLimit:
      let beginning = RecordListing(
        entity: listing.entity,
        attributes: listing.attributes,
        identifiers: Array(listing.identifiers.prefix(Self.lineLimit))
      )
      let rest = listing.identifiers.count - Self.lineLimit
      return .lines(try printed(.records(beginning)) + ["… and \(rest) more"])
    case .records, .record, .table: return .lines(try printed(outcome))
    }
  }

  private func printed(_ outcome: Outcome) throws -> [String] {
    var text = ""
    let printer = ResultPrinter(
      .table,
      isTerminal: true,
      width: max(20, state.size.columns - 2)
    ) { text += $0 }
    try printer.print(outcome, context: session.context)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// What the screen says about a session's store.
  static func status(of session: Session, _ changes: ChangeSet) -> StoreStatus {
    StoreStatus(
      storeName: session.storeName,
      location: session.location,
      entities: session.context.schema.entities,
      isReadOnly: session.isReadOnly,
      inserted: changes.inserted.count,
      updated: changes.updated.count,
      deleted: changes.deleted.count,
      schemaChanges: session.context.unsavedSchemaSteps.count,
      canUndo: session.context.canUndo,
      canRedo: session.context.canRedo,
      recovery: session.recovery?.offer
    )
  }
}
