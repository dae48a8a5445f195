import DataStoreTesting
import Foundation
import SwiftData
import Testing

/// Features that authors of custom stores miss in SwiftData.
struct StoreAuthorTests {
  private func shelf() throws -> (ModelContainer, ShelfStore) {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: ShelfConfiguration()
    )
    return (container, try #require(container.stores.first as? ShelfStore))
  }

  @Test func theValuesOfASnapshotAreReadByName() throws {
    let (container, store) = try shelf()
    let context = ModelContext(container)
    let journey = Journey("Alps", days: 5)
    context.insert(journey)
    try context.save()
    let snapshot = try #require(store.shelf[journey.persistentModelID])
    #expect(snapshot["name"] == .text("Alps"))
    #expect(snapshot.values["days"] == .integer(5))
  }

  @Test func countsAndIdentifiersAreFilteredInMemoryAsFetchesAre() throws {
    let (container, _) = try shelf()
    let context = ModelContext(container)
    try context.insertJourneys(["Alps", "Bern", "Crete"])
    let long = FetchDescriptor<Journey>(
      predicate: #Predicate { $0.days > 1 },
      sortBy: [SortDescriptor(\.name, comparator: .lexical, order: .reverse)]
    )
    #expect(try context.fetch(long).map(\.name) == ["Crete", "Bern"])
    #expect(try context.fetchCount(long) == 2)
    #expect(
      try context.fetchIdentifiers(long) == context.fetch(long).map(\.persistentModelID)
    )
  }

  @Test func aHelperGivesNewRecordsAndTheirLinksPermanentIdentifiers() throws {
    let (container, store) = try shelf()
    let context = ModelContext(container)
    let journey = Journey("Alps")
    context.insert(journey)
    journey.legs = [Leg("Bern")]
    try context.save()
    let leg = try #require(journey.legs.first)
    #expect(store.savesCount == 1)
    #expect(store.shelf[journey.persistentModelID]?["legs"] == .links([leg.persistentModelID]))
    #expect(store.shelf[leg.persistentModelID]?["journey"] == .link(journey.persistentModelID))
  }

  @Test func aStoreGetsThePredicateAsAFilterThatItCanTranslate() throws {
    let request = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Journey>(
        predicate: #Predicate { $0.days > 1 && $0.name == "Alps" },
        sortBy: [SortDescriptor(\.days)]
      )
    )
    let query = try request.query
    #expect(query.entityName == "Journey")
    #expect(
      query.filter
        == .and([
          .compare("days", .greater, .integer(1)), .compare("name", .equal, .text("Alps")),
        ])
    )
    #expect(query.sort.map(\.attribute) == ["days"])
    let shout = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Journey>(predicate: #Predicate { $0.name.description == "Alps" })
    )
    #expect(throws: DataStoreError.preferInMemoryFilter) { try shout.query }
  }

  @Test func aStoreIsTriedOutWithoutAContainer() throws {
    let store = ShelfStore(ShelfConfiguration(schema: Schema([Journey.self])))
    let journey = Journey("Alps")
    let result = try store.save(
      DataStoreSaveChangesRequest(
        inserted: [journey.persistentState.snapshot],
        editingState: EditingState()
      )
    )
    #expect(result.remappedIdentifiers[journey.persistentModelID]?.isTemporary == false)
    let found = try store.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor<Journey>()))
    #expect(found.fetchedSnapshots.map { $0["name"] } == [.text("Alps")])
  }

  @Test func threeStoresKeepTheSameModels() throws {
    let folder = try TestFolder()
    let configurations: [any DataStoreConfiguration] = [
      ShelfConfiguration(), ReferenceStoreConfiguration(),
      ArchiveConfiguration(name: "archive", fileURL: folder.file("journeys.json")),
    ]
    for configuration in configurations {
      let container = try ModelContainer(
        for: Schema([Journey.self]),
        configurations: [configuration]
      )
      let context = ModelContext(container)
      let journey = Journey("Alps", days: 5)
      context.insert(journey)
      journey.legs = [Leg("Bern"), Leg("Chur")]
      try context.save()
      let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Journey>()).first)
      #expect(found.days == 5 && found.legs.map(\.place) == ["Bern", "Chur"])
    }
  }
}
