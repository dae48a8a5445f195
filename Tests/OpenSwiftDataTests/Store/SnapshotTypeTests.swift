import Foundation
import SwiftData
import Testing

@testable import OpenSwiftData

/// Stores with their own snapshot type.
@Suite struct SnapshotTypeTests {
  private func container(_ url: URL? = nil) throws -> (ModelContainer, RevisionStore) {
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: RevisionConfiguration(fileURL: url)
    )
    return (container, try #require(container.stores.first as? RevisionStore))
  }

  @Test func theRevisionOfAServerIsKeptBesideTheValues() throws {
    let folder = try TestFolder()
    let (container, store) = try container(folder.file("server.json"))
    let context = ModelContext(container)
    let journey = Journey("Alps", days: 3)
    journey.start = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
    journey.legs = [Leg("Bern")]
    context.insert(journey)
    try context.save()
    #expect(store.records.map(\.serverRevision) == [1, 1])
    journey.days = 4
    try context.save()
    let (again, opened) = try self.container(folder.file("server.json"))
    #expect(opened.records.map(\.serverRevision) == [2, 1])
    let other = ModelContext(again)
    let found = try #require(try other.fetch(FetchDescriptor<Journey>()).first)
    #expect(found.days == 4 && found.start == journey.start && found.code == journey.code)
    #expect(found.legs.map(\.place) == ["Bern"])
    #expect(found.persistentModelID == journey.persistentModelID)
    let late = FetchDescriptor<Journey>(predicate: #Predicate { $0.days == 4 })
    #expect(try other.fetchCount(late) == 1)
  }

  @Test func whatTheStoreCorrectsIsInTheResultOfTheCommit() throws {
    let (container, _) = try container()
    let connection = try #require(container.connections().first)
    let schema = connection.schema
    let entity = try schema.entity(named: "Journey")
    let state = Journey("alps").persistentState
    let result = try connection.commit(
      ChangeSet(inserted: [entity.arranged(state.snapshot)]),
      state: EditingState()
    )
    #expect(result.reregistered.map { $0["name"] } == [.text("Alps")])
    #expect(
      result.reregistered.map(\.persistentIdentifier) == Array(result.remappedIdentifiers.values)
    )
  }

  @Test func aSnapshotIsFlattenedWithoutADetourThroughText() throws {
    let journey = Journey("Alps", days: 3, price: Decimal(string: "0.10") ?? 0)
    journey.start = Date(timeIntervalSinceReferenceDate: 0.1)
    journey.tags = ["a"]
    var related: [PersistentIdentifier: any BackingData] = [:]
    let row = RowSnapshot(from: journey.persistentBackingData, relatedBackingDatas: &related)
    let plain = try DefaultSnapshot(flattening: row)
    #expect(plain.persistentIdentifier == journey.persistentModelID)
    #expect(plain["revision"] == .integer(1))
    #expect(plain["start"] == .datetime(journey.start))
    #expect(plain["price"] == .decimal(journey.price))
    #expect(plain["code"] == .uuid(journey.code))
    #expect(plain["ticket"] == .text("open"))
    #expect(plain["tags"] == .json("[\"a\"]"))
    #expect(plain["legs"] == .links([]))
    #expect(plain["note"] == nil, "what is not encoded is not there")
  }
}
