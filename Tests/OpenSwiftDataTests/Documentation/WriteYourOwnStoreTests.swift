import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// The stores of the page "Write your own store" behave as the page says.
@Suite struct WriteYourOwnStoreTests {
  private static let folder = Result { try TestFolder() }

  private static func newFile() throws -> URL {
    try folder.get().file("\(UUID().uuidString).json")
  }

  private static let notebook = StoreConformance(
    promises: [.waist, .schemaChanges],
    rounds: testRounds(60),
    makeConfiguration: { NotebookConfiguration(schema: $0) }
  )

  private static let journal = StoreConformance(
    promises: [.order, .untypedRecords],
    rounds: testRounds(60),
    queryStride: testStride(5),
    isLasting: true,
    makeConfiguration: { JournalConfiguration(schema: $0, fileURL: try newFile()) }
  )

  private static let json = StoreConformance(
    promises: [.waist, .schemaChanges, .detectsConflicts],
    rounds: testRounds(60),
    queryStride: testStride(5),
    isLasting: true,
    makeConfiguration: { FormatStoreConfiguration(JSONFormat(try newFile()), schema: $0) }
  )

  @Test(arguments: StoreConformance.cases)
  func theJSONFormatKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.json.findings(of: testCase) == [])
  }

  @Test func hikesAreKeptInAFile() throws {
    let url = try Self.newFile()
    let (here, there) = (try openHikes(url), try openHikes(url))
    here.insert(Hike("High Route", days: 12))
    try here.save()
    let hikes = try there.fetch(FetchDescriptor<Hike>())
    #expect(hikes.map(\.name) == ["High Route"])
    hikes.first?.days = 13
    try there.save()
    #expect(try here.fetch(FetchDescriptor<Hike>()).map(\.days) == [13])
  }

  @Test(arguments: StoreConformance.cases)
  func theNotebookKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.notebook.findings(of: testCase) == [])
  }

  @Test(arguments: StoreConformance.cases)
  func theJournalKeepsTheContract(_ testCase: StoreConformance.Case) {
    #expect(Self.journal.findings(of: testCase) == [])
  }

  @Test func modelsAreKeptAndFound() throws {
    let container = try ModelContainer(for: Hike.self, configurations: NotebookConfiguration())
    let context = ModelContext(container)
    let hike = Hike("High Route", days: 12)
    hike.huts = [Hut("Trient"), Hut("Dix")]
    context.insert(hike)
    try context.save()
    let long = FetchDescriptor<Hike>(predicate: #Predicate { $0.days > 7 })
    let found = try ModelContext(container).fetch(long)
    #expect(found.map(\.name) == ["High Route"])
    #expect(found.first?.huts.map(\.place) == ["Trient", "Dix"])
  }

  @Test func historyIsThereWithoutAnyWork() throws {
    let container = try ModelContainer(for: Hike.self, configurations: NotebookConfiguration())
    let context = ModelContext(container)
    context.author = "ann"
    context.insert(Hike("High Route", days: 12))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.author) == ["ann"])
    #expect(history.first?.changes.count == 1)
  }

  @Test func changesOfTheSchemaAreInTheHistory() throws {
    let schema = Schema(Schema.Entity("Hike", attributes: [.init("name", .text)]))
    let container = try ModelContainer(
      for: schema,
      configurations: [NotebookConfiguration(schema: schema)]
    )
    let context = ModelContext(container)
    context.author = "ann"
    let change = SchemaChange.renameAttribute(entity: "Hike", from: "name", to: "title")
    try context.apply(change)
    let history = try context.transactions()
    #expect(history.map(\.schemaChange) == [change])
    #expect(history.map(\.author) == ["ann"])
  }

  @Test func newsReachContextsAndObservers() throws {
    let container = try ModelContainer(for: Hike.self, configurations: NotebookConfiguration())
    let store = try #require(container.stores.first as? NotebookStore)
    nonisolated(unsafe) var posted: [Notification] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange,
      object: container,
      queue: nil
    ) { posted.append($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let context = ModelContext(container)
    let hike = Hike("High Route", days: 12)
    let draft = hike.persistentState.snapshot
    try store.received([draft])
    #expect(try context.fetch(FetchDescriptor<Hike>()).map(\.name) == ["High Route"])
    #expect(posted.count == 1)
  }

  @Test func whatAFileWasWrittenUnderIsMigrated() throws {
    let url = try Self.newFile()
    let former = Schema(
      Schema.Entity(
        "Hike",
        attributes: [
          Schema.Attribute("name", .text, isOptional: false),
          Schema.Attribute("days", .integer, isOptional: false),
        ]
      )
    )
    let record = DefaultSnapshot(
      persistentIdentifier: try .identifier(
        for: "journal",
        entityName: "Hike",
        primaryKey: UUID()
      ),
      values: ["name": .text("High Route"), "days": .integer(12)]
    )
    let old = JournalStore.File(schema: former, records: [record])
    try JSONEncoder().encode(old).write(to: url)
    let container = try ModelContainer(
      for: Hike.self,
      configurations: JournalConfiguration(fileURL: url)
    )
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Hike>()).first)
    #expect(found.name == "High Route" && found.days == 12 && found.huts.isEmpty)
    let now = try JSONDecoder().decode(JournalStore.File.self, from: Data(contentsOf: url))
    #expect(now.schema.entities.map(\.name).sorted() == ["Hike", "Hut"])
  }

  @Test func aSnapshotOfItsOwnCarriesARevision() throws {
    let container = try ModelContainer(for: Hike.self, configurations: LedgerConfiguration())
    let store = try #require(container.stores.first as? LedgerStore)
    let context = ModelContext(container)
    let hike = Hike("High Route", days: 12)
    context.insert(hike)
    try context.save()
    hike.days = 13
    try context.save()
    #expect(store.records.values.map(\.revision) == [2])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Hike>()).map(\.days) == [13])
  }
}
