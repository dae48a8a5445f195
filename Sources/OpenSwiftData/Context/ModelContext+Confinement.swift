import Dispatch

extension ModelContext {
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
