import Dispatch

extension ModelContext {
  /// Does a part of the context's work, unless this is the wrong thread for it; the next save reports
  /// that.
  @inline(__always)
  func whenAllowed(
    _ operation: StaticString,
    _ entity: @autoclosure () -> String,
    _ body: () -> Void
  ) {
    confinement.whenAllowed(operation, entity(), body)
  }

  /// Does a part of the context's work.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`, and what the body throws.
  func whenAllowed<Result>(_ operation: StaticString, _ body: () throws -> Result) throws -> Result
  {
    try confinement.whenAllowed(operation, body)
  }

  /// Takes in what others saved, if this is the right thread.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func enter() throws {
    try confinement.check()
    mergePendingExternalChanges()
  }

  /// Lets the context belong to the main thread, for good or until another thread uses it.
  ///
  /// - Precondition: Called on the main thread or the main queue.
  func bindToMainThread(untilHandedOver: Bool = false) {
    let thread = currentThreadNumber()
    confinement.owner = untilHandedOver ? .autosaving(thread: thread) : .main(thread: thread)
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
