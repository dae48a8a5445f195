import DataStoreTesting
import FuzzTargets
import Testing

/// Scripts of random commands, run on all stores and on the model; `make torture ONLY=lockstep`
/// continues the search.
@Suite struct LockstepTests {
  @Test(arguments: 0..<UInt64(6))
  func allStoresDoWhatTheRulesSay(number: UInt64) throws {
    let seed = SeededGenerator.testSeed &+ number
    print("seed \(seed)")
    #expect(throws: Never.self) { _ = try Lockstep(seed: seed).run() }
  }

  /// Some script finds each former bug that is planted in the model.
  @Test(arguments: LockstepFlaw.allCases)
  func plantedMistakesAreFound(flaw: LockstepFlaw) {
    // The search begins at a script that finds the mistake; if scripts change, another one does.
    let first: UInt64 =
      switch flaw {
      case .leavesLinks: 137
      case .losesEmptyStores, .readsTexts: 6
      case .roundsMoments: 3
      case .leavesEntities, .roundsDefaults: 2
      }
    // A run that throws has found a difference.
    let finder = (first..<first + 60).first { seed in
      (try? Lockstep(seed: seed, flaw: flaw).run()) == nil
    }
    print("the seed \(finder ?? 0) finds \(flaw)")
    #expect(finder != nil)
  }
}
