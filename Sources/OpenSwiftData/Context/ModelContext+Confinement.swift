import Dispatch

extension ModelContext {
  /// Merges the changes of other contexts if the current thread may use the context.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func enter() throws {
    try confinement.check()
    mergePendingExternalChanges()
  }

  /// Binds the context to the main thread, permanently or until another thread uses it.
  ///
  /// - Precondition: Called on the main thread or the main queue.
  func bindToMainThread(untilHandedOver: Bool = false) {
    let thread = currentThreadNumber()
    confinement.owner = untilHandedOver ? .autosaving(thread: thread) : .main(thread: thread)
    let context = UncheckedContext(self)
    surroundings.inbox.setWake {
      DispatchQueue.main.async { context.value?.tick() }
    }
  }
}

/// A context on its way to its own thread.
///
/// Unchecked because the context is not used before it has arrived there.
struct UncheckedContext: @unchecked Sendable {
  private(set) weak var value: ModelContext?

  init(_ value: ModelContext) { self.value = value }
}
