import Foundation
import OpenSwiftData
import SwiftData
import Testing

@Suite struct DefaultStoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ name: String = "trips", allowsSave: Bool = true)
    -> ModelConfiguration
  {
    // The folder of the file does not exist yet.
    ModelConfiguration(
      url: folder.url.appending(path: "deep/er/\(name).store"),
      allowsSave: allowsSave
    )
  }

  private func fill(_ configuration: ModelConfiguration) throws {
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)
    let trip = Trip(name: "Rome")
    context.insert(trip)
    trip.stops = [Stop(place: "Forum"), Stop(place: "Trastevere")]
    try context.save()
  }

  @Test func whatWasSavedIsThereAgain() throws {
    try fill(configuration())
    let container = try ModelContainer(for: Trip.self, configurations: configuration())
    let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
    #expect(trips.map(\.name) == ["Rome"])
    #expect(trips.first?.stops.map(\.place) == ["Forum", "Trastevere"])
    #expect(container.configurations == [configuration().with(container.schema)])
    #expect(container.allConfigurations.count == 1 && container.migrationPlan == nil)
  }

  @Test func aStoreInMemoryWritesNoFileAndIsItsOwn() throws {
    let first = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let second = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(first)
    context.insert(Trip(name: "Rome"))
    try context.save()
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try ModelContext(second).fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(first.stores[0].identifier != second.stores[0].identifier)
  }

  @Test(arguments: [true, false])
  func savingIsRefusedByNameWhereItIsNotAllowed(isStoredInMemoryOnly: Bool) throws {
    if !isStoredInMemoryOnly { try fill(configuration()) }
    let closed =
      isStoredInMemoryOnly
      ? ModelConfiguration("trips", isStoredInMemoryOnly: true, allowsSave: false)
      : configuration(allowsSave: false)
    let container = try ModelContainer(for: Trip.self, configurations: closed)
    let context = ModelContext(container)
    let before = try context.fetchCount(FetchDescriptor<Trip>())
    context.insert(Trip(name: "Oslo"))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .readOnly)
    #expect(error?.message.contains("1 new of Trip") ?? false)
    #expect(error?.message.contains("\"trips\"") ?? false)
    #expect(context.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == before)
    #expect(throws: PersistenceError.self) { try container.erase() }
  }

  @Test func erasingRemovesEverything() throws {
    try fill(configuration())
    let container = try ModelContainer(for: Trip.self, configurations: configuration())
    try container.erase()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func aFolderThatCannotBeMadeIsNamed() throws {
    let file = folder.url.appending(path: "file")
    try Data().write(to: file)
    let blocked = ModelConfiguration(url: file.appending(path: "under/x.store"))
    let error = #expect(throws: PersistenceError.self) {
      _ = try ModelContainer(for: Trip.self, configurations: blocked)
    }
    #expect(error?.code == .inaccessible && error?.message.contains(file.path) ?? false)
  }

  @Test func severalConfigurationsShareAContainer() throws {
    let trips = ModelConfiguration(
      "trips",
      schema: Schema([Trip.self]),
      url: folder.url.appending(path: "trips.store")
    )
    let notes = ModelConfiguration("notes", schema: Schema([Note.self]), isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, Note.self, configurations: trips, notes)
    let context = ModelContext(container)
    context.insert(Trip(name: "Rome"))
    context.insert(Note(text: "pack"))
    try context.save()
    #expect(container.configurations.count == 2)
    let again = try ModelContainer(for: Trip.self, Note.self, configurations: trips, notes)
    let fresh = ModelContext(again)
    #expect(try fresh.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(try fresh.fetchCount(FetchDescriptor<Note>()) == 0)
  }

  @Test func twoConfigurationsForOneFileAreRefused() throws {
    let url = folder.url.appending(path: "same.store")
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration("a", url: url),
        ModelConfiguration("b", url: url)
      )
    }
    #expect(error == .duplicateConfiguration)
    #expect(error?.message.contains("same.store") ?? false)
  }

  @Test func everyInitializerOfContainersCanBeUsed() throws {
    let schema = Schema([Trip.self])
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(try ModelContainer(for: schema, configurations: memory).stores.count == 1)
    #expect(try ModelContainer(for: schema, configurations: [memory]).stores.count == 1)
    let some: [any DataStoreConfiguration] = [memory]
    #expect(try ModelContainer(for: schema, configurations: some).stores.count == 1)
    let planned = try ModelContainer(
      for: Trip.self,
      Note.self,
      migrationPlan: NoMigration.self,
      configurations: memory
    )
    #expect(planned.migrationPlan == NoMigration.self)
    #expect(
      try ModelContainer(for: schema, migrationPlan: NoMigration.self, configurations: [memory])
        .migrationPlan != nil
    )
  }

  @Test func changesOfAReopenedStoreAreSeenByItsHistory() throws {
    try fill(configuration())
    let container = try ModelContainer(for: Trip.self, configurations: configuration())
    let store = try #require(container.stores.first as? DefaultStore)
    #expect(store.name == "trips" && store.openingNotes.isEmpty)
    #expect(try store.transactions(after: nil, touching: nil).count == 1)
    #expect(try store.check().isEmpty)
  }
}

private enum NoMigration: SchemaMigrationPlan {
  static var stages: [MigrationStage] { [] }
  static var schemas: [any VersionedSchema.Type] { [] }
}

extension ModelConfiguration {
  fileprivate func with(_ schema: Schema) -> ModelConfiguration {
    var copy = self
    copy.schema = schema
    return copy
  }
}
