import DataStoreTesting
import OpenSwiftData
import Testing

@Suite struct ConformanceTests {
  private static let reference = StoreConformance(reopen: { $0 }) { schema in
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

  private static func claims(foundIn flaw: Flaw) -> Set<String> {
    let conformance = StoreConformance { schema in
      try FlawedStore(FlawedConfiguration(schema: schema, flaw: flaw))
    }
    return Set(conformance.run().map(\.claim))
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
  ])
  func aFlawIsFound(_ flaw: Flaw, by claim: String) {
    let found = Self.claims(foundIn: flaw)
    #expect(found.contains(claim), "found instead: \(found.sorted())")
  }

  @Test func aStoreWithoutAFlawIsFoundFaultless() throws {
    let conformance = StoreConformance { schema in
      try FlawedStore(FlawedConfiguration(schema: schema))
    }
    #expect(conformance.run() == [])
  }
}
