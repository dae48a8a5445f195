import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// The values that authors of stores read from snapshots and requests.
@Suite struct SnapshotReadingTests {
  struct Row: Codable, Equatable {
    var persistentIdentifier: PersistentIdentifier
    var name: String
    var start: Date
    var days: Int
    var price: Decimal
    var code: UUID
    var note: String?
    var ticket: Fare
    var tags: [String]
    var legs: [PersistentIdentifier]
  }

  private func snapshot(of journey: Journey) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(
      from: journey.persistentBackingData,
      relatedBackingDatas: &related
    )
  }

  private func journey() -> Journey {
    let journey = Journey("Alps", days: 3, price: 2, note: "far")
    journey.start = Date(timeIntervalSinceReferenceDate: 0.1)
    journey.tags = ["a", "b"]
    journey.ticket = .single
    journey.legs = [Leg("Bern")]
    return journey
  }

  @Test func valuesAreReadByNameKeyPathAndAsAType() throws {
    let journey = journey()
    let snapshot = snapshot(of: journey)
    #expect(snapshot["days"] == .integer(3))
    #expect(snapshot.value("days", as: Int.self) == 3)
    #expect(snapshot.value("days", as: String.self) == nil)
    #expect(snapshot[\Journey.start] == journey.start)
    #expect(snapshot[\Journey.note] == .some("far"))
    let row = try snapshot.decoded(as: Row.self)
    #expect(
      row
        == Row(
          persistentIdentifier: journey.persistentModelID,
          name: "Alps",
          start: journey.start,
          days: 3,
          price: 2,
          code: journey.code,
          note: "far",
          ticket: .single,
          tags: ["a", "b"],
          legs: journey.legs.map(\.persistentModelID)
        )
    )
  }

  @Test func anEncodedSnapshotIsFlat() throws {
    let snapshot = snapshot(of: journey())
    let data = try JSONEncoder().encode(snapshot)
    struct Small: Decodable { let days: Int }
    #expect(try JSONDecoder().decode(Small.self, from: data).days == 3)
    let again = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    #expect(again[\Journey.code] == snapshot[\Journey.code])
    #expect(again[\Journey.start] == snapshot[\Journey.start])
    #expect(try again.decoded(as: Row.self) == snapshot.decoded(as: Row.self))
  }

  @Test func theHelperAssignsIdentifiersAndRewritesLinksOfNewAndChangedRecords() throws {
    let (new, other, changed) = (journey(), Journey("Bern"), Journey("Chur"))
    new.riders = [Rider("Ann")]
    let rider = try #require(new.riders.first)
    changed.riders = [rider]
    let old = try PersistentIdentifier.identifier(
      for: "s",
      entityName: "Journey",
      primaryKey: 1
    )
    let request = DataStoreSaveChangesRequest(
      inserted: [new, other].map(snapshot) + [riderSnapshot(rider)],
      updated: [snapshot(of: changed).copy(persistentIdentifier: old)]
    )
    var number = 10
    let changes = try request.assignPermanentIdentifiers(for: "s") { _ in
      number += 1
      return number
    }
    #expect(changes.remappedIdentifiers.count == 3)
    #expect(changes.inserted.map(\.persistentIdentifier.description) == ["11", "12", "13"])
    #expect(changes.inserted.allSatisfy { $0.persistentIdentifier.storeIdentifier == "s" })
    let permanent = changes.remappedIdentifiers[rider.persistentModelID]
    #expect(changes.inserted[0]["riders"] == permanent.map { .links([$0]) })
    #expect(changes.updated[0]["riders"] == permanent.map { .links([$0]) })
    #expect(changes.updated[0].persistentIdentifier == old)
    let again = request.assignPermanentIdentifiers(for: "s")
    #expect(Set(again.remappedIdentifiers.values).count == 3)
  }

  private func riderSnapshot(_ rider: Rider) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: rider.persistentBackingData, relatedBackingDatas: &related)
  }

  @Test func aRequestIsWalkedOrRefusedWithItsReason() throws {
    let filter = Filter.compare("days", .greater, .integer(2))
    var descriptor = FetchDescriptor<Journey>(predicate: filter.predicate())
    descriptor.fetchLimit = 5
    #expect(
      try DataStoreFetchRequest(descriptor: descriptor).query
        == Query("Journey", filter: filter, limit: 5)
    )
    let strange = #Predicate<Journey> { $0.name.count * $0.days > $0.tags.count }
    #expect(throws: DataStoreError.preferInMemoryFilter) {
      try DataStoreFetchRequest(descriptor: FetchDescriptor(predicate: strange)).query
    }
  }

  @Test func aStoreCanBeTestedAlone() throws {
    let store = ShelfStore(ShelfConfiguration(schema: Schema([Journey.self])))
    let state = EditingState(author: "ann")
    let result = try store.save(
      DataStoreSaveChangesRequest(inserted: [snapshot(of: journey())], editingState: state)
    )
    let permanent = try #require(result.remappedIdentifiers.values.first)
    let request = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Journey>(),
      editingState: state
    )
    #expect(try store.fetch(request).fetchedSnapshots.map(\.persistentIdentifier) == [permanent])
    #expect(try store.fetchCount(request) == 1)
    #expect(try store.fetchIdentifiers(request) == [permanent])
    try store.erase()
    #expect(try store.fetchCount(request) == 0)
  }

  @Test func aFeedTellsEveryListenerUntilItStops() async throws {
    let feed = StoreChangeFeed()
    let changes = feed.changes
    let heard = Heard()
    var subscription: StoreChangeFeed.Subscription? = feed.observe { heard.add($0) }
    let change = StoreChange(updated: [journey().persistentModelID], author: "ann")
    feed.send(change)
    subscription?.cancel()
    subscription = nil
    feed.send(.everything)
    #expect(heard.all == [change])
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next() == change)
    #expect(await iterator.next() == .everything)
  }
}

/// The changes that a listener received.
private final class Heard: @unchecked Sendable {
  // Unchecked because the test sends from one thread.
  private(set) var all: [StoreChange] = []
  func add(_ change: StoreChange) { all.append(change) }
}
