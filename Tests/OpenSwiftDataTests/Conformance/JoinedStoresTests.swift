import DataStoreTesting
import OpenSwiftData
import Testing

/// The suite on two stores that have the same entities and are read as one.
@Suite struct JoinedStoresTests {
  private static let pair = StoreConformance(
    promises: [.exactMoments, .infiniteNumbers],
    rounds: testRounds(6),
    queryStride: testStride(7),
    makeConfiguration: { PairConfiguration(schema: $0) }
  )

  /// The claims of one store: that identifiers name it, and that it is never seen between the commits of two.
  private static let ofOneStore: Set<String> = [
    "everyTemporaryIdentifierIsReplacedOnce", "threadsMayReadAndWriteAtOnce",
  ]

  @Test(
    arguments: StoreConformance.cases.filter {
      !JoinedStoresTests.ofOneStore.contains($0.description)
    }
  )
  func twoStoresKeepTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.pair.findings(of: testCase) == [])
  }
}
