import Foundation
import SwiftData
import Testing

@testable import OpenSwiftData

/// Stores that implement `DataStore` directly work in a container.
@Suite struct PlainStoreTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func archive(_ name: String = "trips.json") throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Journey.self]),
      configurations: ArchiveConfiguration(name: "archive", fileURL: folder.file(name))
    )
  }

  private func shelf(_ flaw: ShelfFlaw? = nil) throws -> (ModelContainer, ShelfStore) {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: ShelfConfiguration(flaw: flaw)
    )
    let store = try #require(container.stores.first as? ShelfStore)
    return (container, store)
  }

  @Test func aStoreInTheShapeOfTheTalkMakesARoundTrip() throws {
    let context = ModelContext(try archive())
    let journey = Journey("Alps", days: 5, price: Decimal(string: "12.50") ?? 0, note: nil)
    journey.tags = ["cold", "high"]
    context.insert(journey)
    #expect(journey.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(journey.persistentModelID.storeIdentifier == "trips.json")
    let again = ModelContext(try archive())
    let found = try #require(try again.fetch(FetchDescriptor<Journey>()).first)
    #expect(found.persistentModelID == journey.persistentModelID)
    #expect(found.name == "Alps" && found.days == 5 && found.note == nil)
    #expect(found.price == Decimal(string: "12.50") && found.code == journey.code)
    #expect(found.start == journey.start && found.tags == ["cold", "high"])
    #expect(found.ticket == .open)
    found.days = 6
    try again.save()
    again.delete(found)
    again.rollback()
    #expect(try again.names() == ["Alps"])
    again.delete(found)
    try again.save()
    #expect(try again.names() == [])
    #expect(try ModelContext(try archive()).names() == [])
  }

  @Test func theContextFiltersSortsAndCutsWhatTheTalksStoreDoesNot() throws {
    let context = ModelContext(try archive())
    try context.insertJourneys(["Delta", "Alps", "Crete", "Bern", "Elba"])
    var descriptor = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]
    )
    #expect(try context.names(descriptor) == ["Alps", "Bern", "Crete", "Delta", "Elba"])
    descriptor.predicate = #Predicate { $0.days > 1 }
    #expect(try context.names(descriptor) == ["Alps", "Bern", "Crete", "Elba"])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.names(descriptor) == ["Bern", "Crete"])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(
      try context.fetchIdentifiers(descriptor)
        == context.fetch(descriptor).map(\.persistentModelID)
    )
    descriptor = FetchDescriptor()
    descriptor.fetchLimit = 3
    #expect(try context.names(descriptor).count == 3)
    #expect(try context.fetchCount(descriptor) == 3)
  }

  @Test func recordsOfOtherEntitiesAreLeftOut() throws {
    let context = ModelContext(try archive())
    let journey = Journey("Alps")
    journey.legs = [Leg("Bern"), Leg("Chur")]
    context.insert(journey)
    try context.save()
    let again = ModelContext(try archive())
    #expect(try again.names() == ["Alps"])
    #expect(try again.fetchCount(FetchDescriptor<Leg>()) == 2)
    #expect(try again.fetchIdentifiers(FetchDescriptor<Rider>()).isEmpty)
    var one = FetchDescriptor<Leg>()
    one.fetchLimit = 1
    #expect(try again.fetch(one).count == 1)
  }

  @Test func linksAreRightAlthoughTheStoreCopiesWithoutTheMap() throws {
    let context = ModelContext(try archive())
    let journey = Journey("Alps")
    journey.legs = [Leg("Bern"), Leg("Chur")]
    journey.riders = [Rider("Ann"), Rider("Bob")]
    context.insert(journey)
    try context.save()
    let again = ModelContext(try archive())
    let found = try #require(try again.fetch(FetchDescriptor<Journey>()).first)
    #expect(found.legs.map(\.place) == ["Bern", "Chur"])
    #expect(found.legs.allSatisfy { $0.journey === found })
    #expect(found.riders.map(\.name) == ["Ann", "Bob"])
    // A changed record that refers to a new one.
    found.legs.append(Leg("Davos"))
    try again.save()
    let last = ModelContext(try archive())
    let third = try #require(try last.fetch(FetchDescriptor<Journey>()).first)
    #expect(third.legs.map(\.place) == ["Bern", "Chur", "Davos"])
    let text = try String(contentsOf: folder.file("trips.json"), encoding: .utf8)
    #expect(!text.contains("temporary"), "nothing temporary is left in the file")
  }

  @Test func aStoreThatUsesTheHelperIsSavedToOnce() throws {
    let (container, store) = try shelf()
    let context = ModelContext(container)
    let journey = Journey("Alps")
    journey.legs = [Leg("Bern")]
    context.insert(journey)
    try context.save()
    #expect(store.savesCount == 1 && store.requests.isEmpty)
    let again = ModelContext(container)
    #expect(try again.fetch(FetchDescriptor<Leg>()).map(\.journey?.name) == ["Alps"])
  }

  @Test func nameAndSchemaComeFromTheConfiguration() throws {
    let (container, store) = try shelf()
    #expect(store.identifier == "shelf")
    #expect(store.schema.entitiesByName.keys.sorted() == ["Journey", "Leg", "Rider"])
    let context = ModelContext(container)
    try context.insertJourneys(["Alps"])
    #expect(
      try context.fetch(FetchDescriptor<Journey>())[0].persistentModelID.storeIdentifier == "shelf"
    )
  }

  @Test func aStoreThatIgnoresPredicateAndOrderButCutsIsNotCutWrongly() throws {
    let (container, store) = try shelf()
    let context = ModelContext(container)
    try context.insertJourneys((0..<20).map { "J\(19 - $0 + 10)" })
    func names(_ query: Query) throws -> [String] {
      try context.fetchSnapshots(matching: query).compactMap { $0["name"]?.text }
    }
    #expect(
      try names(Query("Journey", sort: [SortKey("name")], limit: 3)) == ["J10", "J11", "J12"]
    )
    #expect(store.requests.last == "Journey sort -1", "a limit does not go along with an order")
    let late = Filter.compare("days", .greater, .integer(17))
    let found = try names(Query("Journey", filter: late, limit: 2))
    #expect(found.count == 2 && Set(found).isSubset(of: ["J10", "J11", "J12"]))
    let all = try names(Query("Journey"))
    #expect(try names(Query("Journey", limit: 2, offset: 3)) == Array(all[3..<5]))
    #expect(store.requests.last == "Journey 5", "a limit goes along where nothing is lost")
  }

  @Test func severalContextsSeeEachOthersSaves() throws {
    let container = try archive()
    let first = ModelContext(container)
    try first.insertJourneys(["Alps"])
    let second = ModelContext(container)
    try #require(try second.fetch(FetchDescriptor<Journey>()).first).name = "Andes"
    try second.save()
    #expect(try first.names() == ["Andes"])
  }

  @Test func eraseRemovesEveryRecord() throws {
    let container = try archive()
    let context = ModelContext(container)
    let journey = Journey("Alps")
    journey.legs = [Leg("Bern")]
    context.insert(journey)
    try context.save()
    try container.erase()
    let again = ModelContext(container)
    #expect(try again.names() == [])
    #expect(try again.fetchCount(FetchDescriptor<Leg>()) == 0)
  }

  @Test func threadsMayUseAStoreThatIsNotSafeForThem() async throws {
    let container = try archive()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let context = ModelContext(container)
          for round in 0..<5 {
            context.insert(Journey("\(number).\(round)"))
            try context.save()
            _ = try context.names()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Journey>()) == 20)
  }
}
