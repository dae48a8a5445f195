import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// The suite over stores that consist of a format.
@Suite struct FormatConformanceTests {
  private static let folder = Result { try TestFolder() }

  private static func newFile() throws -> URL {
    try folder.get().file("\(UUID().uuidString).json")
  }

  private static func memory(_ flaw: MemoryFormat.Flaw? = nil) -> StoreConformance {
    StoreConformance(
      promises: [.history, .schemaChanges, .migration, .sharing],
      rounds: testRounds(150),
      reopen: { store in
        guard let store = store as? FormatStore<MemoryFormat> else { return store }
        var configuration = store.configuration
        configuration.schema = store.schema
        return try FormatStore(configuration)
      },
      failNextSave: {
        ($0 as? FormatStore<MemoryFormat>)?.configuration.format.location.fail(.inaccessible)
      }
    ) { schema in
      try FormatStore(FormatStoreConfiguration(MemoryFormat(flaw: flaw), schema: schema))
    }
  }

  private static func connected(_ flaw: MemoryFormat.Flaw? = nil) -> StoreConformance {
    StoreConformance(
      promises: [.waist, .schemaChanges, .detectsConflicts, .sharing],
      rounds: testRounds(60),
      queryStride: testStride(5),
      isLasting: true,
      failNextSave: { $0.configuration.format.location.fail(.inaccessible) },
      makeConfiguration: { FormatStoreConfiguration(MemoryFormat(flaw: flaw), schema: $0) }
    )
  }

  private static let small = StoreConformance(
    promises: [.waist, .detectsConflicts],
    rounds: testRounds(60),
    queryStride: testStride(5),
    isLasting: true,
    makeConfiguration: { FormatStoreConfiguration(SmallFormat(url: try newFile()), schema: $0) }
  )

  @Test(arguments: StoreConformance.cases)
  func aFormatInMemoryKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.memory().findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func aFormatInAContainerKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.connected().findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func twoFunctionsKeepTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.small.findings(of: testCase) == [])
  }

  @Test func onlyALastingHistoryIsNotOffered() {
    let suites = [Self.memory(), Self.connected()]
    let missing = StoreConformance.cases.filter { testCase in
      suites.allSatisfy { suite in
        if case .notOffered = suite.outcome(of: testCase) { true } else { false }
      }
    }
    #expect(Set(missing.map(\.description)) == ["theHistoryOutlivesTheStore"])
  }

  @Test(arguments: [
    (MemoryFormat.Flaw.dropsARecord, "whatWasCommittedOutlivesTheStore"),
    (.forgetsDeletions, "deletedRecordsAreGone"),
    (.reversesTheOrder, "whatWasCommittedOutlivesTheStore"),
    (.roundsMoments, "extremeValuesComeBackExactly"),
    (.hidesVersions, "anotherContainersChangeOfTheSameValueIsAConflict"),
  ])
  func aFlawOfAFormatIsFound(_ flaw: MemoryFormat.Flaw, by claim: String) throws {
    let testCase = try #require(StoreConformance.cases.first { $0.description == claim })
    #expect(!Self.connected(flaw).findings(of: testCase).isEmpty)
  }
}
