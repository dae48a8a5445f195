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
