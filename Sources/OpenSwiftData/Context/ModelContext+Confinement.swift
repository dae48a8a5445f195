import Dispatch
import Foundation
import Synchronization

/// Who may use the context.
///
/// A context has no lock: it belongs to one thread at a time and may be handed over whole. The compiler
/// sees to that in Swift 6; where it was made to look away, what can be seen is refused here: the main
/// context of a container off the main thread, the context of an executor outside its jobs, any context
/// while another thread is at work in it.
extension ModelContext {
  /// Does a part of the context's work, unless this is the wrong thread for it.
  ///
  /// What is refused is told by the next save.
  func whenAllowed(
    _ operation: StaticString,
    _ entity: @autoclosure () -> String,
    _ body: () -> Void
  ) {
    do throws(PersistenceError) {
      try beginWork("\(operation) \(entity())")
    } catch {
      surroundings.mailbox.complain(error)
      return
    }
    defer { endWork() }
    body()
  }

  /// Does a part of the context's work.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`, and what the body throws.
  func whenAllowed<Result>(_ operation: StaticString, _ body: () throws -> Result) throws -> Result
  {
    try beginWork("\(operation)")
    defer { endWork() }
    return try body()
  }

  /// Takes in what others saved, if this is the right thread.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func enter() throws {
    let surroundings = surroundings
    if !isOnOwnThread { throw wrongThread("access the context") }
    let worker = surroundings.worker.load(ordering: .relaxed)
    if worker != 0, worker != currentThreadNumber() { throw atWork("access the context") }
    takeMailIfAny()
  }

  @inline(__always)
  private func beginWork(_ operation: @autoclosure () -> String) throws(PersistenceError) {
    let surroundings = surroundings
    guard isOnOwnThread else { throw wrongThread(operation()) }
    let thread = currentThreadNumber()
    let (isFree, worker) = surroundings.worker.compareExchange(
      expected: 0,
      desired: thread,
      ordering: .acquiring
    )
    guard isFree || worker == thread else { throw atWork(operation()) }
    surroundings.workerDepth += 1
  }

  @inline(__always)
  private func endWork() {
    let surroundings = surroundings
    surroundings.workerDepth -= 1
    guard surroundings.workerDepth == 0, !surroundings.isTicking.load(ordering: .relaxed) else {
      return
    }
    surroundings.worker.store(0, ordering: .releasing)
  }

  private var isOnOwnThread: Bool {
    switch surroundings.owner {
    case .nobody: true
    case .main(let thread): thread == currentThreadNumber() || isOnMainQueue()
    case .autosaving(let thread):
      thread == currentThreadNumber() || isOnMainQueue() || isHandedOver()
    case .executor(let running):
      running.number.load(ordering: .relaxed) == currentThreadNumber()
        || !running.hasStarted.load(ordering: .relaxed)
    }
  }

  /// Looks closer: after `dispatchMain()` the main queue is served by changing threads.
  private func isOnMainQueue() -> Bool {
    guard MainQueue.isCurrent else { return false }
    let thread = currentThreadNumber()
    if case .autosaving = surroundings.owner {
      surroundings.owner = .autosaving(thread: thread)
    } else {
      surroundings.owner = .main(thread: thread)
    }
    return true
  }

  /// Releases the context from the main queue, because another thread uses it now.
  ///
  /// Waits for an autosave that the main queue began before: whoever handed the context over cannot
  /// know of it. Any other work on the main thread is left for the caller to find.
  private func isHandedOver() -> Bool {
    let surroundings = surroundings
    let thread = currentThreadNumber()
    // An autosave that begins right now has not marked itself yet.
    var patience = 1000
    while true {
      let (isFree, _) = surroundings.worker.compareExchange(
        expected: 0,
        desired: thread,
        ordering: .acquiring
      )
      if isFree { break }
      patience -= surroundings.isTicking.load(ordering: .acquiring) ? 0 : 1
      guard patience > 0 else { return true }
      sched_yield()
    }
    surroundings.owner = .nobody
    surroundings.mailbox.setWake(nil)
    surroundings.worker.store(0, ordering: .releasing)
    return true
  }

  /// Does what the main queue or an executor does by itself when the context rests; nothing where the
  /// context is in use or was handed to another thread.
  func whenResting(_ body: () -> Void) {
    let surroundings = surroundings
    let thread = currentThreadNumber()
    let (isFree, worker) = surroundings.worker.compareExchange(
      expected: 0,
      desired: thread,
      ordering: .acquiring
    )
    // In the middle of its own work the context is not at rest, but the thread is the right one.
    guard isFree else { return worker == thread ? body() : () }
    // Not counted as work, during which nothing could be merged.
    surroundings.isTicking.store(true, ordering: .releasing)
    defer {
      surroundings.isTicking.store(false, ordering: .releasing)
      surroundings.worker.store(0, ordering: .releasing)
    }
    if case .nobody = surroundings.owner { return }
    body()
  }

  private func wrongThread(_ operation: String) -> PersistenceError {
    let owner =
      switch surroundings.owner {
      case .main, .autosaving: "the main thread"
      default: "a model actor"
      }
    return PersistenceError(
      .wrongThread,
      "cannot \(operation) on \(currentThreadName()): the context belongs to \(owner); "
        + "use a separate ModelContext or a ModelActor"
    )
  }

  private func atWork(_ operation: String) -> PersistenceError {
    PersistenceError(
      .wrongThread,
      "cannot \(operation) on \(currentThreadName()): the context is in use on another thread; "
        + "use one ModelContext per thread or a ModelActor"
    )
  }

  /// Lets the context belong to the main thread, for good or until another thread uses it.
  ///
  /// - Precondition: Called on the main thread or the main queue.
  func bindToMainThread(untilHandedOver: Bool = false) {
    let thread = currentThreadNumber()
    surroundings.owner = untilHandedOver ? .autosaving(thread: thread) : .main(thread: thread)
    let context = UncheckedContext(self)
    surroundings.mailbox.setWake {
      DispatchQueue.main.async { context.value?.tick() }
    }
  }
}

/// A context on its way to its own thread.
///
/// Unchecked because nothing is done with the context before it has arrived there.
struct UncheckedContext: @unchecked Sendable {
  private(set) weak var value: ModelContext?

  init(_ value: ModelContext) { self.value = value }
}

/// The main queue, which tells its jobs apart from others by a mark.
///
/// The main actor runs its jobs there; the main thread serves it, or, after `dispatchMain()`, any thread.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// True on the main thread and in jobs of the main queue.
  static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) ?? false || Thread.isMainThread
  }
}
