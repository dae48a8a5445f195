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
    DispatchQueue.getSpecific(key: key) ?? false || Thread.isMainThread
  }
}
