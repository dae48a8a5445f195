import Foundation
import FuzzTargets
import Testing

/// Scripts of random commands, run on all stores and by the rules at once; `make torture ONLY=lockstep`
/// searches on.
@Suite struct LockstepTests {
  /// `SEED=` names the first script of a run; without it each run has others.
  private static let seed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64(UInt32.max))

  @Test(arguments: 0..<UInt64(6))
  func allStoresDoWhatTheRulesSay(number: UInt64) throws {
    let seed = Self.seed &+ number
    print("seed \(seed)")
    #expect(throws: Never.self) { _ = try Lockstep(seed: seed).run() }
  }

  /// Mistakes that were once made, planted in the rules, are met by some script.
  @Test(arguments: LockstepFlaw.allCases)
  func plantedMistakesAreFound(flaw: LockstepFlaw) {
    // Few scripts delete a record that another one refers to and look at it; the search begins near one.
    let first: UInt64 = flaw == .leavesLinks ? 130 : 1
    // A run that throws has found something.
    let isFound = (first..<first + 60).contains { seed in
      (try? Lockstep(seed: seed, flaw: flaw).run()) == nil
    }
    #expect(isFound)
  }
}
