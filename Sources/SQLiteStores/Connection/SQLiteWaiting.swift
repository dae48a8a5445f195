import Foundation
import OpenSwiftData

/// Waits for another program that has locked the database: reports for how long, and ends when the user cancels it.
final class SQLiteWaiting {
  /// How long to wait.
  var limit = Duration.zero
  /// How long the running statement has waited; nil if it has not.
  private(set) var waited: Duration?
  private var start = ContinuousClock.now
  private var pause = Duration.zero
  private var counter: WorkCounter?

  private static let longestPause = Duration.milliseconds(25)

  /// Waits a moment; false if that was enough.
  func waits(isFirst: Bool) -> Bool {
    if isFirst {
      start = .now
      pause = .milliseconds(1)
      counter = WorkCounter(
        "waiting for another program,",
        of: Int(limit / .milliseconds(1)),
        unit: .milliseconds
      )
    }
    let elapsed = ContinuousClock.now - start
    waited = elapsed
    guard elapsed < limit else { return false }
    do {
      try counter?.advance(to: Int(elapsed / .milliseconds(1)))
    } catch {
      return false
    }
    Thread.sleep(forTimeInterval: min(pause, limit - elapsed) / .seconds(1))
    pause = min(pause * 2, Self.longestPause)
    return true
  }

  /// Ends the report.
  func end() { (counter, waited) = (nil, nil) }
}
