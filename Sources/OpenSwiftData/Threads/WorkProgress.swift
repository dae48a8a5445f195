import Synchronization

/// One part of some work, and how far it is.
package struct WorkStage: Hashable, Sendable {
  /// What is counted.
  package enum Unit: Hashable, Sendable {
    case records, bytes, milliseconds
  }

  /// What is done, such as `reading`; empty if the name of the work is enough.
  package let title: String
  /// What `done` and `total` count.
  package let unit: Unit
  /// How much is done; never more than the total.
  package fileprivate(set) var done = 0
  /// How much is to be done; more than 0.
  package let total: Int

  /// Describes a part of some work that has not begun.
  package init(_ title: String = "", unit: Unit = .records, total: Int) {
    (self.title, self.unit, self.total) = (title, unit, total)
  }
}

/// How far some work is, written by its thread and read by another one.
package final class WorkProgress: Sendable {
  private struct State {
    var stage: WorkStage?
    /// True while a counter reports.
    var isCounted = false
  }

  private let state = Mutex(State())
  private let observer: (@Sendable (WorkStage) -> Void)?

  /// Creates a progress without a report; the observer gets each report, on the thread of the work.
  package init(observer: (@Sendable (WorkStage) -> Void)? = nil) { self.observer = observer }

  /// The last report; nil before the first one.
  package var stage: WorkStage? { state.withLock { $0.stage } }

  /// Forgets everything that was reported.
  package func reset() { state.withLock { $0 = State() } }

  /// Lets a counter report; false while another one does.
  fileprivate func begin(_ stage: WorkStage) -> Bool {
    let isFirst = state.withLock { state in
      if state.isCounted { return false }
      state = State(stage: stage, isCounted: true)
      return true
    }
    if isFirst { observer?(stage) }
    return isFirst
  }

  fileprivate func report(_ stage: WorkStage) {
    state.withLock { $0.stage = stage }
    observer?(stage)
  }

  /// The last report stays until the next part begins.
  fileprivate func end() { state.withLock { $0.isCounted = false } }
}

/// Counts one part of some work: reports how far it is, and periodically checks whether to stop.
///
/// While a counter exists, those created later on the same thread only check, because they count parts of its work.
///
/// Confined to one thread.
package final class WorkCounter {
  /// Nil if progress is not reported, or if another counter reports it.
  private let progress: WorkProgress?
  private var stage: WorkStage
  private let period: Int
  private var left: Int

  /// Begins a part of the work with as many records, bytes or milliseconds.
  package init(_ title: String = "", of total: Int, unit: WorkStage.Unit = .records) {
    stage = WorkStage(title, unit: unit, total: total)
    period =
      switch unit {
      case .records: 2048
      case .bytes: 1 << 16
      case .milliseconds: 50
      }
    left = period
    let progress = total > 0 ? Interruption.progress : nil
    self.progress = progress?.begin(stage) == true ? progress : nil
  }

  deinit { progress?.end() }

  /// Adds records or bytes that are done.
  ///
  /// - Throws: `Interruption.Stopped`, at most about a millisecond of work after the request.
  package func add(_ count: Int = 1) throws {
    stage.done = min(stage.done + count, stage.total)
    left -= count
    if left <= 0 || stage.done == stage.total { try tell() }
  }

  /// Sets how many records or bytes are done, which are never fewer than before.
  ///
  /// - Throws: As `add(_:)`.
  package func advance(to done: Int) throws {
    if done > stage.done { try add(done - stage.done) }
  }

  private func tell() throws {
    left = period
    progress?.report(stage)
    try Interruption.check()
  }
}
