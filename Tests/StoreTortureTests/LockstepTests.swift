import Foundation
import FuzzTargets
import Testing

/// Scripts of random commands, run on all stores and on the model; `make torture ONLY=lockstep`
/// continues the search.
@Suite struct LockstepTests {
  /// `SEED=` selects the first script of a run; without it, each run has different scripts.
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64(UInt32.max))

  @Test(arguments: 0..<UInt64(6))
  func allStoresDoWhatTheRulesSay(number: UInt64) throws {
    let seed = Self.seed &+ number
    print("seed \(seed)")
    #expect(throws: Never.self) { _ = try Lockstep(seed: seed).run() }
  }

  /// Some script finds each former bug that is planted in the model.
  @Test(arguments: LockstepFlaw.allCases)
  func plantedMistakesAreFound(flaw: LockstepFlaw) {
    // Few scripts delete a record that another one refers to and then show it, so the search begins
    // near such a script.
    let first: UInt64 = flaw == .leavesLinks ? 130 : 1
    // A run that throws has found a difference.
    let isFound = (first..<first + 60).contains { seed in
      (try? Lockstep(seed: seed, flaw: flaw).run()) == nil
    }
    #expect(isFound)
  }
}
