import Dispatch

extension ModelContext {
  /// The error of an insertion, change or deletion that had no effect because another thread was using the context; nil if
  /// there was none since a save has thrown it or the changes were rolled back.
  ///
  /// Only a save on the thread of that operation throws it: the thread that used the context rightly is not disturbed.
  public var refusedUse: (any Error)? { surroundings.inbox.complaint }

  /// Binds the context to the main thread, permanently or until another thread uses it.
  ///
  /// - Precondition: Called on the main thread or the main queue.
  func bindToMainThread(untilHandedOver: Bool = false) {
    let thread = MainQueue.ownThreadNumber
    confinement.owner = untilHandedOver ? .autosaving(thread: thread) : .main(thread: thread)
    let context = UncheckedContext(self)
    surroundings.inbox.setWake {
      DispatchQueue.main.async { context.value?.tickOnMainQueue() }
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
