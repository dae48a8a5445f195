import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Behavior of SwiftData that programs rely on.
struct BehaviourFactTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try TypedFixture.container()
    context = ModelContext(container)
  }

  @Test func changesAreSeenByOtherContextsOnceTheyAreSaved() throws {
    let other = ModelContext(container)
    context.insert(Trip(name: "Alps"))
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 0)
    try context.save()
    #expect(try other.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Alps"])
  }

  @Test func aUniqueAttributeShowsTwoRowsBeforeTheSaveAndTheLastOneAfter() throws {
    for note in ["first", "last"] {
      let sample = Sample(code: "same")
      sample.note = note
      context.insert(sample)
    }
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 2)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Sample>()).map(\.note) == ["last"])
  }

  @Test func aTransientValueStaysInItsContextAndIsTheDefaultInAnother() throws {
    let sample = Sample(code: "a")
    sample.scratch = "kept"
    context.insert(sample)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Sample>()).map(\.scratch) == ["kept"])
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Sample>()).map(\.scratch) == ["fresh"])
  }

  @Test func aNamedInverseIsKeptOnBothSides() throws {
    let trip = Trip(name: "Alps")
    let guest = Guest(name: "x")
    context.insert(trip)
    trip.guests = [guest]
    #expect(guest.trips == [trip])
    guest.trips = []
    #expect(trip.guests.isEmpty)
  }

  @Test func anInverseIsInferredBetweenOneAndOneAndBetweenOneAndMany() throws {
    let context = try InferredFixture.context()
    let house = House()
    let roof = Roof()
    let room = Room()
    context.insert(house)
    house.roof = roof
    house.rooms = [room]
    #expect(roof.house === house && room.house === house)
  }

  @Test func anInverseIsNotInferredBetweenManyAndMany() throws {
    let context = try InferredFixture.context()
    let street = Street()
    let house = House()
    context.insert(street)
    street.houses = [house]
    #expect(house.streets.isEmpty)
  }

  @Test func aDeniedDeletionIsRefusedAtSaveUntilTheChildIsDeleted() throws {
    let library = Library(name: "L")
    let book = Book(title: "T")
    context.insert(library)
    library.books = [book]
    try context.save()
    context.delete(library)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .deleteDenied)
    context.delete(book)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Library>()) == 0)
  }

  @Test func nullifyTakesTheOtherSideBackToNil() throws {
    let context = try InferredFixture.context()
    let house = House()
    let roof = Roof()
    context.insert(house)
    house.roof = roof
    try context.save()
    context.delete(house)
    try context.save()
    #expect(roof.house == nil && !roof.isDeleted)
  }

  @Test func noActionLeavesAReferenceThatReadsAsNilInsteadOfACrash() throws {
    let first = Book(title: "1")
    let second = Book(title: "2")
    context.insert(first)
    first.sequel = second
    try context.save()
    context.delete(second)
    try context.save()
    #expect(first.sequel == nil)
    let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Book>()).first)
    #expect(again.sequel == nil)
    // The reference exists and can be found.
    #expect(again.persistentState.snapshot["sequel"] == .link(second.persistentModelID))
  }

  @Test func fetchingInBatchesKnowsUnsavedChanges() throws {
    for number in 0..<3 { context.insert(Trip(name: "\(number)")) }
    try context.save()
    context.insert(Trip(name: "new"))
    let batches = try context.fetch(FetchDescriptor<Trip>(), batchSize: 2)
    #expect(batches.map(\.name) == ["0", "1", "2", "new"])
  }

  @Test func aFetchOfTheSuperclassReturnsSubclassesThatAreInTheSchema() throws {
    context.insert(Vehicle(wheels: 2))
    context.insert(Car(doors: 3))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Vehicle>()).contains { $0 is Car })
    #expect(Schema([Vehicle.self]).entitiesByName["Car"] == nil)
    #expect(Schema([Car.self]).entitiesByName["Vehicle"] != nil)
  }
}

@Model
final class House {
  var number = 0
  var roof: Roof?
  var rooms: [Room] = []
  var streets: [Street] = []
  init() {}
}

@Model
final class Roof {
  var house: House?
  init() {}
}

@Model
final class Room {
  var house: House?
  init() {}
}

@Model
final class Street {
  var houses: [House] = []
  init() {}
}

enum InferredFixture {
  static func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema([House.self, Street.self]),
        configurations: ReferenceStoreConfiguration()
      )
    )
  }
}
