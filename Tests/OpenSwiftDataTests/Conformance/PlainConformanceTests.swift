import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// The suite on stores that implement `DataStore` directly.
@Suite struct PlainConformanceTests {
  private static let folder = Result { try TestFolder() }

  private static func newFile() throws -> URL {
    try folder.get().file("\(UUID().uuidString).json")
  }

  /// A store as in the WWDC session: dates by the second, no order.
  private static let archive = StoreConformance(
    promises: [.untypedRecords],
    rounds: testRounds(6),
    queryStride: testStride(7, withoutSeed: 21),
    isLasting: true,
    failNextSave: { (store: ArchiveStore) in store.isFull = true },
    makeConfiguration: { ArchiveConfiguration(name: "archive", schema: $0, fileURL: try newFile()) }
  )

  /// A store as in published articles, with the released names.
  private static let shelf = StoreConformance(
    rounds: testRounds(6),
    queryStride: testStride(7),
    failNextSave: { (store: ShelfStore) in store.failsNextSave = true },
    makeConfiguration: { ShelfConfiguration(schema: $0) }
  )

  /// A store with its own snapshot type.
  private static let server = StoreConformance(
    promises: [.order, .detectsConflicts],
    rounds: testRounds(6),
    queryStride: testStride(7, withoutSeed: 21),
    isLasting: true,
    makeConfiguration: {
      RevisionConfiguration(schema: $0, fileURL: try newFile(), correctsNames: false)
    }
  )

  /// A `QueryableStore`, used through a context.
  private static let reference = StoreConformance(
    promises: .all.subtracting(.lastingHistory),
    rounds: testRounds(6),
    queryStride: testStride(7),
    makeConfiguration: { ReferenceStoreConfiguration(schema: $0) }
  )

  @Test(arguments: StoreConformance.cases)
  func aStoreInTheShapeOfTheTalkKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.archive.findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func aStoreWithItsOwnSnapshotsKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.server.findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func aStoreAtTheWaistKeepsTheContractInAContainer(_ testCase: StoreConformance.Case) {
    #expect(Self.reference.findings(of: testCase) == [])
  }

  @Test func aStoreInTheShapeOfArticlesKeepsTheContractAndSaysWhatItDoesNotOffer() throws {
    let report = Self.shelf.run()
    #expect(report.findings == [])
    let missing = report.notOffered.map { "\($0.testCase): \($0.promises)" }
    #expect(missing.contains("recordsComeInTheOrderOfTheirCreation: order"))
    #expect(missing.contains("updatingAStaleRecordIsAConflict: conflicts"))
    #expect(missing.contains("aNewRecordMustNotRepeatAUniqueValue: uniqueness"))
    #expect(missing.contains("aNewEntityTakesRecords: schemaChanges"))
    #expect(missing.contains("whatWasCommittedOutlivesTheStore: lasting"))
    #expect(report.outcomes.count { $0.outcome == .holds } >= 30)
    #expect(Self.reference.outcome(of: try Self.named("tokensGrow")) == .holds)
  }

  private static func named(_ claim: String) throws -> StoreConformance.Case {
    try #require(StoreConformance.cases.first { $0.description == claim })
  }

  @Test func aProbeFindsOutWhatAStoreCanDo() {
    let report = StoreConformance(rounds: 2, queryStride: 20) {
      ReferenceStoreConfiguration(schema: $0)
    }
    .probe()
    #expect(report.findings == [])
    let missing = report.notOffered.reduce(into: StoreConformance.Promises()) {
      $0.formUnion($1.promises)
    }
    #expect(missing.isDisjoint(with: .waist.union([.history, .schemaChanges])), "\(missing)")
    let archive = StoreConformance(rounds: 2, queryStride: 20) {
      ShelfConfiguration(schema: $0)
    }
    .probe()
    #expect(archive.notOffered.contains { $0.promises.contains(.conflicts) })
    #expect(archive.outcomes.count { $0.outcome == .holds } >= 30)
  }

  @Test func aReportCountsAndNamesEveryClaim() {
    let report = StoreConformance(rounds: 1) { ShelfConfiguration(schema: $0, flaw: .failsToFetch) }
      .run()
    #expect(report.outcomes.count == StoreConformance.cases.count)
    #expect(!report.findings.isEmpty && !report.notOffered.isEmpty)
    let lines = report.description.split(separator: "\n")
    let missing = lines.filter { $0.hasPrefix("not offered: ") }
    #expect(missing.count == 1 && missing[0].contains(/\border \([0-9]+ claims?\)/))
    #expect(
      lines.contains { $0.hasPrefix("FAILS") && $0.hasSuffix("limitAndOffsetCutTheSortedRecords") }
    )
    let firstHeld = lines.firstIndex { $0.hasPrefix("holds") } ?? lines.count
    #expect(lines[0].hasPrefix("FAILS") && !lines[firstHeld...].contains { $0.hasPrefix("FAILS") })
    #expect(lines.last?.contains("\(report.notOffered.count) not offered, ") == true)
    // One fault, told once with the sentence of the contract.
    #expect(lines.count { $0.hasPrefix("  the same: ") } >= 1)
    #expect(lines.contains { $0.hasPrefix("  contract: ") })
    #expect(report.durations.count == report.outcomes.count)
  }

  @Test(arguments: [
    "anotherContainersChangeOfTheSameValueIsAConflict",
    "anotherContainersChangeOfAnotherValueIsNotLost",
    "deletingWhatAnotherContainerChangedIsAConflict",
  ])
  func aStoreThatIgnoresRevisionsIsFound(by claim: String) throws {
    let server = StoreConformance(
      promises: [.order, .detectsConflicts],
      isLasting: true,
      makeConfiguration: {
        RevisionConfiguration(
          schema: $0,
          fileURL: try Self.newFile(),
          correctsNames: false,
          ignoresRevisions: true
        )
      }
    )
    guard case .fails = server.outcome(of: try Self.named(claim)) else {
      Issue.record("the store was not found by \(claim)")
      return
    }
  }

  /// Each flaw, and the case that finds it.
  @Test(arguments: [
    (ShelfFlaw.leavesTemporaryIdentifiers, "everyTemporaryIdentifierIsReplacedOnce"),
    (.remapsToTemporary, "everyTemporaryIdentifierIsReplacedOnce"),
    (.remapsTwice, "everyTemporaryIdentifierIsReplacedOnce"),
    (.remapsStrangers, "everyTemporaryIdentifierIsReplacedOnce"),
    (.remapsToAnotherEntity, "everyTemporaryIdentifierIsReplacedOnce"),
    (.answersTwice, "missingValuesAreFound"),
    (.answersUnknownEntity, "missingValuesAreFound"),
    (.answersTemporary, "missingValuesAreFound"),
    (.cutsBeforeFiltering, "limitAndOffsetCutTheSortedRecords"),
    (.forgetsUpdates, "updatesReplaceAllValuesOfTheRecordOnly"),
    (.forgetsDeletions, "deletedRecordsAreGone"),
    (.failsToSave, "tokensGrow"),
    (.failsToFetch, "missingValuesAreFound"),
    (.losesLinks, "referencesBetweenNewRecordsAreReplaced"),
    (.swapsValues, "updatesReplaceAllValuesOfTheRecordOnly"),
    (.swapsValues, "everyNewRecordHasItsOwnValues"),
    (.countsEverything, "filtersAreCombined"),
    (.dropsHalfOfASave, "everyTemporaryIdentifierIsReplacedOnce"),
    (.wrongKind, "missingValuesAreFound"),
    (.savesAndFails, "aSaveThatFailsChangesNothing"),
    (.roundsNumbers, "extremeValuesComeBackExactly"),
    (.foldsTexts, "everyTextComesBackByteByByte"),
  ])
  func aFlawIsFoundByName(_ flaw: ShelfFlaw, by claim: String) throws {
    let testCase = try Self.named(claim)
    func outcome(_ flaw: ShelfFlaw?) -> StoreConformance.Outcome {
      StoreConformance(
        rounds: 20,
        queryStride: testStride(7),
        failNextSave: { (store: ShelfStore) in store.failsNextSave = true },
        makeConfiguration: { ShelfConfiguration(schema: $0, flaw: flaw) }
      )
      .outcome(of: testCase)
    }
    guard case .fails(let findings) = outcome(flaw) else {
      Issue.record("\(flaw) was not found by \(claim)")
      return
    }
    #expect(findings.allSatisfy { $0.claim == claim })
    #expect(findings.allSatisfy { $0.description.count <= 360 })
    #expect(outcome(nil) == .holds)
  }
}
