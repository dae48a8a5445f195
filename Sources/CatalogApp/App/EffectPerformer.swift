import OpenSwiftData

/// Performs the effects that need the store, on the session.
///
/// Confined to the thread of its session.
final class EffectPerformer {
  let session: Session
  /// Answers the questions of the screen, and keeps the list of the table.
  let reader: ListReader
  /// Receives a command before it is performed.
  var willRun: (Command) -> Void = { _ in }
  /// True if there are edits that are not in the recovery file yet, so that `keepEdits()` has work to
  /// do.
  var hasEditsToKeep = false
  private var hasReportedRecoveryError = false
  /// The highest status of a failed command.
  var failedStatus: Int32 = 0

  init(_ session: Session) { (self.session, reader) = (session, ListReader(session)) }

  /// What the screen showed when the current effect was requested.
  var facts: ScreenFacts { reader.facts }

  /// The status of a store that was just opened, with the other ways to read its file.
  var openingStatus: StoreStatus {
    var status = Self.status(of: session)
    status.offeredReadings = ReadFile.offeredChoices(session)
    return status
  }

  /// Performs one effect, and answers; `^C`, a signal and the loss of the terminal stop any of them.
  ///
  /// Effects for the terminal, and the end of the program, are not performed here. Once a stop has been requested, later
  /// work stops, too.
  func perform(_ effect: Effect, seeing facts: ScreenFacts) -> AppMessage? {
    reader.facts = facts
    // The marks must not be shared while the screen changes them.
    defer { reader.facts = ScreenFacts() }
    session.entityName = facts.entityName
    let request = StopRequest(reader.isCancelled)
    do {
      return try Interruption.allowed(by: { request.isWanted }) { try perform(effect) }
    } catch {
      return .failed(errorLine(error))
    }
  }

  private func perform(_ effect: Effect) throws -> AppMessage? {
    switch effect {
    case .perform(let request): return .ran(run(request))
    case .read(let line, let lostRecord, let list, let isTyped):
      return try read(line, lostRecord: lostRecord, in: list, isTyped: isTyped)
    case .ask(let question): return try question.answered(by: reader).map { .answer($0) }
    case .beginTour:
      try session.beginTour()
      reader.forgetList()
      return .toured(Self.status(of: session))
    case .endTour:
      session.endTour()
      reader.forgetList()
      return nil
    case .open(let location):
      guard session.aside == nil else {
        return .failed("e: end the tour first, with Esc or q; then open \(Value.quoted(location))")
      }
      try session.open(
        location,
        keepingEdits: session.store.location == location && session.store.isInDoubt
      )
      reader.forgetList()
      let views = session.services.readViews(of: session.store.location)
      return .opened(
        openingStatus,
        entityName: session.entityName,
        views: views.book,
        note: views.note
      )
    case .keepViews(let book, let location):
      try session.services.keepViews(book, of: location)
      return nil
    case .copy, .edit, .suspend, .redraw, .use, .quit: return nil
    }
  }

  // MARK: Unsaved edits

  /// Writes the edits so far to the recovery file, so that a crash of the program does not lose them.
  ///
  /// - Returns: Why that failed, the first time; the edits themselves are not affected.
  func keepEdits() -> AppMessage? {
    guard hasEditsToKeep else { return nil }
    hasEditsToKeep = false
    return guardingKeeping { try session.store.keepEdits() }
  }

  /// True if a crash of the machine would lose changes in the recovery file.
  var needsSynchronizing: Bool { session.store.recovery?.needsSynchronizing ?? false }

  /// Makes the recovery file survive a crash of the machine as well.
  ///
  /// - Returns: Why that failed, the first time.
  func synchronizeEdits() -> AppMessage? {
    guardingKeeping { try session.store.recovery?.synchronize() }
  }

  /// The message about kept unsaved changes after a signal; nil if there are none or they could not be
  /// kept.
  var keptNote: String? {
    hasEditsToKeep = true
    _ = keepEdits()
    _ = synchronizeEdits()
    return session.store.keptNote
  }

  private func guardingKeeping(_ body: () throws -> Void) -> AppMessage? {
    do {
      try body()
      hasReportedRecoveryError = false
    } catch {
      guard !hasReportedRecoveryError else { return nil }
      hasReportedRecoveryError = true
      return .recoveryFailed(Recovery.sentence(about: error))
    }
    return nil
  }

  // MARK: External changes

  /// Merges the changes that other programs have saved; unsaved changes stay.
  ///
  /// - Returns: What changed; nil if nothing did.
  func takeExternalChanges(seeing facts: ScreenFacts) -> AppMessage? {
    do {
      let wasOutdated = session.store.readingFailure != nil
      guard
        let news = try session.takeExternalChanges()
          ?? (wasOutdated ? ExternalChanges.Content() : nil)
      else {
        return nil
      }
      hasEditsToKeep = hasEditsToKeep || session.context.hasChanges
      let conflicts = facts.showsConflicts ? try openConflicts() : nil
      let count = try conflicts?.count ?? session.context.openConflicts().count
      let advice = facts.showsConflicts ? "" : ", see :conflicts"
      let conflict =
        count == 0
        ? nil : "; \(counted(count)) in conflict with your unsaved changes\(advice)"
      let status = Self.status(of: session)
      let warning = (conflict ?? "") + (status.losses.values.map { "; " + $0 } ?? "")
      return .refreshed(
        status,
        note: news.text,
        warning: warning.isEmpty ? nil : warning,
        gone: news.deleted,
        conflicts: conflicts,
        changed: news.changed
      )
    } catch {
      // A repeated failure appears only in the status line, which keeps the message line free.
      let line = errorLine(error)
      guard session.store.readingFailure != line else { return nil }
      session.store.readingFailure = line
      return .outdated(Self.status(of: session), line)
    }
  }
}
