import Foundation
import Synchronization

/// Who may use a context.
///
/// A context has no lock: it belongs to one thread at a time and may be handed over whole. In Swift 6 the
/// compiler ensures that; where it was made to look away, this refuses what it can see: the main
/// context of a container off the main thread, the context of an executor outside its jobs, any context
/// while another thread is at work in it.
final class ContextConfinement {
  /// Whose thread the context is.
  var owner = ContextOwner.nobody
  /// The thread that is at work in the context, 0 for none.
  private let worker = Atomic<UInt>(0)
  /// True while the worker is an autosave or a merge that the main queue started by itself.
  private let isTicking = Atomic<Bool>(false)
  /// How many calls of the worker are open; touched by the worker only.
  private var workerDepth = 0
  /// Where it complains, and whose wake is called off when the context is handed over.
  private let mailbox: ContextInbox

  init(_ mailbox: ContextInbox) { self.mailbox = mailbox }

  /// True when no call of the context is open.
  var isAtRest: Bool { workerDepth == 0 }

  /// Does a part of the context's work, unless this is the wrong thread for it; the next save reports
  /// that.
  func whenAllowed(
    _ operation: StaticString,
    _ entity: @autoclosure () -> String,
    _ body: () -> Void
  ) {
    do throws(PersistenceError) {
      try beginWork("\(operation) \(entity())")
    } catch {
      mailbox.complain(error)
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

  /// Checks that this is the right thread.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func check() throws {
    if !isOnOwnThread { throw wrongThread("access the context") }
    let worker = self.worker.load(ordering: .relaxed)
    if worker != 0, worker != currentThreadNumber() { throw atWork("access the context") }
  }

  @inline(__always)
  private func beginWork(_ operation: @autoclosure () -> String) throws(PersistenceError) {
    guard isOnOwnThread else { throw wrongThread(operation()) }
    let thread = currentThreadNumber()
    let (isFree, worker) = self.worker.compareExchange(
      expected: 0,
      desired: thread,
      ordering: .acquiring
    )
    guard isFree || worker == thread else { throw atWork(operation()) }
    workerDepth += 1
  }

  @inline(__always)
  private func endWork() {
    workerDepth -= 1
    guard workerDepth == 0, !isTicking.load(ordering: .relaxed) else { return }
    worker.store(0, ordering: .releasing)
  }

  private var isOnOwnThread: Bool {
    switch owner {
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
    if case .autosaving = owner {
      owner = .autosaving(thread: thread)
    } else {
      owner = .main(thread: thread)
    }
    return true
  }

  /// Releases the context from the main queue, because another thread uses it now.
  ///
  /// Waits for an autosave that the main queue began before: whoever handed the context over cannot
  /// know of it. Any other work on the main thread is left for the caller to find.
  private func isHandedOver() -> Bool {
    let thread = currentThreadNumber()
    // An autosave that begins right now has not marked itself yet.
    var patience = 1000
    while true {
      let (isFree, _) = worker.compareExchange(
        expected: 0,
        desired: thread,
        ordering: .acquiring
      )
      if isFree { break }
      patience -= isTicking.load(ordering: .acquiring) ? 0 : 1
      guard patience > 0 else { return true }
      sched_yield()
    }
    owner = .nobody
    mailbox.setWake(nil)
    worker.store(0, ordering: .releasing)
    return true
  }

  /// Does what the main queue or an executor does by itself when the context rests; nothing where the
  /// context is in use or was handed to another thread.
  func whenResting(_ body: () -> Void) {
    let thread = currentThreadNumber()
    let (isFree, worker) = self.worker.compareExchange(
      expected: 0,
      desired: thread,
      ordering: .acquiring
    )
    // In the middle of its own work the context is not at rest, but the thread is the right one.
    guard isFree else { return worker == thread ? body() : () }
    // Not counted as work, during which nothing could be merged.
    isTicking.store(true, ordering: .releasing)
    defer {
      isTicking.store(false, ordering: .releasing)
      self.worker.store(0, ordering: .releasing)
    }
    if case .nobody = owner { return }
    body()
  }

  private func wrongThread(_ operation: String) -> PersistenceError {
    let owner =
      switch owner {
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
}

/// Who may use a context, as far as it can be known.
enum ContextOwner {
  /// Whoever has it: contexts may be handed from thread to thread.
  case nobody
  /// The main thread.
  case main(thread: UInt)
  /// The main thread, which autosave was switched on on, until another thread uses the context.
  case autosaving(thread: UInt)
  /// The jobs of an executor.
  case executor(RunningThread)
}
