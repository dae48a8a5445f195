import Foundation
import FuzzTargets
import Testing

/// Scripts of random commands, run on all stores and by the rules at once; `make torture ONLY=lockstep`
/// searches on.
@Suite struct LockstepTests {
  private static let seed = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }

  @Test(
    .enabled(if: seed != nil, "SEED= names the first of the scripts"),
    arguments: 0..<UInt64(24)
  )
  func allStoresDoWhatTheRulesSay(number: UInt64) throws {
    let seed = try #require(Self.seed) &+ number
    print("seed \(seed)")
    #expect(throws: Never.self) { _ = try Lockstep(seed: seed).run() }
  }

  /// Mistakes that were once made are met by some script.
  @Test(
    .enabled(if: seed != nil, "SEED= names the first of the scripts"),
    arguments: LockstepFlaw.allCases
  )
  func plantedMistakesAreFound(flaw: LockstepFlaw) {
    // A run that throws has found something.
    let isFound = (UInt64(1)...60).contains { seed in
      (try? Lockstep(seed: seed, flaw: flaw).run()) == nil
    }
    #expect(isFound)
  }
}
