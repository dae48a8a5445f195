extension StoreConformance {
  /// The sentence of the contract that a claim tests; the documentation of `QueryableStore` has the whole contract.
  static func contract(of claim: String) -> String {
    let name = claim.prefix { $0 != "," }
    return sentences.first { $0.claims.contains(String(name)) }?.sentence ?? ""
  }

  private static let sentences: [(sentence: String, claims: [String])] = [
    (
      "`commit` without changes does nothing and makes no transaction.",
      ["nothingToDoIsNoTransaction"]
    ),
    (
      "Records with a temporary identifier get a permanent one that was never used before.",
      ["everyTemporaryIdentifierIsReplacedOnce", "numbersOfDeletedRecordsAreNotGivenAgain"]
    ),
    (
      "Records inserted with a permanent identifier keep it.",
      ["permanentIdentifiersAreKept"]
    ),
    (
      "`commit` takes effect completely.",
      [
        "updatesReplaceAllValuesOfTheRecordOnly", "everyNewRecordHasItsOwnValues",
        "deletedRecordsAreGone", "oneCommitMayDoEverythingAtOnce",
        "uniqueValuesMayChangePlacesInOneCommit",
      ]
    ),
    (
      "Values that an update does not change are neither compared nor written.",
      ["twoMayChangeARecordAtDifferentPlaces"]
    ),
    (
      "A save of a record that another container has changed since it was read is a conflict or keeps both changes.",
      [
        "anotherContainersChangeOfTheSameValueIsAConflict",
        "anotherContainersChangeOfAnotherValueIsNotLost",
        "deletingWhatAnotherContainerChangedIsAConflict", "ownSavesAreNotConflicts",
      ]
    ),
    (
      "A store that is open together with others returns what they saved, at the latest after `refresh()`.",
      ["recordsOfAnotherOpenerAreReturnedAfterRefreshing"]
    ),
    (
      "`refresh()` sends the changes of others before it returns, and nothing if there are none.",
      ["refreshSendsTheChangesOfOthers"]
    ),
    (
      "`refresh()` adopts a schema that another store on the location has changed, and sends that.",
      ["aSchemaThatAnotherOpenerChangedIsAdopted"]
    ),
    (
      "A change is sent after the lock of the store is released, because listeners may read.",
      ["newsAreSentWhileOtherThreadsCanRead"]
    ),
    (
      "A commit keeps what other stores on the same location have saved.",
      ["recordsOfTwoOpenersAreKept", "openersMayWriteAtOnce"]
    ),
    (
      "A changed value that another store on the same location has changed since is a conflict.",
      ["aValueThatAnotherOpenerChangedIsAConflict"]
    ),
    (
      "The history has the changes of others after `refresh()`.",
      ["theHistoryHasTheChangesOfOthers"]
    ),
    (
      "`migrate` replaces the schema and all records.",
      ["migrateReplacesTheSchemaAndTheRecords"]
    ),
    (
      "A migration is one transaction of the history, with its author.",
      ["aMigrationIsOneTransaction"]
    ),
    (
      "A migration that was made for another state of the store is a conflict.",
      ["aMigrationForAnotherSchemaIsRefused", "aMigrationForOtherRecordsIsRefused"]
    ),
    (
      "A store that keeps its records returns them after it is opened again.",
      ["whatWasCommittedOutlivesTheStore", "linksToNewRecordsOutliveTheStore"]
    ),
    (
      "If `commit` throws, the store is unchanged.",
      [
        "aSaveThatFailsChangesNothing", "aSaveThatFailedCanBeMadeAgain",
        "aStoreWorksOnAfterARefusal", "refusedCommitsLeaveNoTrace",
      ]
    ),
    (
      "A query returns the records of its entity that match, and nothing for none.",
      ["anEmptyStoreAnswersEverythingWithNothing"]
    ),
    (
      "Records without a sort order are returned in the order of their creation.",
      ["recordsComeInTheOrderOfTheirCreation"]
    ),
    (
      "A query returns its records in the order of its sort keys; equal ones stay in the order of their creation.",
      ["sortingFollowsEveryKeyAndKeepsTheOrderOfEquals"]
    ),
    (
      "Limit and offset apply to the sorted records that match.",
      ["limitAndOffsetCutTheSortedRecords"]
    ),
    (
      "The layout of the records is that of the entity, or the attributes of the query in their order.",
      [
        "onlyTheWantedAttributesComeInTheWantedOrder",
        "snapshotsForIdentifiersHaveTheWantedAttributes",
      ]
    ),
    (
      "`snapshots(for:attributes:)` returns the records that exist.",
      ["snapshotsForIdentifiersAreThoseThatAreThere"]
    ),
    (
      "`identifiers(withPrefix:entityName:limit:)` returns the records of one entity, or of all, up to the limit.",
      ["prefixesFindIdentifiersOfOneEntityOrAll"]
    ),
    (
      "Unknown names are rejected with `.unknownEntity` or `.unknownAttribute`.",
      ["unknownNamesAreRefused"]
    ),
    (
      "A filter selects the records that `Filter.matches` selects.",
      [
        "comparisonsHoldForEveryTypeAndValue", "numbersOfAllKindsCompareWithEachOther",
        "attributesCompareWithEachOther", "betweenIncludesBothEnds",
        "membershipFindsEveryListedValue", "textIsMatchedInEveryWay",
        "theTextFormOfEveryTypeIsSearched", "missingValuesAreFound", "filtersAreCombined",
        "linksAreFoundByTheirRecord",
      ]
    ),
    (
      "The history has every transaction, oldest first, with its changes, author and token.",
      ["theHistoryTellsWhatWasCommittedInOrder"]
    ),
    (
      "Tokens grow, and `transactions(after:touching:)` returns the transactions with a greater one.",
      ["theHistoryAfterATokenLeavesOutWhatWasBefore", "tokensGrow"]
    ),
    (
      "With an identifier, the history has only the transactions that touch that record.",
      ["theHistoryOfARecordIsItsOwn"]
    ),
    (
      "A store with permanent history returns it after it is opened again.",
      ["theHistoryOutlivesTheStore"]
    ),
    (
      "Links between records of the change set are replaced with their permanent identifiers.",
      ["referencesBetweenNewRecordsAreReplaced", "updatesMayReferToNewRecords"]
    ),
    (
      "A link may refer to a record of a subentity of its destination.",
      ["linksMayReferToRecordsOfSubclasses"]
    ),
    (
      "Any sequence of operations has the result that it has on the reference store.",
      ["randomOperationsEqualTheReference"]
    ),
    (
      "Calls come from any thread; each is answered as if it were the only one.",
      ["threadsMayReadAndWriteAtOnce"]
    ),
    (
      "An update or deletion of a record that does not exist is a conflict.",
      ["updatingAnUnknownRecordIsAConflict", "deletingAnUnknownRecordIsAConflict"]
    ),
    (
      "A changed value that differs from `before`, or a deleted record with any different value, is a conflict.",
      ["updatingAStaleRecordIsAConflict", "deletingAStaleRecordIsAConflict"]
    ),
    (
      "An inserted record whose identifier exists is a conflict.",
      ["insertingAnExistingRecordIsAConflict"]
    ),
    (
      "Values that do not match their field are rejected with `.invalidValue`; the message names entity and field.",
      [
        "aRequiredValueMustBeThereInANewRecord", "aRequiredValueMustStay",
        "aNewValueMustBeOfItsType", "aChangedValueMustBeOfItsType",
        "valuesThatAreNoneAreRefusedByName",
      ]
    ),
    (
      "Values that the schema requires to be unique stay unique.",
      [
        "aNewRecordMustNotRepeatAUniqueValue", "anUpdateMustNotRepeatAUniqueValue",
        "twoNewRecordsMustNotShareAUniqueValue", "valuesThatAreUniqueTogetherStayDifferent",
      ]
    ),
    (
      "A record of an entity that the schema does not have is rejected.",
      ["aRecordOfAnUnknownEntityIsRefused"]
    ),
    (
      "A listing has the records of `identifiers(matching:)`, in that order.",
      [
        "aListingAgreesWithFetching", "theRecordsOfAListingHaveTheWantedAttributes",
      ]
    ),
    (
      "The positions of a listing stay fixed while it lives; its values are those of now, and deleted records have none.",
      ["aListingStaysAsItWasMade", "aListingFindsTheNearestMatch"]
    ),
    (
      "`valueCounts` and `summary` are those of the values that are fetched.",
      ["valueCountsAgreeWithFetching"]
    ),
    (
      "`delete` deletes all matching records in one commit.",
      ["matchingRecordsAreDeletedInOneCommit"]
    ),
    (
      "`apply` changes the schema and adapts the records.",
      [
        "aNewEntityTakesRecords", "aNewAttributeGivesEveryRecordItsDefault",
        "aRenamedAttributeKeepsItsValues", "aDroppedAttributeIsGone",
        "impossibleChangesOfTheSchemaAreRefused",
      ]
    ),
    (
      "A change of the schema is a transaction of the history.",
      ["changesOfTheSchemaStandInTheHistory"]
    ),
    (
      "Values are returned exactly as they were committed.",
      [
        "extremeValuesComeBackExactly", "everyTextComesBackByteByByte",
        "emptyTextAndNoLinksAreNotNull",
      ]
    ),
    (
      "Number fields keep NaN and infinite numbers; NaN is neither less nor greater than any number.",
      ["infiniteNumbersComeBackAreFoundAndSorted"]
    ),
    (
      "Entities and fields may have any name that a schema allows.",
      ["namesMayBeAnyText"]
    ),
  ]
}
