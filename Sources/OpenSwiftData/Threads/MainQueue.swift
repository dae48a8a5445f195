import Dispatch
import Foundation

/// The main queue, whose jobs are identified by a queue-specific mark.
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
    Thread.isMainThread || DispatchQueue.getSpecific(key: key) ?? false
  }

  /// The number of the current thread if it does nothing but the jobs of the main queue, else 0.
  ///
  /// After `dispatchMain()`, which ends the main thread, the threads that serve the main queue run other jobs as well.
  static var ownThreadNumber: UInt { Thread.isMainThread ? currentThreadNumber() : 0 }
}
