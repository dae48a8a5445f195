import DataStoreTesting
import OpenSwiftData
import Testing

/// The cases with several stores on one location.
@Suite struct SharingConformanceTests {
  private static func suite(_ flaw: SharingFlaw?) -> StoreConformance {
    StoreConformance(
      promises: [.history, .sharing],
      rounds: testRounds(20),
      queryStride: testStride(7),
      reopen: { store in
        guard let twin = store as? TwinStore else { return store }
        return TwinStore(twin.configuration)
      },
      makeStore: { schema in
        TwinStore(
          TwinConfiguration(schema: schema, location: try TwinLocation(schema: schema), flaw: flaw)
        )
      }
    )
  }

  @Test(arguments: StoreConformance.cases)
  func storesOnOneLocationKeepTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.suite(nil).findings(of: testCase) == [])
  }

  /// The same stores in containers.
  @Test(arguments: StoreConformance.cases.filter { $0.needs.contains(.sharing) })
  func containersOnOneLocationKeepTheContract(_ testCase: StoreConformance.Case) {
    let suite = StoreConformance(promises: [.order, .sharing], rounds: 5, isLasting: true) {
      schema in
      TwinConfiguration(schema: schema, location: try TwinLocation(schema: schema))
    }
    #expect(suite.findings(of: testCase) == [])
  }

  @Test(arguments: [
    (SharingFlaw.refreshesNothing, "recordsOfAnotherOpenerAreReturnedAfterRefreshing"),
    (.sendsNothing, "refreshSendsTheChangesOfOthers"),
    (.sendsAgain, "refreshSendsTheChangesOfOthers"),
    (.sendsUnderItsLock, "newsAreSentWhileOtherThreadsCanRead"),
    (.overwritesOthers, "recordsOfTwoOpenersAreKept"),
    (.overwritesOthers, "openersMayWriteAtOnce"),
    (.acceptsStaleValues, "aValueThatAnotherOpenerChangedIsAConflict"),
    (.forgetsTransactionsOfOthers, "theHistoryHasTheChangesOfOthers"),
  ])
  func aFlawIsFound(_ flaw: SharingFlaw, by claim: String) throws {
    let testCase = try #require(StoreConformance.cases.first { $0.description == claim })
    #expect(!Self.suite(flaw).findings(of: testCase).isEmpty)
  }
}
