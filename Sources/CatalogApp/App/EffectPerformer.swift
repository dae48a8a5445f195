import OpenSwiftData

/// Performs the effects that need the store, on the session.
///
/// Confined to the thread of its session. The cost of a key depends on the size of the screen, not on
/// the number of records: the list is queried only when filter, order or entity change, and scrolling
/// only reads from it.
final class EffectPerformer {
  let session: Session
  /// Called between parts of long work; true stops the work.
  ///
  /// Called often, on the thread of the session.
  var isCancelled: @Sendable () -> Bool = { false }
  /// Receives a command before it is performed.
  var willRun: (Command) -> Void = { _ in }

  /// What the screen showed when the current effect was requested.
  private(set) var facts = ScreenFacts()
  /// True if there are edits that are not in the recovery file yet, so that `keepEdits()` has work to
  /// do.
  var hasEditsToKeep = false
  private var hasReportedRecoveryError = false
  /// The highest status of a failed command.
  var failedStatus: Int32 = 0
  var list = RecordList() {
    didSet { matches = nil }
  }
  /// The query that was asked for the list; nil before the first one.
  var asked: QuerySpec?
  /// The list in which the cursor was when the filter that is typed was begun; nil if none is typed.
  var listBefore: (asked: QuerySpec, list: RecordList)?
  /// The rows that contain the text counted last; nil after the list changed.
  var matches: RowMatches?

  init(_ session: Session) { self.session = session }

  /// The status of a store that was just opened, with the other ways to read its file.
  var openingStatus: StoreStatus {
    var status = Self.status(of: session)
    status.offeredReadings = session.offeredReadings()
    return status
  }

  /// Performs one effect, and answers; `^C`, a signal and the loss of the terminal stop any of them.
  ///
  /// Effects for the terminal, and the end of the program, are not performed here.
  func perform(_ effect: Effect, seeing facts: ScreenFacts) -> AppMessage? {
    self.facts = facts
    // The marks must not be shared while the screen changes them.
    defer { self.facts = ScreenFacts() }
    session.entityName = facts.entityName
    do {
      return try stoppable { try perform(effect) }
    } catch {
      let line = errorLine(error)
      switch effect {
      case .rows: return .unreadable(line)
      case .query: return .queryFailed(line)
      // The pane shows the identifiers instead of the titles.
      case .readDetails: return nil
      default: return .failed(line)
      }
    }
  }

  /// Sets what the screen shows.
  func take(_ facts: ScreenFacts) { self.facts = facts }

  private func perform(_ effect: Effect) throws -> AppMessage? {
    switch effect {
    case .perform(let request): return .ran(run(request))
    case .read(let line, let lostRecord): return try read(line, lostRecord: lostRecord)
    case .choose(let action, let rows): return try choose(action, rows: rows)
    case .copyMarked: return try copyMarked()
    case .readMarked(let field): return try markedValues(of: field)
    case .query(let spec, let kept, let origin):
      return try queryOrStop(spec, keeping: kept, from: origin)
    case .countOn: return try countOn()
    case .count(let row): return try count(toRow: row)
    case .rows(let range): return .rows(start: range.lowerBound, try rows(in: range))
    case .search(let text, let start, let isForward):
      let found = try search(text, from: start, isForward: isForward)
      return .found(found?.row, text: text, extent: list.extent, folded: found?.folded)
    case .countValues(let name): return try countValues(of: name)
    case .countGroups(let name, let entity):
      // The list may be that of another entity by now.
      guard list.spec?.entityName == entity else { return nil }
      return .groups(of: name, try counts(of: name, ofMarked: false))
    case .listValues(let name, let prefix):
      let found = try values(of: name, prefix: prefix)
      return .values(attribute: name, found.map(\.value), counts: found.map(\.count))
    case .searchValues(let name, let text, let current):
      return try values(of: name, containing: text, current: current)
    case .listTitles(let name, let text):
      let found = try titles(of: name, matching: text)
      return .values(attribute: name, found.map(\.value), counts: found.map(\.count))
    case .findTitle: return try findTitle()
    case .describeColumns: return try describeColumns()
    case .listMembers(let column): return .members(of: column, try members(of: column))
    case .checkPaths(let names): return try unknownPath(names).map { .refused($0) }
    case .listRecords(let entity, let text, let current):
      return try records(of: entity, matching: text, current: current)
    case .listStoredViews:
      let texts = try session.entityName.map { try StoredViews(session).texts(of: $0) } ?? [:]
      return .storedViews(texts.keys.sorted())
    case .listFiles(let beginning): return .files(session.services.paths(beginning: beginning))
    case .countMatches(let text, let row): return .matched(try count(text, at: row))
    case .readDetails(let request): return try details(for: request)
    case .locate(let identifier): return try locate(identifier)
    case .readHistory(let identifier): return history(of: identifier)
    case .readChanges: return .changes(try changeLines())
    case .identify(let range):
      if range.upperBound == .max { try list.count(through: .max) }
      let isAll = range == 0..<list.count || range.upperBound == .max
      let list = isAll ? list.unfolded : list
      let rows = range.lowerBound..<(isAll ? list.count : range.upperBound)
      let identifiers = try list.identifiers(in: rows)
      return .identified(identifiers.filter { session.context.pendingKind(of: $0) != .deleted })
    case .open(let location):
      try session.open(location, keepingEdits: session.location == location && session.isInDoubt)
      (list, asked) = (RecordList(), nil)
      let views = session.readViews()
      return .opened(
        openingStatus,
        entityName: session.entityName,
        views: views.book,
        note: views.note
      )
    case .keepViews(let book, let location):
      try session.keepViews(book, of: location)
      return nil
    case .readClock: return .clock(session.services.clock.today)
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
    return guardingKeeping { try session.keepEdits() }
  }

  /// True if a crash of the machine would lose changes in the recovery file.
  var needsSynchronizing: Bool { session.recovery?.needsSynchronizing ?? false }

  /// Makes the recovery file survive a crash of the machine as well.
  ///
  /// - Returns: Why that failed, the first time.
  func synchronizeEdits() -> AppMessage? {
    guardingKeeping { try session.recovery?.synchronize() }
  }

  /// The message about kept unsaved changes after a signal; nil if there are none or they could not be
  /// kept.
  var keptNote: String? {
    hasEditsToKeep = true
    _ = keepEdits()
    _ = synchronizeEdits()
    return session.keptNote
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
      let wasOutdated = session.isOutdated
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
      let warning = (conflict ?? "") + (status.lostValues.map { "; " + $0 } ?? "")
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
      guard session.noteOutdated(line) else { return nil }
      return .outdated(Self.status(of: session), line)
    }
  }
}
