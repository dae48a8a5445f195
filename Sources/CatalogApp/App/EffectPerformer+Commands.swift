import OpenSwiftData

extension EffectPerformer {
  /// Parses a line that was typed after the colon, and performs it or finds the records that it applies
  /// to.
  ///
  /// `lostRecord` is the reason why the record under the cursor is no longer the one for which the line
  /// was begun. The list is the one in which the line was typed.
  func read(_ line: String, lostRecord: String?, in list: OutputTable?, isTyped: Bool) throws
    -> AppMessage?
  {
    var instruction: (any Instruction)?
    do {
      var origin = origin(of: nil)
      origin.list = list
      instruction = try session.instruction(from: line, in: origin)
      if isTyped { instruction = instruction.map { PreviewChange.ifComputed($0, line) } }
    } catch {
      return .ran(report(of: nil, failure: error))
    }
    guard let instruction else { return nil }
    if instruction is Save, let reason = facts.nothingToSaveReason {
      return .refused("save: \(reason)")
    }
    if let reason = refusal(of: instruction, lostRecord: lostRecord) {
      return .failed("\(type(of: instruction).command.name): \(reason)")
    }
    if let selecting = instruction as? any RecordInstruction, selecting.target == .selection {
      let question = ChooseRecords(action: RecordAction(selecting), rows: nil)
      return try question.answer(by: reader).map { .answer(AnyAnswer($0, to: question)) }
    }
    return .ran(run(Request(instruction, title: line)))
  }

  /// The reason why the screen cannot perform an instruction now; nil if it can.
  private func refusal(of instruction: any Instruction, lostRecord: String?) -> String? {
    guard let target = (instruction as? any RecordInstruction)?.target, target == .selection else {
      return nil
    }
    if facts.marks.isEmpty, let lostRecord { return lostRecord }
    return facts.noTargetReason
  }

  /// Performs an instruction on the session and updates the list.
  func run(_ request: Request) -> CommandReport {
    let command = request.instruction.command
    hasEditsToKeep = true
    willRun(command)
    return report(of: request, failure: nil)
  }

  /// The origin of a command on this screen; the request is nil while a line is parsed.
  private func origin(of request: Request?) -> CommandOrigin {
    CommandOrigin(
      isOnScreen: true,
      screen: reader.screenRecords(),
      shown: request?.shown,
      asksFirst: request.map { !$0.isConfirmed } ?? false
    )
  }

  /// The result of a request, before the list and the screen are updated.
  private struct Performed {
    var answer: CommandReport.Answer
    /// Identifiers that a save replaced; nil when nothing was saved.
    var saved: IdentifierMap?
    /// True if a database changed more records than those of the save.
    var hasSideEffects = false
    var error: (any Error)?
    /// The conflicts, where the request found or resolved some.
    var conflicts: [ConflictReport]?
  }

  /// Performs a request and reports the result, or reports why the line could not be read.
  private func report(of request: Request?, failure unread: (any Error)?) -> CommandReport {
    let context = session.context
    let schema = context.schema
    let instruction = request?.instruction.value
    let performed = performed(request, failure: unread)
    let changes = session.context.pendingInsertsAndDeletes
    let isSameList =
      session.context === context && !performed.hasSideEffects
      && (performed.saved == nil || !reader.list.hasReturningRecords)
      && (session.context.schema === schema || session.context.schema.entities == schema.entities)
    var change: RecordList.Changes?
    do {
      if isSameList {
        change = try reader.list.follow(changes, in: session.context, saved: performed.saved)
      }
    } catch {
      // If the store cannot be read, the screen queries the list again, which reports the error.
    }
    let followed = change ?? RecordList.Changes()
    let saved = performed.saved ?? IdentifierMap()
    // If it cannot be read, only the way back from the new record is not noted.
    let appeared = followed.appearedAt.flatMap {
      try? reader.list.identifiers(in: $0..<($0 + 1)).first
    }
    let hasFailed = performed.error != nil && !(performed.error is SaveFailure)
    let isMissing = hasFailed && isMissing(request?.shown?.identifier)
    return CommandReport(
      request: request,
      answer: performed.answer,
      status: Self.status(of: session),
      extent: change == nil ? nil : reader.list.extent,
      appearedAt: followed.appearedAt,
      remapped: saved,
      cursorAt: cursorRow(after: followed, isUndo: instruction is Undo, saved),
      appeared: appeared,
      deleted: followed.deleted,
      restored: followed.restored,
      hidden: followed.hidden,
      scope: session.notes.scope,
      isRecordMissing: isMissing,
      warning: session.notes.warning ?? session.notes.remarks.first,
      conflicts: performed.conflicts,
      isOutcomeUnknown: performed.error.map(SaveFailure.isOutcomeUnknown) ?? false,
      findings: (performed.error as? Findings)?.lines ?? []
    )
  }

  private func performed(_ request: Request?, failure unread: (any Error)?) -> Performed {
    let instruction = request?.instruction.value
    var performed = Performed(answer: .done(""))
    do {
      if let unread { throw unread }
      let origin = origin(of: request)
      // The steps of a command read a record once, as in a script.
      let outcome = try session.context.holdingRecords {
        try instruction.map { try session.perform($0, from: origin) } ?? .done("")
      }
      if case .saved(let report) = outcome {
        performed.saved = report.remapped
        performed.hasSideEffects = !report.effects.isEmpty
      }
      performed.answer = try answer(outcome)
    } catch let differences as Differences {
      // If the differences cannot be printed, their number can.
      performed.answer =
        (try? answer(differences.outcome)) ?? .failed(Self.line(for: differences))
      failedStatus = max(failedStatus, ScriptRunner.status(of: differences))
    } catch {
      performed.error = error
      performed.answer = .failed(Self.line(for: error))
      failedStatus = max(failedStatus, ScriptRunner.status(of: error))
      session.store.isInDoubt = session.store.isInDoubt || SaveFailure.isOutcomeUnknown(error)
    }
    let isConflict =
      instruction is ListConflicts || instruction is ResolveConflicts
      || performed.error.map(SaveFailure.isConflict) == true
    // The error of the command takes precedence over an error of reading the conflicts.
    performed.conflicts = isConflict ? try? openConflicts() : nil
    if (performed.error as? SaveFailure)?.isResolvable == true,
      performed.conflicts?.isEmpty == false
    {
      // The conflict screen that opens shows the details.
      performed.answer = .failed("not saved: resolve the conflicts first")
    }
    return performed
  }

  /// The failure as one line; most values come from forms and cells, where a column leads nowhere.
  private static func line(for error: any Error) -> String {
    errorLine((error as? CommandError).map { CommandError($0.message) } ?? error)
  }

  /// The records on the screen, as `list` prints them; with the columns on the screen if these were arranged.
  func picked(seeing facts: ScreenFacts) throws -> Outcome? {
    guard let name = facts.entityName else { return nil }
    reader.facts = facts
    defer { reader.facts = ScreenFacts() }
    var selection = RecordSelection(query: Query(name), usesShownRecords: true)
    let screen = reader.screenRecords()
    // A number says where a record stands in its file, which the next program does not have.
    let first =
      try session.context.fetchIdentifiers(Query(name, limit: 1)).first ?? screen?.shown().first
    let entity = try session.context.schema.entity(named: name)
    let columns = facts.arrangedColumns ?? entity.fields.map(\.name)
    let showsIdentifier = facts.columns.showsIdentifier ?? true && first?.numberKey == nil
    selection.columns = (showsIdentifier ? [entity.identifierKey] : []) + columns
    let outcome = try session.perform(
      ListRecords(selection: selection),
      from: CommandOrigin(screen: screen)
    )
    if case .records(let listing) = outcome,
      let note = session.store.hiddenValuesNote(of: listing.identifiers)
    {
      session.notes.remarks.append("--pick: \(note)")
    }
    return outcome
  }

  /// The new row of the cursor after rows were removed: the row of its record, or of the record from
  /// which the cursor had moved to a record that is gone; nil if the cursor stays.
  ///
  /// - Complexity: O(n) in the records listed if rows were removed.
  private func cursorRow(
    after changes: RecordList.Changes,
    isUndo: Bool,
    _ remapped: IdentifierMap
  ) -> Int? {
    let isUndone = isUndo && !changes.deleted.isEmpty
    guard changes.hasLostRows || isUndone, var record = facts.cursor else {
      return nil
    }
    if isUndone {
      var seen: Set<PersistentIdentifier> = []
      while changes.deleted.contains(record), seen.insert(record).inserted,
        let origin = facts.arrivals[record]
      {
        record = origin
      }
    }
    record = remapped[record] ?? record
    // Without a row the cursor stays; the next read of rows reports the error.
    return try? reader.list.row(of: record)
  }

  /// True if a record to change is not in the store.
  private func isMissing(_ identifier: PersistentIdentifier?) -> Bool {
    guard let identifier else { return false }
    // The command itself reports a store that cannot be read.
    guard let existing = try? session.context.existing([identifier]) else { return false }
    return existing.isEmpty
  }

  /// The current conflicts, for the screen.
  func openConflicts() throws -> [ConflictReport] {
    let context = session.context
    let conflicts = try context.conflicts()
    let snapshots = try context.snapshots(for: conflicts.map(\.persistentIdentifier))
    return conflicts.map { conflict in
      let snapshot = snapshots[conflict.persistentIdentifier]
      return ConflictReport(
        conflict: conflict,
        title: snapshot.map(session.context.schema.label)
          ?? conflict.persistentIdentifier.description
      )
    }
  }

  /// Converts the outcome of a command to lines.
  private func answer(_ outcome: Outcome) throws -> CommandReport.Answer {
    switch outcome {
    case .done(let text), .note(let text): return .done(text)
    case .question(let question, let details): return .question(question, details)
    case .saved(let report):
      let place =
        session.store.isLasting ? [] : ["in memory only; use :saveas FILE to write a file"]
      let lines =
        report.effects.isEmpty
        ? report.lines : [report.shortSummary] + report.lines.dropFirst()
      return .done((lines + place + report.notes).joined(separator: "; "))
    case .quit(let isDiscarding): return .quit(isDiscarding: isDiscarding)
    case .screen(let request): return .screen(request)
    case .commands: return .done("")
    case .lines(let lines): return .lines(lines)
    case .facts(let facts): return .lines(facts.lines)
    case .records(let listing) where listing.identifiers.count > TextScreen.lineLimit:
      let beginning = RecordListing(
        entity: listing.entity,
        columns: listing.columns,
        identifiers: Array(listing.identifiers.prefix(TextScreen.lineLimit))
      )
      let rest = listing.identifiers.count - TextScreen.lineLimit
      return .lines(try printed(.records(beginning)) + ["… and \(rest) more"])
    case .records, .record, .table, .several: return .lines(try printed(outcome))
    }
  }

  private func printed(_ outcome: Outcome) throws -> [String] {
    var text = ""
    var style = OutputStyle()
    style.nullText = ValueText.null
    let printer = ResultPrinter(
      .table,
      isTerminal: true,
      width: max(20, facts.width - 2),
      style: style,
      writeBytes: { text += String(decoding: $0, as: UTF8.self) }
    )
    try printer.print(outcome, context: session.context)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// The status of a session's store for the screen.
  static func status(of session: Session) -> StoreStatus {
    let (context, store) = (session.context, session.store)
    let (inserted, updated, deleted) = context.pendingCounts
    var status = StoreStatus(
      storeName: store.name,
      location: store.location,
      entities: context.schema.entities,
      readOnlyReason: store.readOnlyReason,
      shortReadOnlyReason: store.shortReadOnlyReason,
      changes: UnsavedCounts(
        inserted: inserted,
        updated: updated,
        deleted: deleted,
        schemaChanges: context.unsavedSchemaSteps.count
      ),
      isUnwritten: context.isUnwritten && !context.schema.entities.isEmpty,
      canUndo: context.canUndo,
      undoableSteps: context.undoableStepCount,
      recovery: store.recovery?.offer
    )
    status.traits = StoreTraits(
      keepsHistory: store.keepsHistory,
      infersTypes: context.infersTypes,
      keepsTexts: store.keepsTexts,
      isLasting: store.isLasting,
      allowsSchemaChanges: store.allowsSchemaChanges,
      isPipe: store.isPipe,
      entityNotes: context.container.stores.reduce(into: [:]) { notes, store in
        guard let store = store as? any MaintainableStore else { return }
        notes.merge(store.entityNotes) { $1 }
      },
      computedEntities: Set(status.entities.map(\.name).filter(context.computesRecords))
    )
    status.losses = StoreLosses(
      isUntouchedSample: store.isSampleUntouched,
      isCopied: store.isPipeCopied,
      recordsOnlyHere: store.recordsOnlyHere,
      values: context.valuesWithoutPlace.map { errorLine($0) }
    )
    status.isOutdated = store.readingFailure != nil
    status.today = session.services.clock.today
    return status
  }
}
