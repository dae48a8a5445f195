import Testing

@testable import StoreTorture

@Suite struct DatabaseCrashTests {
  @Test(arguments: DatabaseCrashes.all)
  func noPowerFailureLosesAnAcknowledgedSave(crashes: DatabaseCrashes) throws {
    let step =
      switch crashes.work {
      case .create, .save: 17
      case .large: 11
      case .schema, .compact: 31
      }
    let figures = try crashes.run(seed: 20_261_125, subsetLimit: 4, samples: 2, step: step)
    #expect(figures.wrong == 0, "\(figures.examples)")
    #expect(figures.tries > 5)
  }

  @Test(arguments: TorturedDatabase.allCases)
  func aLostSynchronizationIsFound(database: TorturedDatabase) throws {
    // Without synchronizations nothing becomes durable, and there are ever more states.
    var count = 0
    let figures = try DatabaseCrashes(database, .save).run(
      seed: 3,
      step: 5,
      losesSynchronizations: true,
      isOver: {
        count += 1
        return count > 1500
      }
    )
    #expect(figures.wrong > 0)
  }
}

@Suite struct DatabaseFaultTests {
  @Test(arguments: DatabaseFaults.all)
  func noFailureOfACallLosesAnything(faults: DatabaseFaults) throws {
    let figures = try faults.run(from: 3, step: 11)
    #expect(figures.wrong == 0, "\(figures.examples)")
    #expect(figures.tries > 10)
  }

  @Test(arguments: TorturedDatabase.allCases)
  func aHiddenFailureIsFound(database: TorturedDatabase) throws {
    let figures = try DatabaseFaults(database, .save).run(step: 11, kinds: [.silent])
    #expect(figures.wrong > 0)
  }
}

@Suite struct DatabaseDamageTests {
  @Test(arguments: TorturedDatabase.allCases)
  func nothingIsWrittenToAFileThatIsKnownToBeDamaged(database: TorturedDatabase) throws {
    let damage = try DatabaseDamage(database)
    let figures = try damage.run(stride(from: 0, to: damage.goal, by: 5), seed: 7)
    #expect(figures.wrong == 0, "\(figures.examples)")
    #expect(figures.tries > 20)
  }

  @Test func aSaveIntoADamagedFileIsFound() throws {
    let damage = try DatabaseDamage(.own, isFlawed: true)
    let figures = try damage.run(stride(from: 0, to: damage.goal, by: 5), seed: 7)
    #expect(figures.wrong > 0)
  }
}
