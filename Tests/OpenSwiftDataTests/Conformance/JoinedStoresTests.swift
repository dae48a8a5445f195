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

  @Test(arguments: StoreConformance.cases)
  func twoStoresKeepTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.pair.findings(of: testCase) == [])
  }
}
