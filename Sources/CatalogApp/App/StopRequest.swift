import Synchronization

/// Whether one piece of work is to be stopped: once it is, that stays so for all that is left of it.
final class StopRequest: Sendable {
  private let question: @Sendable () -> Bool
  private let isStopped = Atomic(false)

  /// Creates a request that stops once the closure returns true.
  init(_ question: @escaping @Sendable () -> Bool) { self.question = question }

  /// True when the work is to be stopped.
  var isWanted: Bool {
    if isStopped.load(ordering: .relaxed) { return true }
    guard question() else { return false }
    isStopped.store(true, ordering: .relaxed)
    return true
  }
}
