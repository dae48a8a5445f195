import CatalogApp
import Foundation

extension LiveRunner {
  /// Takes answers until a condition holds; false if it does not within a minute.
  ///
  /// On a busy machine the thread of the session may have to wait long, also for work that no key waits for.
  func takeAnswers(until holds: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    settle(for: .milliseconds(1))
    while !holds() {
      guard .now < end else { return false }
      Thread.sleep(forTimeInterval: 0.0005)
      settle(for: .milliseconds(1))
    }
    return true
  }
}
