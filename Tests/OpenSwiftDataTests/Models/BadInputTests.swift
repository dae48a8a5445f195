import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Two relationships that name the same inverse.
@Model
final class Owner {
  @Relationship(inverse: \Pet.owner) var pets: [Pet] = []
  @Relationship(inverse: \Pet.owner) var formerPets: [Pet] = []
  init() {}
}

@Model
final class Pet {
  var owner: Owner?
  init() {}
}

enum FirstPlace {
  @Model final class Spot { init() {} }
}

enum SecondPlace {
  @Model final class Spot { init() {} }
}

/// A required relationship.
@Model
final class Receipt {
  var sum: Int
  var payer: Payer

  init(sum: Int, payer: Payer) {
    self.sum = sum
    self.payer = payer
  }
}

@Model
final class Payer {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Receipt.payer) var receipts: [Receipt] = []
  init(name: String) { self.name = name }
}

struct BadSchemaTests {
  private func message(_ schema: Schema) -> String? {
    let error = #expect(throws: PersistenceError.self) {
      try ModelContainer(for: schema, configurations: ReferenceStoreConfiguration())
    }
    #expect(error?.code == .invalidSchema)
    return error?.message
  }

  private func entity(_ name: String, to destination: String, inverse: String?) -> Schema.Entity {
    Schema.Entity(
      name,
      properties: Schema.Relationship(
        name: "link",
        valueType: [Trip].self,
        destination: destination,
        inverseName: inverse
      )
    )
  }

  @Test func anInverseOfTwoIsNamed() {
    #expect(
      message(Schema([Owner.self]))
        == "Pet.owner: is the inverse of both Owner.pets and Owner.formerPets"
    )
  }

  @Test func twoClassesOfOneNameAreNamed() {
    #expect(
      message(Schema([FirstPlace.Spot.self, SecondPlace.Spot.self]))
        == "duplicate entity \"Spot\""
    )
  }

  @Test func aDanglingInverseByNameIsNamed() {
    #expect(
      message(
        Schema(
          entity("Left", to: "Right", inverse: "nothing"),
          entity("Right", to: "Left", inverse: nil)
        )
      ) == "Left.link: inverse Right.nothing is not a relationship"
    )
  }

  @Test func anInverseThatLeadsElsewhereIsNamed() {
    #expect(
      message(
        Schema(
          entity("Left", to: "Right", inverse: "link"),
          entity("Right", to: "Right", inverse: nil)
        )
      ) == "Left.link: inverse Right.link points to Right"
    )
  }

  @Test func anUnknownDestinationIsNamed() {
    #expect(
      message(Schema(entity("Left", to: "Nowhere", inverse: nil)))
        == "Left.link: unknown entity \"Nowhere\""
    )
  }

  @Test func aPropertyThatIsThereTwiceIsNamed() {
    #expect(
      message(
        Schema(
          Schema.Entity(
            "Left",
            properties: Schema.Attribute(name: "a", valueType: Int.self),
            Schema.Attribute(name: "a", valueType: String.self)
          )
        )
      ) == "Left: duplicate field \"a\""
    )
  }
}

struct ForeignModelTests {
  @Test func aModelThatTheSchemaDoesNotKnowIsRefusedAtSave() throws {
    let context = try TypedFixture.context()
    context.insert(Trip(name: "Alps"))
    let stranger = Seat(row: "A", number: 1)
    context.insert(stranger)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .unknownEntity)
    #expect(error?.message.contains("Seat") == true)
    #expect(context.insertedModelsArray.count == 2)
    context.delete(stranger)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(throws: PersistenceError.self) { try context.fetch(FetchDescriptor<Seat>()) }
  }

  @Test func aModelOfAnotherContextStaysThere() throws {
    let container = try TypedFixture.container()
    let first = ModelContext(container)
    let second = ModelContext(container)
    let trip = Trip(name: "Alps")
    first.insert(trip)
    second.insert(Trip(name: "Own"))
    second.insert(trip)
    #expect(trip.modelContext === first)
    let error = #expect(throws: PersistenceError.self) { try second.save() }
    #expect(error?.message.contains("Trip") == true)
    #expect(second.hasChanges)
    try second.save()
    try first.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test func relatingModelsOfTwoContextsIsSaidAtSave() throws {
    let container = try TypedFixture.container()
    let first = ModelContext(container)
    let second = ModelContext(container)
    let trip = Trip(name: "Alps")
    first.insert(trip)
    let stop = Stop(place: "Bern")
    second.insert(stop)
    stop.trip = trip
    #expect(throws: PersistenceError.self) { try second.save() }
    #expect(stop.trip == nil && trip.stops.isEmpty)
    try second.save()
    try first.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).map(\.place) == ["Bern"])
  }
}

/// Models that were deleted or do not exist can be read.
struct DeletedModelTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try TypedFixture.container()
    context = ModelContext(container)
  }

  private func deletedStop() throws -> (Trip, Stop) {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let stop = Stop(place: "Bern")
    trip.stops = [stop]
    try context.save()
    context.delete(stop)
    try context.save()
    return (trip, stop)
  }

  @Test func aDeletedModelReadsAndWrites() throws {
    let (_, stop) = try deletedStop()
    #expect(stop.isDeleted && stop.modelContext == nil)
    #expect(stop.place == "Bern" && stop.trip == nil)
    stop.place = "Chur"
    #expect(stop.place == "Chur" && !context.hasChanges)
    context.delete(stop)
    #expect(!context.hasChanges)
  }

  @Test func deletedModelsAreNotReferredTo() throws {
    let (trip, stop) = try deletedStop()
    stop.trip = trip
    trip.stops.append(stop)
    #expect(trip.stops.isEmpty && !context.hasChanges)
    let other = Stop(place: "Chur")
    context.insert(other)
    context.delete(other)
    trip.stops = [other]
    #expect(trip.stops.isEmpty)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  @Test func aDeletedModelCanBeInsertedAgain() throws {
    let (trip, stop) = try deletedStop()
    let former = stop.persistentModelID
    context.insert(stop)
    #expect(!stop.isDeleted && stop.modelContext === context)
    stop.trip = trip
    try context.save()
    #expect(stop.persistentModelID != former && trip.stops == [stop])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Stop>()).map(\.place) == ["Bern"])
  }

  @Test func anUnsavedDeletionIsTakenBackWithItsRelations() throws {
    let trip = Trip(name: "Alps")
    let guest = Guest(name: "x")
    context.insert(trip)
    trip.guests = [guest]
    try context.save()
    context.delete(trip)
    #expect(guest.trips.isEmpty)
    context.insert(trip)
    #expect(guest.trips == [trip] && trip.guests == [guest])
    #expect(!context.hasChanges)
  }

  @Test func aMissingRelatedModelReadsAsNilOrAsDeleted() throws {
    let schema = Schema([Receipt.self, Payer.self])
    let container = try ModelContainer(for: schema, configurations: ReferenceStoreConfiguration())
    let context = ModelContext(container)
    let receipt = Receipt(sum: 5, payer: Payer(name: "x"))
    context.insert(receipt)
    try context.save()
    context.delete(receipt.payer)
    try context.save()
    for context in [context, ModelContext(container)] {
      let found = try #require(try context.fetch(FetchDescriptor<Receipt>()).first)
      #expect(found.payer.isDeleted)
      #expect(found.payer.name == "")
      #expect(found.sum == 5)
    }
  }

  @Test func aModelDeletedElsewhereStillReads() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    try context.save()
    let other = ModelContext(container)
    let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    other.delete(same)
    try other.save()
    #expect(trip.name == "Alps")
    trip.name = "Andes"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(context.hasChanges)
    context.rollback()
  }
}
