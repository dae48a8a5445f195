import OpenSwiftData

/// A request of the program to the terminal; a loop without a terminal may ignore it.
package enum TerminalRequest: Hashable, Sendable {
  /// Copy a text to the clipboard.
  case copy(String)
  /// Edit a text in `$VISUAL` or `$EDITOR`, and return it through `finishEditing`.
  case edit(String)
  /// Stop the program until it is continued, then send `resumed`.
  case suspend
  /// Redraw the whole screen.
  case redraw
}

/// Runs the program: feeds events to the state and performs its effects on the session.
///
/// Confined to the thread of its session. The cost of a key depends on the size of the screen, not on
/// the number of records: the list is queried only when filter, order or entity change, and scrolling
/// only reads from it.
package final class AppRunner {
  /// The state.
  package internal(set) var state: AppState
  /// The exit status; nil while the program runs.
  package private(set) var exitStatus: Int32?
  /// Called between parts of long work; true stops the work.
  ///
  /// Called often, on the thread of the session.
  package var isCancelled: @Sendable () -> Bool = { false }
  /// Called before work that may take long; the screen then names the operation.
  package var willWork: () -> Void = {}

  /// True if there are edits that are not in the recovery file yet, so that `keepEdits()` has work to
  /// do.
  package internal(set) var hasEditsToKeep = false
  private var hasReportedRecoveryError = false
  /// The highest status of a failed command.
  var failedStatus: Int32 = 0

  let session: Session
  var list = RecordList() {
    didSet { matches = nil }
  }
  /// The rows that contain the text counted last; nil after the list changed.
  var matches: RowMatches?
  var requests: [TerminalRequest] = []

  /// Opens the screen on a session's store.
  ///
  /// The message line shows `note` until the first key. With `offersRecovery` the screen starts with a
  /// question about the unsaved changes of a crashed run, if there are any.
  package init(
    session: Session,
    size: Size,
    keys: KeyMap = .standard,
    note: String? = nil,
    offersRecovery: Bool = true,
    history: PromptHistory = PromptHistory()
  ) {
    self.session = session
    var status = Self.status(of: session, session.context.pendingChanges)
    if !offersRecovery { status.recovery = nil }
    state = AppState(
      status: status,
      entityName: session.entityName,
      size: size,
      keys: keys,
      note: note,
      history: history
    )
    perform(state.start())
  }

  /// True if the loop should end with `exitStatus`.
  package var shouldQuit: Bool { exitStatus != nil }

  /// The current screen.
  ///
  /// - Complexity: O(cells).
  package var canvas: Canvas { state.draw() }

  /// The failures so far, with the exit status for them; nil if there were none.
  ///
  /// A screen that is too small to show anything counts as a failure.
  package var failure: (status: Int32, lines: [String])? {
    var lines = state.shared.failures
    if state.isTooSmall {
      let size = "\(state.size.columns)x\(state.size.rows)"
      lines.append("terminal too small: \(size)")
    }
    return lines.isEmpty ? nil : (max(failedStatus, 1), lines)
  }

  /// Handles an event and all its effects.
  package func handle(_ event: InputEvent) {
    guard !shouldQuit else { return }
    send(.input(event))
  }

  /// Returns the text from an external editor; nil if the editor changed nothing or failed.
  package func finishEditing(_ text: String?) { send(.edited(text)) }

  /// Shows an error in the message line, such as one of an external editor.
  package func complain(_ text: String) { send(.failed(text)) }

  /// Writes the edits so far to the recovery file, so that a crash of the program does not lose them.
  ///
  /// If that fails, the message line reports it once, and the edits themselves are not affected.
  package func keepEdits() {
    guard hasEditsToKeep else { return }
    hasEditsToKeep = false
    guardingKeeping { try session.keepEdits() }
  }

  /// True if a crash of the machine would lose changes in the recovery file.
  package var needsSynchronizing: Bool { session.recovery?.needsSynchronizing ?? false }

  /// Makes the recovery file survive a crash of the machine as well.
  package func synchronizeEdits() {
    guardingKeeping { try session.recovery?.synchronize() }
  }

  /// The message for an end from outside that keeps the unsaved changes; nil if there are none, or if
  /// they could not be kept.
  package var keptNote: String? {
    hasEditsToKeep = true
    keepEdits()
    synchronizeEdits()
    return session.keptNote
  }

  private func guardingKeeping(_ body: () throws -> Void) {
    do {
      try body()
      hasReportedRecoveryError = false
    } catch {
      guard !hasReportedRecoveryError else { return }
      hasReportedRecoveryError = true
      complain(
        "cannot keep a recovery file; a crash would lose your unsaved changes: \(ScriptRunner.line(for: error))"
      )
    }
  }

  /// Sets the closure to call, on any thread, when another program saves; call `takeExternalChanges()`
  /// then.
  package func onNews(_ wake: (@Sendable () -> Void)?) { session.watch(wake) }

  /// Merges the changes that other programs have saved, and shows them; unsaved changes stay.
  package func takeExternalChanges() {
    guard !shouldQuit else { return }
    do {
      let wasOutdated = session.isOutdated
      guard
        let news = try session.takeExternalChanges()
          ?? (wasOutdated ? ExternalChanges.Content() : nil)
      else {
        return
      }
      hasEditsToKeep = hasEditsToKeep || session.context.hasChanges
      let status = Self.status(of: session, session.context.pendingChanges)
      let isShown = state.shared.isShown(.conflicts)
      let conflicts = isShown ? try openConflicts() : nil
      let count = try conflicts?.count ?? session.context.openConflicts().count
      let advice = isShown ? "" : ", see :conflicts"
      let warning =
        count == 0
        ? nil : "; \(Session.counted(count)) in conflict with your unsaved changes\(advice)"
      send(
        .refreshed(
          status,
          note: news.text,
          warning: warning,
          gone: news.deleted,
          conflicts: conflicts
        )
      )
    } catch {
      // A repeated failure appears only in the status line, which keeps the message line free.
      let line = ScriptRunner.line(for: error)
      guard session.noteOutdated(line) else { return }
      send(.outdated(Self.status(of: session, session.context.pendingChanges), line))
    }
  }

  /// Returns and removes the requests to the terminal, oldest first.
  package func takeRequests() -> [TerminalRequest] {
    defer { requests = [] }
    return requests
  }

  private func send(_ message: AppMessage) { perform(state.update(message)) }

  /// Performs effects, and those that follow from their results, one after the other.
  private func perform(_ effects: [Effect]) {
    var waiting = effects[...]
    while let effect = waiting.popFirst(), !shouldQuit {
      session.entityName = state.entityName
      if let answer = perform(effect) { waiting += state.update(answer) }
    }
  }

  /// Performs one effect, and answers.
  private func perform(_ effect: Effect) -> AppMessage? {
    do {
      switch effect {
      case .perform(let request): return .ran(run(request))
      case .read(let line, let lostRecord): return try read(line, lostRecord: lostRecord)
      case .choose(let action, let rows): return try choose(action, rows: rows)
      case .copyMarked: return try copyMarked()
      case .query(let spec, let kept): return try queryOrStop(spec, keeping: kept)
      case .rows(let range): return .rows(start: range.lowerBound, try rows(in: range))
      case .search(let text, let start, let isForward):
        return try stoppable {
          .found(try search(text, from: start, isForward: isForward), text: text)
        }
      case .countValues(let name): return try stoppable { try countValues(of: name) }
      case .listValues(let name, let prefix):
        return try stoppable { .values(attribute: name, try values(of: name, prefix: prefix)) }
      case .listFiles(let beginning): return .files(session.services.paths(beginning: beginning))
      case .countMatches(let text, let row):
        return try stoppable { .matched(try count(text, at: row)) }
      case .readHistory(let identifier): return history(of: identifier)
      case .identify(let range):
        let identifiers = list.identifiers[range.clamped(to: list.identifiers.indices)]
        return .identified(identifiers.filter { session.context.pendingKind(of: $0) != .deleted })
      case .open(let location):
        try session.open(location, keepingEdits: session.location == location && session.isInDoubt)
        list = RecordList()
        return .opened(Self.status(of: session, session.context.pendingChanges))
      case .copy(let text): requests.append(.copy(text))
      case .edit(let text): requests.append(.edit(text))
      case .suspend: requests.append(.suspend)
      case .redraw: requests.append(.redraw)
      case .quit(let status): exitStatus = status
      }
    } catch {
      let line = ScriptRunner.line(for: error)
      if case .rows = effect { return .unreadable(line) }
      return .failed(line)
    }
    return nil
  }
}
