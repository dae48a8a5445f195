import Foundation
import OpenSwiftData

/// Performs work on the session, on a thread of its own.
///
/// After each command it writes the unsaved changes to the recovery file, before the screen shows them.
/// If the last write was slow, it follows within half a second.
final class SessionWorker {
  private let performer: EffectPerformer
  private let queue: WorkQueue
  /// Called when there is an answer.
  private let wake: @Sendable () -> Void
  /// The time of the oldest edit that is not in the recovery file yet; nil if there is none.
  private var editedAt: ContinuousClock.Instant?
  /// The time of the oldest recovery line that is not synchronized yet; nil if there is none.
  private var keptAt: ContinuousClock.Instant?
  private var isKeepingSlow = false
  private static let keepingDelay = Duration.milliseconds(500)
  private static let slowKeeping = Duration.milliseconds(20)

  init(_ performer: EffectPerformer, _ queue: WorkQueue, wake: @escaping @Sendable () -> Void) {
    (self.performer, self.queue, self.wake) = (performer, queue, wake)
    performer.reader.isCancelled = { queue.isStopRequested }
    performer.willRun = { queue.announce($0) }
  }

  /// Works until the queue is closed.
  ///
  /// The end of the queue stops everything but keeping unsaved changes; each effect can also be stopped alone.
  func run(in _: Interruption.Scope) {
    while true {
      switch queue.next(until: deadline) {
      case .perform(let job):
        Interruption.beginPiece()
        if case .perform(.beginTour) = job.work { report(Interruption.ignored(keepAllEdits)) }
        let message = Interruption.reporting(to: queue.progress) { perform(job) }
        let complaints = keepEdits()
        queue.finish(job, message)
        report(complaints)
        wake()
      case .pause: report(keepEdits())
      case .end: return
      }
    }
  }

  private func perform(_ job: WorkQueue.Job) -> AppMessage? {
    switch job.work {
    case .perform(let effect): performer.perform(effect, seeing: job.facts)
    case .takeExternalChanges: performer.takeExternalChanges(seeing: job.facts)
    }
  }

  /// When edits must be kept or synchronized; nil if there are none.
  private var deadline: Date? {
    guard editedAt != nil || keptAt != nil else { return nil }
    let due = [editedAt, keptAt].compactMap { $0 }.min().map { $0 + Self.keepingDelay }
    return due.map { Date(timeIntervalSinceNow: max(0, ($0 - .now) / .seconds(1))) }
  }

  /// Writes unsaved changes to the recovery file; written changes reach the disk within half a second.
  ///
  /// - Returns: What could not be done. It follows the answer to the command, whose message would replace it.
  private func keepEdits() -> [AppMessage] { Interruption.ignored(keepEditsWhenDue) }

  private func keepEditsWhenDue() -> [AppMessage] {
    let now = ContinuousClock.now
    var complaints: [AppMessage] = []
    if performer.hasEditsToKeep {
      let due = editedAt ?? now
      editedAt = due
      if !isKeepingSlow || now - due >= Self.keepingDelay {
        complaints += [performer.keepEdits()].compactMap { $0 }
        isKeepingSlow = ContinuousClock.now - now > Self.slowKeeping
        editedAt = nil
      }
    }
    guard performer.needsSynchronizing else {
      keptAt = nil
      return complaints
    }
    let due = keptAt ?? now
    keptAt = due
    guard now - due >= Self.keepingDelay else { return complaints }
    complaints += [performer.synchronizeEdits()].compactMap { $0 }
    keptAt = nil
    return complaints
  }

  /// Writes all unsaved changes to the recovery file, because nothing does while the store is put aside.
  private func keepAllEdits() -> [AppMessage] {
    (editedAt, keptAt) = (nil, nil)
    return [performer.keepEdits(), performer.synchronizeEdits()].compactMap { $0 }
  }

  private func report(_ complaints: [AppMessage]) {
    guard !complaints.isEmpty else { return }
    for complaint in complaints { queue.post(complaint) }
    wake()
  }
}
