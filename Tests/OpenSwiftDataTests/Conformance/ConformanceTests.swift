import DataStoreTesting
import OpenSwiftData
import Testing

@Suite struct ConformanceTests {
  private static let reference = StoreConformance(
    rounds: testRounds(250),
    reopen: { $0 }
  ) { schema in
    try ReferenceStore(ReferenceStoreConfiguration(schema: schema))
  }

  @Test(arguments: StoreConformance.cases)
  func theReferenceKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.reference.findings(of: testCase) == [])
  }

  @Test func everyClaimHasItsOwnName() {
    #expect(Set(StoreConformance.cases).count == StoreConformance.cases.count)
    #expect(StoreConformance.cases.count >= 50)
  }

  private static func finds(_ flaw: Flaw?, by claim: String) throws -> Bool {
    let conformance = StoreConformance { schema in
      try FlawedStore(FlawedConfiguration(schema: schema, flaw: flaw))
    }
    let testCase = try #require(StoreConformance.cases.first { $0.description == claim })
    return !conformance.findings(of: testCase).isEmpty
  }

  @Test(arguments: [
    (Flaw.dropsAnUpdate, "uniqueValuesMayChangePlacesInOneCommit"),
    (.keepsATemporaryLink, "referencesBetweenNewRecordsAreReplaced"),
    (.ignoresTheOffset, "limitAndOffsetCutTheSortedRecords"),
    (.reportsATemporaryIdentifier, "everyTemporaryIdentifierIsReplacedOnce"),
    (.acceptsStaleRecords, "updatingAStaleRecordIsAConflict"),
    (.sortsNullsFirst, "sortingFollowsEveryKeyAndKeepsTheOrderOfEquals"),
    (.forgetsTheAuthor, "theHistoryTellsWhatWasCommittedInOrder"),
    (.foldsUnicode, "everyTextComesBackByteByByte"),
    (.commitsHalfOfAFailure, "aRequiredValueMustBeThereInANewRecord"),
    (.forgetsConstraints, "valuesThatAreUniqueTogetherStayDifferent"),
  ])
  func aFlawIsFound(_ flaw: Flaw, by claim: String) throws {
    #expect(try Self.finds(flaw, by: claim))
    #expect(try !Self.finds(nil, by: claim))
  }
}
