import Foundation
import Synchronization

/// Checks that a context is used on its own thread.
///
/// A context has no lock. It belongs to one thread at a time and may be handed over as a whole. Swift 6
/// enforces this at compile time. Where the compiler was told not to check, this class rejects the misuse
/// that it can detect: the context of an executor outside its jobs, and any context while another thread is using it.
///
/// The main context may be lent: a function that the main actor awaits may use it on any thread.
final class ContextConfinement {
  /// The thread or executor that owns the context.
  var owner = ContextOwner.nobody
  /// The thread that is using the context; 0 for none.
  ///
  /// The number of a thread is the address of its description, so that its lowest bit is free: it marks an autosave or a
  /// merge that the main queue or an executor started by itself.
  private let worker = Atomic<UInt>(0)
  private let tickMark: UInt = 1
  /// True if another thread has used the main context since the main queue last wanted to.
  private let isLent = Atomic<Bool>(false)
  /// The nesting depth of the worker's calls; only the worker accesses it.
  private var workerDepth = 0
  /// Receives the reports of misuse; its wake-up is canceled when the context is handed over.
  private let inbox: ContextInbox

  init(_ inbox: ContextInbox) { self.inbox = inbox }

  /// True when no call to the context is in progress.
  var isAtRest: Bool { workerDepth == 0 }

  /// Runs part of the context's work; on the wrong thread it does nothing, and the next save on that thread reports
  /// the error.
  func whenAllowed(
    _ operation: StaticString,
    _ entity: @autoclosure () -> String,
    _ body: () -> Void
  ) {
    do throws(PersistenceError) {
      try beginWork("\(operation) \(entity())")
    } catch {
      inbox.complain(error)
      return
    }
    defer { endWork() }
    body()
  }

  /// Runs part of the context's work.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`, or the error of the body.
  func whenAllowed<Result>(_ operation: StaticString, _ body: () throws -> Result) throws -> Result
  {
    try beginWork("\(operation)")
    defer { endWork() }
    return try body()
  }

  /// Checks that the current thread may use the context.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func check() throws {
    if !isOnOwnThread { throw wrongThread("access the context") }
    let worker = self.worker.load(ordering: .relaxed)
    if worker != 0, worker & ~tickMark != currentThreadNumber() {
      throw atWork("access the context")
    }
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
    guard isFree || worker & ~tickMark == thread else { throw atWork(operation()) }
    workerDepth += 1
  }

  @inline(__always)
  private func endWork() {
    workerDepth -= 1
    guard workerDepth == 0, worker.load(ordering: .relaxed) & tickMark == 0 else { return }
    worker.store(0, ordering: .releasing)
  }

  private var isOnOwnThread: Bool {
    switch owner {
    case .nobody: return true
    case .main(let thread):
      if thread != currentThreadNumber(), !MainQueue.isCurrent {
        // The main thread must not be using it meanwhile.
        isLent.store(true, ordering: .relaxed)
      }
      return true
    case .autosaving(let thread):
      if thread != currentThreadNumber(), !MainQueue.isCurrent { handOver() }
      return true
    case .executor(let running):
      return running.number.load(ordering: .relaxed) == currentThreadNumber()
        || !running.hasStarted.load(ordering: .relaxed)
    }
  }

  /// Releases the context from the main queue because another thread uses it now.
  ///
  /// Waits for an autosave that the main queue has already started, because the code that handed the context
  /// over cannot know about it. The caller detects any other work on the main thread.
  private func handOver() {
    let thread = currentThreadNumber()
    while true {
      let (isFree, worker) = self.worker.compareExchange(
        expected: 0,
        desired: thread,
        ordering: .acquiring
      )
      if isFree { break }
      guard worker & tickMark != 0 else { return }
      sched_yield()
    }
    owner = .nobody
    inbox.setWake(nil)
    worker.store(0, ordering: .releasing)
  }

  /// Runs the automatic work of the main queue or an executor while the context is idle.
  ///
  /// Does nothing if the context is in use or was handed to another thread, or if another thread has used the main context
  /// since the last call: the function that did so may still be running.
  ///
  /// - Returns: False if the work has to wait.
  func whenResting(_ body: () -> Void) -> Bool {
    let thread = currentThreadNumber()
    // Not counted as work, because nothing can be merged during work.
    let (isFree, worker) = self.worker.compareExchange(
      expected: 0,
      desired: thread | tickMark,
      ordering: .acquiring
    )
    // During its own work the context is not idle, but the thread is the right one.
    guard isFree else {
      guard worker & ~tickMark == thread else { return false }
      body()
      return true
    }
    defer { self.worker.store(0, ordering: .releasing) }
    if case .nobody = owner { return true }
    if isLent.exchange(false, ordering: .relaxed) { return false }
    body()
    return true
  }

  private func wrongThread(_ operation: String) -> PersistenceError {
    PersistenceError(
      .wrongThread,
      "cannot \(operation) on \(currentThreadName()): the context belongs to a model actor; "
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

/// The owner of a context, as far as it is known.
enum ContextOwner {
  /// No fixed owner: the context may be handed from thread to thread.
  case nobody
  /// The main queue; with the number of the thread that does nothing else, 0 if there is none.
  case main(thread: UInt)
  /// The main queue, where autosave was switched on, until another thread uses the context.
  case autosaving(thread: UInt)
  /// The jobs of an executor.
  case executor(RunningThread)
}
