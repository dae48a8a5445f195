import DataStoreTesting
import OpenSwiftData
import Testing

@Suite struct ConformanceTests {
  private static let reference = StoreConformance(
    promises: .all,
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

  @Test(arguments: StoreConformance.cases)
  func everyClaimNamesTheSentenceOfTheContract(_ testCase: StoreConformance.Case) {
    #expect(testCase.contract.hasSuffix("."), "add \(testCase) to StoreConformance.sentences")
  }

  @Test func aReportSumsUpForAPage() {
    let report = StoreConformance(rounds: 5) { schema in
      try FlawedStore(FlawedConfiguration(schema: schema, flaw: .foldsUnicode))
    }
    .run()
    let offered = report.outcomes.count - report.notOffered.count
    let failed = Set(report.findings.map(\.claim)).count
    #expect(failed > 0)
    #expect(report.summary == "holds \(offered - failed) of \(offered)")
    #expect(report.table.hasPrefix("| promise | holds |\n|---|---|\n| every store | "))
    #expect(report.table.hasSuffix("| **all** | \(offered - failed) of \(offered) |"))
  }

  /// "é" in two spellings looks the same: the bytes tell them apart.
  @Test func aDifferenceOfTextsNamesTheFirstByte() throws {
    let conformance = StoreConformance(promises: .all) { schema in
      try FlawedStore(FlawedConfiguration(schema: schema, flaw: .foldsUnicode))
    }
    let testCase = try #require(
      StoreConformance.cases.first { $0.description == "everyTextComesBackByteByByte" }
    )
    let messages = conformance.findings(of: testCase).map(\.message)
    #expect(messages.contains { $0.contains("(byte ") && $0.contains("found 0x") }, "\(messages)")
  }

  @Test func aRandomRunIsShrunkToTheStepsThatShowTheFault() throws {
    let conformance = StoreConformance(rounds: 200) { schema in
      try FlawedStore(FlawedConfiguration(schema: schema, flaw: .dropsAnUpdate))
    }
    let testCase = try #require(
      StoreConformance.cases.first { $0.description.hasPrefix("randomOperations") }
    )
    let messages = conformance.findings(of: testCase).map(\.message)
    let script = try #require(messages.first { $0.hasPrefix("steps that suffice: ") })
    let steps = script.split(separator: ";")
    // Records, an update of two of them at least, and a look at them.
    #expect(steps.count <= 6, "\(script)")
    #expect(messages.contains { $0.contains("step ") })
  }

  private static func finds(_ flaw: Flaw?, by claim: String) throws -> Bool {
    let conformance = StoreConformance(promises: .all) { schema in
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
    (.migratesNothing, "migrateReplacesTheSchemaAndTheRecords"),
    (.migratesNothing, "aMigrationIsOneTransaction"),
    (.migratesOnlyTheSchema, "migrateReplacesTheSchemaAndTheRecords"),
    (.migratesAnything, "aMigrationForAnotherSchemaIsRefused"),
    (.migratesAnything, "aMigrationForOtherRecordsIsRefused"),
    (.listsAnew, "aListingStaysAsItWasMade"),
    (.dropsDeletedPositions, "aListingStaysAsItWasMade"),
    (.listsFormerValues, "aListingStaysAsItWasMade"),
    (.countsOneTooMany, "aListingAgreesWithFetching"),
    (.searchesOnlyForward, "aListingFindsTheNearestMatch"),
    (.neverCountsOn, "aListingAgreesWithFetching"),
    (.forgetsMissingValues, "valueCountsAgreeWithFetching"),
    (.deletesOnlyTheFirst, "matchingRecordsAreDeletedInOneCommit"),
  ])
  func aFlawIsFound(_ flaw: Flaw, by claim: String) throws {
    #expect(try Self.finds(flaw, by: claim))
    #expect(try !Self.finds(nil, by: claim))
  }
}
