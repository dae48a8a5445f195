import Dispatch
import Foundation
import OpenSwiftData

/// Runs the program on a terminal: the state on the caller's thread, and the session on another one, so
/// that keys are answered while work runs.
///
/// Keys for the table and for forms wait for the results of the keys before them, because they mean what
/// the screen will show then. Text that is typed into a prompt never waits: a newer filter or search
/// replaces one that is still running. `^C` stops the work that keys are waiting for, and discards the keys before it;
/// Esc does the same unless that work is a command that changes something, and so does the key that quits, which then
/// quits. If the work is fast, they act as ordinary keys.
///
/// Confined to one thread. The session must not be used between `start()` and `finish()`.
package final class LiveRunner {
  private var core: AppCore
  private let performer: EffectPerformer
  private let queue: WorkQueue
  private let wake: @Sendable () -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  /// True while the session's thread may use the performer and its session.
  private var isRunning = false
  private let hasEnded = DispatchSemaphore(value: 0)
  private let hasExternalChanges = ExternalChangesFlag()
  /// The effects that have not been answered.
  private var outstanding: [Int: Effect] = [:]
  /// The number of the job that merges the changes of other programs; nil if none does.
  private var mergingChanges: (job: Int, since: ContinuousClock.Instant)?
  /// The queries that a newer one replaced before they ended.
  private var replaced: Set<Int> = []
  /// Input that waits for results.
  private var typeahead: [InputEvent] = []
  /// The time from which external changes are merged; nil if there are none.
  private var mergeDue: ContinuousClock.Instant?
  /// External changes are not merged before this time, so that a store that changes often does not slow
  /// down the keys.
  private var nextMergeAllowed: ContinuousClock.Instant
  /// Work is not stopped before it has run this long: keys that arrive together are not meant to stop
  /// each other.
  private static let stopDelay = Duration.milliseconds(50)
  /// The number of steps that are played before events are read again.
  private static let playedAtOnce = 64

  /// Prepares the screen on a session's store.
  ///
  /// The message line shows `note` until the first key. If there are unsaved changes of a crashed run,
  /// the screen starts with a question about them. With `isPicking`, `^C` and Esc end the
  /// program with a status that tells that nothing was picked. With `isTour` the tour begins. `wake` is called, on any thread, when
  /// `takeAnswers()` has something to do. `now` is the clock for everything that depends on how long work
  /// takes.
  package init(
    session: Session,
    size: Size,
    keys: KeyMap = .standard,
    note: String? = nil,
    history: PromptHistory = PromptHistory(),
    views: ViewBook = ViewBook(),
    settings: Settings = Settings(),
    isPicking: Bool = false,
    isTour: Bool = false,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    wake: @escaping @Sendable () -> Void
  ) {
    performer = EffectPerformer(session)
    queue = WorkQueue(now: now)
    nextMergeAllowed = now()
    (self.now, self.wake) = (now, wake)
    core = AppCore(
      AppState(
        status: performer.openingStatus,
        entityName: session.entityName,
        size: size,
        keys: keys,
        note: note,
        history: history,
        views: views,
        settings: settings,
        isPicking: isPicking,
        isTour: isTour
      )
    )
  }

  package var state: AppState { core.state }

  /// The exit status; nil while the program runs.
  package var exitStatus: Int32? { core.exitStatus }

  /// True if the loop should end with `exitStatus`.
  package var shouldQuit: Bool { exitStatus != nil }

  /// The current screen.
  ///
  /// - Complexity: O(cells).
  package var canvas: Canvas { state.draw() }

  /// True if everything that was requested has been answered.
  package var isAtRest: Bool {
    outstanding.isEmpty && mergingChanges == nil && typeahead.isEmpty && !state.isPlaying
  }

  // MARK: The thread of the session

  /// Starts the thread of the session, and requests the first screen.
  package func start() {
    precondition(!isRunning, "the thread is started once")
    performer.session.watch(wakeForExternalChanges)
    // Safe: this thread uses the worker and its session only before start() and after finish(), which
    // waits for the thread to end.
    nonisolated(unsafe) let worker = SessionWorker(performer, queue, wake: wake)
    let (hasEnded, queue) = (hasEnded, queue)
    isRunning = true
    StoppableThread.start(named: "session", stoppingWhen: { queue.isEnding }) {
      worker.run(in: $0)
      hasEnded.signal()
    }
    request(core.start())
  }

  /// Stops the work, and waits for the thread of the session to end.
  package func finish() {
    queue.close()
    if isRunning { hasEnded.wait() }
    isRunning = false
    performer.session.watch(nil)
    // What follows is about the store of the user.
    performer.session.endTour()
    if let former = core.state.returnFromTour() { core.state = former }
  }

  /// The message about kept unsaved changes after a signal; nil if there are none or they could not be
  /// kept.
  ///
  /// - Precondition: The session's thread has ended; see `finish()`.
  package var keptNote: String? {
    precondition(!isRunning, "the session is used by its thread")
    return performer.keptNote
  }

  /// The records that the screen showed last, as `list` prints them: the marked ones, or else all listed ones; nil
  /// if it showed none.
  ///
  /// - Precondition: The session's thread has ended; see `finish()`.
  /// - Throws: The error of the store.
  package func picked() throws -> Outcome? {
    precondition(!isRunning, "the session is used by its thread")
    return try performer.picked(seeing: core.state.facts)
  }

  /// Called when another program saves.
  private var wakeForExternalChanges: @Sendable () -> Void {
    let (hasExternalChanges, wake) = (hasExternalChanges, wake)
    return {
      hasExternalChanges.set()
      wake()
    }
  }

  // MARK: Events

  /// Handles an event now, or queues it until the results before it have arrived.
  package func handle(_ event: InputEvent) {
    guard !shouldQuit else { return }
    switch event {
    case .resize, .terminate, .hangup, .news: send(.input(event))
    case .resumed:
      hasExternalChanges.set()
      send(.input(event))
    default:
      if state.isPlaying, event.asksToStop {
        stopPlaying()
        // The event has done its work, unless something is still running that it should stop.
        guard mustWait() else { return }
      }
      if mustWait(for: event) || !typeahead.isEmpty || state.isPlaying {
        typeahead.append(event)
      } else {
        send(.input(event))
      }
    }
  }

  /// True if the meaning of an event depends on a result that has not arrived; nil is any event.
  private func mustWait(for event: InputEvent? = nil) -> Bool {
    let goesOn = state.acceptsTextWhileWorking
    let cancels = state.typingCancelsCompletion && event?.isTyping == true
    return outstanding.values.contains {
      switch $0.urgency {
      case .awaited: true
      case .replacedByTyping: !goesOn
      case .completion: !cancels
      case .background: false
      }
    }
  }

  /// Returns the text from an external editor; nil if the editor changed nothing or failed.
  package func finishEditing(_ text: String?) { send(.edited(text)) }

  /// Shows an error in the message line, such as one of an external editor.
  package func report(_ text: String) { send(.failed(text)) }

  /// Returns and removes the requests to the terminal, oldest first.
  package func takeRequests() -> [TerminalRequest] { core.takeRequests() }

  private func send(_ message: AppMessage) { request(core.update(message)) }

  private func request(_ effects: [Effect]) {
    for effect in effects {
      let added = queue.add(.perform(effect), seeing: state.facts)
      outstanding[added.number] = effect
      if let old = added.replaced {
        outstanding[old] = nil
        replaced.insert(old)
      }
    }
  }

  // MARK: Answers

  /// Shows the results that have arrived, and then handles the keys that waited for them.
  package func takeAnswers() {
    requestMerge()
    for answer in queue.takeAnswers() where !shouldQuit { take(answer) }
    stopIfAsked()
    showProgress()
    playOn()
    while let next = typeahead.first, !state.isPlaying, canGoOn(with: next) {
      typeahead.removeFirst()
      send(.input(next))
    }
    playOn()
  }

  /// True if the next key means what it will mean then.
  private func canGoOn(with event: InputEvent? = nil) -> Bool {
    !shouldQuit && !mustWait(for: event) && !core.awaitsEditor
  }

  /// Plays some steps; the others follow after the events that have arrived meanwhile.
  private func playOn() {
    var count = 0
    while state.isPlaying, canGoOn(), count < Self.playedAtOnce {
      send(.playNext)
      count += 1
    }
  }

  /// Stops playing, and discards the keys that waited for its end.
  private func stopPlaying() {
    typeahead = []
    send(.stopPlaying)
  }

  /// Stops work that has run for a while if a key that waits asks for it.
  private func stopIfAsked() {
    guard let current = queue.current, now() - current.since >= Self.stopDelay else { return }
    let onlyReads = current.command.map { !$0.changesData } ?? current.job.work.isStoppedByEscape
    let place = typeahead.lastIndex { $0 == .interrupt || onlyReads && $0 == .key(.escape) }
    if let place {
      queue.stop()
      typeahead.removeFirst(place + 1)
    } else if onlyReads, let place = typeahead.firstIndex(where: { !state.moves(by: $0) }),
      state.quits(by: typeahead[place])
    {
      // The key itself follows when the work has stopped.
      queue.stop()
      typeahead.removeFirst(place)
    }
  }

  /// Waits briefly for results, so that a fast result is drawn together with its key.
  package func settle(for time: Duration) {
    let deadline = Date(timeIntervalSinceNow: time / .seconds(1))
    takeAnswers()
    while !shouldQuit, outstanding.values.contains(where: { $0.urgency != .background }),
      queue.waitForAnswer(until: deadline)
    {
      takeAnswers()
    }
  }

  private func take(_ answer: WorkQueue.Answer) {
    if let job = answer.job {
      outstanding[job] = nil
      if mergingChanges?.job == job { endMerging() }
      let isReplaced = replaced.remove(job) != nil
      // A replaced query that ended nevertheless has changed the list.
      if isReplaced, answer.message?.isListed != true { return }
    }
    if let message = answer.message { send(message) }
  }

  // MARK: External changes

  /// Requests merging the changes of other programs, which takes at most a quarter of the time.
  private func requestMerge() {
    let time = now()
    if hasExternalChanges.take() { mergeDue = mergeDue ?? max(time, nextMergeAllowed) }
    guard let due = mergeDue, time >= due, mergingChanges == nil, !shouldQuit else { return }
    mergeDue = nil
    let added = queue.add(.takeExternalChanges, seeing: state.facts)
    mergingChanges = (added.number, time)
  }

  private func endMerging() {
    let end = now()
    let start = mergingChanges?.since ?? end
    mergingChanges = nil
    nextMergeAllowed = end + max(.milliseconds(100), (end - start) * 3)
  }

  // MARK: Progress

  /// How long to wait for a key, in milliseconds; nil to wait without limit.
  package var waitMilliseconds: Int? {
    var milliseconds: Int?
    if let mergeDue {
      milliseconds = max(0, Int(((mergeDue - now()) / .milliseconds(1)).rounded(.up)))
    }
    if core.hasRequests || state.isPlaying && canGoOn() { return 0 }
    guard !outstanding.isEmpty else { return milliseconds }
    return min(milliseconds ?? .max, typeahead.contains(where: \.asksToStop) ? 10 : 100)
  }

  /// Shows the work that keys are waiting for, once it takes noticeably long.
  private func showProgress() {
    guard let current = queue.current, case .perform(let effect) = current.job.work,
      now() - current.since >= WorkText.delay, effect.urgency != .background
    else { return core.state.showWork(nil) }
    let title = current.command?.workTitle ?? effect.workTitle
    let text = WorkText.line(title, queue.progress.stage, elapsed: now() - current.since)
    let hint = queue.isStopRequested ? " · stopping …" : " · ^C stop"
    core.state.showWork(text + hint + waitingKeys)
  }

  /// The last keys typed while the work runs; empty if there are none.
  private var waitingKeys: String {
    let keys = typeahead.compactMap { event -> String? in
      switch event {
      case .key(let key): key.typed.map { String($0) } ?? " \(key) "
      case .paste(let text): text
      default: nil
      }
    }
    return keys.isEmpty ? "" : " · typed: " + keys.joined().suffix(Self.shownKeys)
  }

  /// The number of characters that are shown of what was typed.
  private static let shownKeys = 30
}
