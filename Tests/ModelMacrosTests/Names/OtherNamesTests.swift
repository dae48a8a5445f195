import OtherNames
import SwiftData
import Testing

// This file imports `SwiftData` and a module that declares all names that Apple's framework lacks.
// The test is that it compiles.

@Model
final class Ledger {
  #Index<Ledger>([\.title])
  @Attribute(.unique) var title: String
  @Relationship(deleteRule: .cascade, inverse: \Entry.ledger) var entries: [Entry] = []
  @Transient var note = ""
  init(title: String) { self.title = title }
}

@Model
final class Entry {
  var amount = 0
  var ledger: Ledger?
  init(amount: Int) { self.amount = amount }
}

@ModelActor
actor Clerk {
  func count(_ word: String) throws -> Int {
    try modelContext.fetchCount(
      FetchDescriptor<Ledger>(
        predicate: #Predicate { $0.title.localizedStandardContains(word) },
        sortBy: [SortDescriptor(\.title, comparator: .lexical)]
      )
    )
  }
}

@Suite struct OtherNamesTests {
  /// The types of the other module with these names.
  private let others: [Any] = [
    AttributeType(), AttributeValue(), BlobSummary(), CalendarDate(), ChangeFeedingStore(),
    ChangeSet(),
    CommitResult(), DataStorePermanentChanges(), Filter(), FilterExpression(), FilterParser(),
    FilterSyntaxError(), HistoryKeepingStore(), HistoryRetention(), IdentifierMap(),
    IdentifierListing(), ListedRecord(), Listing(), ListingCount(), PagedListing(), ValueSummary(),
    SchemaChangingStore(),
    MaintainableStore(), MigratableStore(), MigrationRecords(),
    MigrationStep(), ModelDescription(), ModelState(), PersistenceError(), Query(),
    QueryableStore(), Record(), RecordConflict(), RecordKey(), RecordKeyGenerator(), RecordUpdate(),
    ResultsSequence(), SchemaChange(), SchemaMigration(), SchemaReplacement(), SessionHistory(),
    SnapshotLayout(), SortKey(),
    SortableValue(), StateBackingData(), StoreChange(), StoreChangeFeed(), StoredRecords(),
    TextMatch(), Transaction(), UndoStep(), Value(), ValueError(),
  ]

  @Test func namesOfOtherModulesStandBesideModels() async throws {
    let container = try ModelContainer(
      for: Ledger.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let ledger = Ledger(title: "Été")
    ledger.entries = [Entry(amount: 1)]
    context.insert(ledger)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Ledger>()) == [ledger])
    #expect(try await Clerk(modelContainer: container).count("ete") == 1)
    #expect(others.count == Set(others.map { "\(type(of: $0))" }).count)
  }

  @Test func operatorsComeWithTheTypes() throws {
    let error: any Error = SwiftDataError.unknownSchema
    #expect(SwiftDataError.unknownSchema ~= error)
    #expect(Schema.Version(1, 0, 0) < Schema.Version(1, 2, 0))
    let ids = try [1, 2].map {
      try PersistentIdentifier.identifier(for: "s", entityName: "Ledger", primaryKey: $0)
    }
    #expect(ids[0] < ids[1])
  }
}
