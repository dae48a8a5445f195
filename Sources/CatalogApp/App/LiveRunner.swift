import Foundation
import OpenSwiftData

/// Runs the program on a terminal: the state on the caller's thread, and the session on another one, so
/// that keys are answered while work runs.
///
/// Keys for the table and for forms wait for the results of the keys before them, because they mean what
/// the screen will show then. Text that is typed into a prompt never waits: a newer filter or search
/// replaces one that is still running. `^C` and Esc stop the work that keys are waiting for, and discard
/// the keys before them; if the work is fast, they are keys like others.
///
/// Confined to one thread. The session must not be used between `start()` and `finish()`.
package final class LiveRunner {
  private var core: AppCore
  private let performer: EffectPerformer
  private let queue = WorkQueue()
  private let wake: @Sendable () -> Void
  /// The end of the session's thread; nil before it was started.
  private var end: ThreadEnd?
  private let news = NewsMark()
  /// The effects that have not been answered.
  private var outstanding: [Int: Effect] = [:]
  /// The number of the job that merges the changes of other programs; nil if none does.
  private var mergingChanges: (job: Int, since: ContinuousClock.Instant)?
  /// The queries that a newer one replaced before they ended.
  private var replaced: Set<Int> = []
  /// Input that waits for results.
  private var typedAhead: [InputEvent] = []
  private var newsDue: ContinuousClock.Instant?
  /// External changes are not merged before this time, so that a busy program leaves most of the time to
  /// the keys.
  private var newsPause = ContinuousClock.now
  private static let progressDelay = Duration.milliseconds(200)
  /// Work is not stopped before it has run this long: keys that are sent all at once are not meant to
  /// stop each other.
  private static let stopDelay = Duration.milliseconds(50)

  /// Prepares the screen on a session's store.
  ///
  /// The message line shows `note` until the first key. If there are unsaved changes of a crashed run,
  /// the screen starts with a question about them. `wake` is called, on any thread, when
  /// `takeAnswers()` has something to do.
  package init(
    session: Session,
    size: Size,
    keys: KeyMap = .standard,
    note: String? = nil,
    history: PromptHistory = PromptHistory(),
    wake: @escaping @Sendable () -> Void
  ) {
    performer = EffectPerformer(session)
    self.wake = wake
    core = AppCore(
      AppState(
        status: performer.status,
        entityName: session.entityName,
        size: size,
        keys: keys,
        note: note,
        history: history
      )
    )
  }

  /// The state.
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
  package var isAtRest: Bool { outstanding.isEmpty && mergingChanges == nil && typedAhead.isEmpty }

  // MARK: The thread of the session

  /// Starts the thread of the session, and requests the first screen.
  package func start() {
    let worker = SessionWorker(performer, queue, wake: wake)
    performer.session.watch(wakeForNews)
    nonisolated(unsafe) let handedOver = worker
    let end = ThreadEnd()
    let thread = Thread {
      handedOver.run()
      end.report()
    }
    thread.name = "session"
    // As much as the main thread has: values may be nested deeply.
    thread.stackSize = 8 << 20
    self.end = end
    thread.start()
    request(core.start())
  }

  /// Stops the work, and waits for the thread of the session to end.
  package func finish() {
    queue.close()
    end?.wait()
    performer.session.watch(nil)
  }

  /// The message for an end from outside that keeps the unsaved changes, after `finish()`.
  ///
  /// Nil if there are no such changes, or if they could not be kept.
  package var keptNote: String? { performer.keptNote }

  /// Called when another program saves.
  private var wakeForNews: @Sendable () -> Void {
    let (news, wake) = (news, wake)
    return {
      news.set()
      wake()
    }
  }

  // MARK: Events

  /// Handles an event, or keeps it until its turn.
  package func handle(_ event: InputEvent) {
    guard !shouldQuit else { return }
    switch event {
    case .resize, .terminate, .hangup, .news: send(.input(event))
    case .resumed:
      news.set()
      send(.input(event))
    default:
      if mustWait || !typedAhead.isEmpty {
        typedAhead.append(event)
      } else {
        send(.input(event))
      }
    }
  }

  /// True if a key cannot be understood before a result arrives.
  private var mustWait: Bool {
    guard state.takesTextAtOnce else {
      return outstanding.values.contains { !$0.isOnlyForShow }
    }
    return outstanding.values.contains { !$0.isOnlyForShow && !$0.isReplacedByTyping }
  }

  /// Returns the text from an external editor; nil if the editor changed nothing or failed.
  package func finishEditing(_ text: String?) { send(.edited(text)) }

  /// Shows an error in the message line, such as one of an external editor.
  package func complain(_ text: String) { send(.failed(text)) }

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
    takeNews()
    for answer in queue.takeAnswers() where !shouldQuit { take(answer) }
    stopIfAsked()
    showProgress()
    while !shouldQuit, !mustWait, !typedAhead.isEmpty { send(.input(typedAhead.removeFirst())) }
  }

  /// Stops work that has run for a while if a key that waits asks for it.
  private func stopIfAsked() {
    guard let place = typedAhead.lastIndex(where: \.asksToStop), let current = queue.current,
      ContinuousClock.now - current.since >= Self.stopDelay
    else { return }
    queue.stop()
    typedAhead.removeFirst(place + 1)
  }

  /// Waits for results, so that a fast one is shown together with its key.
  package func settle(for patience: Duration) {
    let deadline = Date(timeIntervalSinceNow: patience / .seconds(1))
    takeAnswers()
    while !shouldQuit, outstanding.values.contains(where: { !$0.isOnlyForShow }),
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
      if isReplaced, answer.message?.isQueried != true { return }
    }
    if let message = answer.message { send(message) }
  }

  // MARK: External changes

  /// Requests merging the changes of other programs, which takes at most a quarter of the time.
  private func takeNews() {
    let now = ContinuousClock.now
    if news.take() { newsDue = newsDue ?? max(now, newsPause) }
    guard let due = newsDue, now >= due, mergingChanges == nil, !shouldQuit else { return }
    newsDue = nil
    let added = queue.add(.takeExternalChanges, seeing: state.facts)
    mergingChanges = (added.number, now)
  }

  private func endMerging() {
    let end = ContinuousClock.now
    let start = mergingChanges?.since ?? end
    mergingChanges = nil
    newsPause = end + max(.milliseconds(100), (end - start) * 3)
  }

  // MARK: Progress

  /// How long to wait for a key, in milliseconds; nil to wait without limit.
  package var patience: Int? {
    var patience: Int?
    if let newsDue {
      patience = max(0, Int(((newsDue - .now) / .milliseconds(1)).rounded(.up)))
    }
    guard !outstanding.isEmpty else { return patience }
    return min(patience ?? .max, typedAhead.contains(where: \.asksToStop) ? 10 : 100)
  }

  /// Names the work that keys are waiting for, once it takes noticeably long.
  private func showProgress() {
    guard let current = queue.current, case .perform(let effect) = current.job.work,
      ContinuousClock.now - current.since >= Self.progressDelay, !effect.isOnlyForShow
    else { return core.state.showWork(nil) }
    let title = current.command?.progress ?? current.command?.name ?? effect.workTitle
    var text = title.hasSuffix("…") ? String(title.dropLast(1)) : title + " "
    if let (done, total) = queue.progress.records {
      text += "\(Self.grouped(done)) of \(Self.grouped(total))"
    } else {
      let seconds = (ContinuousClock.now - current.since) / .seconds(1)
      text += String(format: "%.1f s", seconds)
    }
    let canStop = current.command?.canBeStopped ?? true
    let hint = queue.isStopRequested ? " · stopping …" : canStop ? " · ^C stop" : ""
    core.state.showWork(text + hint)
  }

  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0, place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}

/// The end of a thread, for another one that waits for it.
private final class ThreadEnd: @unchecked Sendable {
  private let condition = NSCondition()
  private var isReported = false

  func report() {
    condition.lock()
    isReported = true
    condition.broadcast()
    condition.unlock()
  }

  func wait() {
    condition.lock()
    while !isReported { condition.wait() }
    condition.unlock()
  }
}
