import Foundation
import OpenSwiftData
import Synchronization

/// The queue of work for the session's thread, and of answers for the screen's thread.
///
/// Work is performed in the order of the requests, with two exceptions: a query replaces one that has
/// not ended, and counting waits until no other work is left.
///
/// Callable from both threads. Unchecked because the condition protects the mutable properties: they are
/// accessed only in `locked(_:)` and `changing(_:)`.
///
/// Invariants, while the condition is locked:
/// 1. The numbers of the waiting jobs ascend.
/// 2. At most one query is waiting, at most one search, and one job of each kind that can wait.
final class WorkQueue: @unchecked Sendable {
  /// One piece of work.
  struct Job: Sendable {
    enum Work: Sendable {
      /// Perform an effect.
      case perform(Effect)
      /// Merge what other programs have saved.
      case takeExternalChanges
    }

    let number: Int
    let work: Work
    /// What the screen showed when the work was requested.
    let facts: ScreenFacts
  }

  /// The end of a job.
  struct Answer: Sendable {
    /// The job; nil for a message without a request.
    let job: Int?
    let message: AppMessage?
  }

  private let now: @Sendable () -> ContinuousClock.Instant
  private let condition = NSCondition()
  private var waiting: [Job] = []
  /// The jobs that start when no other work is left.
  private var idle: [Job] = []
  private var running: Job?
  private var runningSince: ContinuousClock.Instant
  private var answers: [Answer] = []
  private var lastNumber = 0
  /// Jobs up to this number should stop.
  private var lastStopped = 0
  private var isClosed = false
  /// The command that the running job performs; nil for none.
  private var command: Command?
  /// Asks the running job to stop.
  private let isStopping = Atomic(false)
  private let hasClosed = Atomic(false)
  /// The progress of the running job.
  let progress = WorkProgress()

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
    runningSince = now()
  }

  /// True if the running job should stop.
  var isStopRequested: Bool { isStopping.load(ordering: .relaxed) }

  /// True once the queue is closed, so that all work should end.
  var isEnding: Bool { hasClosed.load(ordering: .relaxed) }

  // MARK: On the thread of the screen

  /// Adds work, and removes what it replaces.
  ///
  /// - Returns: The number of the new job, and the number of the replaced one; nil if there is none.
  func add(_ work: Job.Work, seeing facts: ScreenFacts) -> (number: Int, replaced: Int?) {
    changing {
      lastNumber += 1
      let job = Job(number: lastNumber, work: work, facts: facts)
      let replaced = drop { work.replaces($0) }
      if work.canWait {
        idle.append(job)
      } else {
        waiting.append(job)
        if running?.work.canWait == true { isStopping.store(true, ordering: .relaxed) }
      }
      return (job.number, replaced)
    }
  }

  /// Removes the job that has not begun, or stops the one that is running.
  private func drop(_ isReplaced: (Job.Work) -> Bool) -> Int? {
    if let place = waiting.firstIndex(where: { isReplaced($0.work) }) {
      return waiting.remove(at: place).number
    }
    if let place = idle.firstIndex(where: { isReplaced($0.work) }) {
      return idle.remove(at: place).number
    }
    guard let running, isReplaced(running.work) else { return nil }
    isStopping.store(true, ordering: .relaxed)
    return running.number
  }

  /// Asks all work that was added so far to stop.
  func stop() {
    locked {
      lastStopped = lastNumber
      if running != nil { isStopping.store(true, ordering: .relaxed) }
    }
  }

  /// Removes and returns the answers so far, oldest first.
  func takeAnswers() -> [Answer] {
    locked {
      defer { answers = [] }
      return answers
    }
  }

  /// Waits until there is an answer, at most until the deadline; false if there is none.
  func waitForAnswer(until deadline: Date) -> Bool {
    locked {
      while answers.isEmpty {
        guard condition.wait(until: deadline) else { return !answers.isEmpty }
      }
      return true
    }
  }

  /// The running job and when it started; nil if none is running.
  var current: (job: Job, command: Command?, since: ContinuousClock.Instant)? {
    locked { running.map { ($0, command, runningSince) } }
  }

  /// Closes the queue: the running job should stop, and no other starts.
  func close() {
    changing {
      isClosed = true
      hasClosed.store(true, ordering: .relaxed)
      waiting = []
      idle = []
      isStopping.store(true, ordering: .relaxed)
    }
  }

  // MARK: On the thread of the session

  /// What the thread of the session does next.
  enum Step {
    case perform(Job)
    /// No work arrived until the deadline.
    case pause
    case end
  }

  /// Waits for the next job, at most until the deadline.
  func next(until deadline: Date?) -> Step {
    locked {
      while true {
        if isClosed { return .end }
        if let job = takeJob() {
          running = job
          runningSince = now()
          command = nil
          progress.reset()
          // Jobs that can wait start after a stop, too: no key waits for them.
          let isStopped = job.number <= lastStopped && !job.work.canWait
          isStopping.store(isStopped, ordering: .relaxed)
          return .perform(job)
        }
        if let deadline {
          guard condition.wait(until: deadline) else { return .pause }
        } else {
          condition.wait()
        }
      }
    }
  }

  private func takeJob() -> Job? {
    assert(zip(waiting, waiting.dropFirst()).allSatisfy { $0.number < $1.number }, "1: in order")
    assert(
      waiting.indices.allSatisfy { place in
        !waiting[..<place].contains { waiting[place].work.replaces($0.work) }
      },
      "2: a query replaces another"
    )
    if !waiting.isEmpty { return waiting.removeFirst() }
    return idle.isEmpty ? nil : idle.removeFirst()
  }

  /// Notes the command that the running job performs.
  func announce(_ command: Command) { locked { self.command = command } }

  /// Ends the running job with its answer.
  ///
  /// A job that yielded to other work runs again later, also if that work was asked to stop: no key waits for it.
  func finish(_ job: Job, _ message: AppMessage?) {
    changing {
      running = nil
      if job.work.canWait, isStopRequested, !isClosed {
        if !idle.contains(where: { $0.work.replaces(job.work) }) { idle.append(job) }
      } else {
        answers.append(Answer(job: job.number, message: message))
      }
    }
  }

  /// Adds a message that does not answer a request.
  func post(_ message: AppMessage) {
    changing { answers.append(Answer(job: nil, message: message)) }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }

  /// Runs the body, and wakes the threads that wait for work or answers.
  private func changing<Result>(_ body: () -> Result) -> Result {
    locked {
      defer { condition.broadcast() }
      return body()
    }
  }
}

extension WorkQueue.Job.Work {
  /// True if Esc stops it like `^C`.
  var isStoppedByEscape: Bool {
    if case .perform(let effect) = self { return effect.isStoppedByEscape }
    return true
  }

  /// True for work that runs only when no other work is left.
  fileprivate var canWait: Bool {
    if case .perform(let effect) = self { return effect.urgency == .background }
    return false
  }

  fileprivate func replaces(_ other: WorkQueue.Job.Work) -> Bool {
    guard case .perform(let effect) = self, case .perform(let older) = other else { return false }
    return effect.replaces(older)
  }
}
