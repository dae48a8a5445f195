import Synchronization

/// A request to stop one piece of work: once it is made, it applies to all remaining parts of the work.
final class StopRequest: Sendable {
  private let question: @Sendable () -> Bool
  private let isStopped = Atomic(false)

  /// Creates a request that stops once the closure returns true.
  init(_ question: @escaping @Sendable () -> Bool) { self.question = question }

  /// True if the work should stop.
  var isWanted: Bool {
    if isStopped.load(ordering: .relaxed) { return true }
    guard question() else { return false }
    isStopped.store(true, ordering: .relaxed)
    return true
  }
}
