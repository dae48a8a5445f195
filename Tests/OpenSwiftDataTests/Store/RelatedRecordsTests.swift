import Foundation
import SwiftData
import Testing

@testable import OpenSwiftData

/// How often a store that implements `DataStore` is asked when relationships are followed.
@Suite struct RelatedRecordsTests {
  private let container: ModelContainer
  private let store: ShelfStore

  init() throws {
    container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: ShelfConfiguration()
    )
    store = try #require(container.stores.first as? ShelfStore)
  }

  /// Journeys with two legs each and two riders, of ten, each.
  private func insert(_ count: Int) throws {
    let context = ModelContext(container)
    let riders = (0..<10).map { Rider("rider \($0)") }
    for number in 0..<count {
      let journey = Journey("journey \(number)")
      journey.legs = [Leg("a\(number)"), Leg("b\(number)")]
      journey.riders = [riders[number % 10], riders[(number + 3) % 10]]
      context.insert(journey)
    }
    try context.save()
    store.requests = []
  }

  @Test(arguments: [1, 20, 400])
  func followingARelationshipAsksOnce(count: Int) throws {
    try insert(count)
    let context = ModelContext(container)
    let journeys = try context.fetch(FetchDescriptor<Journey>())
    #expect(store.requests.count == 1)
    var places: Set<String> = []
    for journey in journeys {
      for leg in journey.legs {
        places.insert(leg.place)
        #expect(leg.journey === journey)
      }
    }
    #expect(places.count == 2 * count)
    #expect(store.requests.count == 2, "one for the journeys, one for their legs")
    #expect(Set(journeys.flatMap { $0.riders.map(\.name) }).count == min(10, 2 * count))
    #expect(store.requests.count == 3)
    // The models of the first traversal are gone; following again must not ask again.
    for journey in journeys { #expect(journey.legs.count == 2) }
    #expect(store.requests.count == 3)
  }

  @Test func relationshipsOfRelatedModelsAreReadTogetherToo() throws {
    try insert(30)
    let context = ModelContext(container)
    let riders = try context.fetch(FetchDescriptor<Rider>())
    let places = Set(riders.flatMap { $0.journeys.flatMap { $0.legs.map(\.place) } })
    #expect(places.count == 60)
    #expect(store.requests.count == 3, "\(store.requests)")
  }

  @Test func prefetchedRelationshipsAreReadWithTheFetch() throws {
    try insert(30)
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Journey>()
    descriptor.relationshipKeyPathsForPrefetching = [\.legs, \.riders]
    let journeys = try context.fetch(descriptor)
    #expect(store.requests.count == 3)
    store.requests = []
    #expect(journeys.flatMap(\.legs).count == 60)
    #expect(journeys.flatMap(\.riders).count == 60)
    #expect(store.requests == [])
  }

  @Test func savesOfOtherContextsAreSeenWhenRelationshipsAreFollowedLater() throws {
    try insert(3)
    let context = ModelContext(container)
    let journeys = try context.fetch(FetchDescriptor<Journey>())
    #expect(journeys[0].legs.allSatisfy { !$0.place.isEmpty })
    let other = ModelContext(container)
    for leg in try other.fetch(FetchDescriptor<Leg>()) { leg.place = "changed" }
    for rider in try other.fetch(FetchDescriptor<Rider>()) { rider.name = "changed" }
    try other.save()
    context.processPendingChanges()
    #expect(journeys.flatMap(\.legs).allSatisfy { $0.place == "changed" })
    #expect(journeys.flatMap(\.riders).allSatisfy { $0.name == "changed" })
  }

  @Test func ownSavesAreSeenWhenRelationshipsAreFollowedLater() throws {
    try insert(3)
    let context = ModelContext(container)
    let journeys = try context.fetch(FetchDescriptor<Journey>())
    for journey in journeys { for leg in journey.legs { leg.place = "changed" } }
    try context.save()
    #expect(journeys.flatMap(\.legs).allSatisfy { $0.place == "changed" })
  }

  @Test func recordsThatAreGoneAreLookedForOnce() throws {
    try insert(20)
    for identifier in store.shelf.keys where identifier.entityName == "Leg" {
      store.shelf[identifier] = nil
    }
    let journeys = try ModelContext(container).fetch(FetchDescriptor<Journey>())
    for _ in 0..<3 { #expect(journeys.flatMap(\.legs).isEmpty) }
    #expect(store.requests.count == 2)
  }
}

/// A store that returns related records with those that it fetches.
@Suite struct ReturnedRelatedRecordsTests {
  @Test func areNotAskedForAgain() throws {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: GenerousConfiguration()
    )
    let store = try #require(container.stores.first as? GenerousStore)
    let context = ModelContext(container)
    for number in 0..<5 {
      let journey = Journey("journey \(number)")
      journey.legs = [Leg("a\(number)"), Leg("b\(number)")]
      context.insert(journey)
    }
    try context.save()
    let journeys = try ModelContext(container).fetch(FetchDescriptor<Journey>())
    #expect(Set(journeys.flatMap { $0.legs.map(\.place) }).count == 10)
    #expect(store.requestsCount == 1)
  }
}

private struct GenerousConfiguration: DataStoreConfiguration {
  typealias Store = GenerousStore
  var name = "generous"
  var schema: Schema?
}

/// Returns all records as related ones.
private final class GenerousStore: DataStore {
  typealias Snapshot = DefaultSnapshot
  let configuration: GenerousConfiguration
  var records: [PersistentIdentifier: DefaultSnapshot] = [:]
  var requestsCount = 0

  init(_ configuration: GenerousConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    requestsCount += 1
    let name = String(describing: T.self)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: records.values.filter { $0.persistentIdentifier.entityName == name }
        .sorted { $0.persistentIdentifier < $1.persistentIdentifier },
      relatedSnapshots: records.filter { $0.key.entityName != name }
    )
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: configuration.name)
    for snapshot in changes.inserted + changes.updated {
      records[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in request.deleted { records[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(
      for: configuration.name,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }
}
