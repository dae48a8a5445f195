import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Both sides of a relationship always agree, whichever side was set.
struct RelationshipTests {
  @Test func settingToOneAppendsToTheInverse() throws {
    let context = try TypedFixture.context()
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let stop = Stop(place: "Bern")
    stop.trip = trip
    #expect(trip.stops == [stop])
    #expect(stop.modelContext === context)
    try context.save()
    #expect(trip.stops == [stop] && stop.trip === trip)
  }

  @Test func aReferenceToANewModelThatWasDeletedIsNotSaved() throws {
    let context = try TypedFixture.context()
    let first = Book(title: "1")
    let second = Book(title: "2")
    first.sequel = second
    context.insert(first)
    context.delete(second)
    try context.save()
    #expect(first.sequel == nil)
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Book>())
    #expect(found.map(\.title) == ["1"] && found.first?.sequel == nil)
  }

  @Test func appendingToManySetsTheInverse() throws {
    let context = try TypedFixture.context()
    let trip = Trip(name: "Alps")
    context.insert(trip)
    trip.stops.append(Stop(place: "Bern"))
    trip.stops.append(Stop(place: "Chur"))
    #expect(trip.stops.map(\.place) == ["Bern", "Chur"])
    #expect(trip.stops.allSatisfy { $0.trip === trip })
    trip.stops.removeFirst()
    #expect(trip.stops.map(\.place) == ["Chur"])
    try context.save()
    let all = try context.fetch(FetchDescriptor<Stop>()).sorted { $0.place < $1.place }
    #expect(all.map(\.trip?.name) == [nil, "Alps"])
  }

  @Test func relatedModelsOfNoContextKnowEachOther() {
    let trip = Trip(name: "Alps")
    let stop = Stop(place: "Bern")
    trip.stops = [stop]
    #expect(stop.trip === trip)
    stop.trip = nil
    #expect(trip.stops.isEmpty)
  }

  @Test func initialValuesReachTheInverseAtInsertion() throws {
    let context = try TypedFixture.context()
    let trip = Trip(name: "Alps")
    let stop = Stop(place: "Bern", trip: trip)
    context.insert(stop)
    #expect(trip.modelContext === context)
    #expect(trip.stops == [stop])
  }

  @Test func manyToManyIsKeptOnBothSides() throws {
    let container = try TypedFixture.container()
    let context = ModelContext(container)
    let trips = ["A", "B"].map { Trip(name: $0) }
    let guests = ["x", "y"].map { Guest(name: $0) }
    for trip in trips { context.insert(trip) }
    trips[0].guests = guests
    guests[1].trips.append(trips[1])
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Trip>()).sorted { $0.name < $1.name }
    #expect(found.map { $0.guests.map(\.name) } == [["x", "y"], ["y"]])
    #expect(found[1].guests.first?.trips.map(\.name) == ["A", "B"])
  }

  @Test func movingAChildLeavesItsFormerParent() throws {
    let context = try TypedFixture.context()
    let first = Trip(name: "1")
    let second = Trip(name: "2")
    let stop = Stop(place: "p")
    first.stops = [stop]
    context.insert(first)
    context.insert(second)
    try context.save()
    second.stops.append(stop)
    #expect(first.stops.isEmpty && stop.trip === second)
    context.rollback()
    #expect(first.stops == [stop] && second.stops.isEmpty && stop.trip === first)
  }

  @Test func anInferredOneToOneInverseIsKept() throws {
    let context = try TypedFixture.context()
    let guest = Guest(name: "x")
    let passport = Passport(number: "1")
    context.insert(guest)
    guest.passport = passport
    #expect(passport.holder === guest)
    let other = Guest(name: "y")
    context.insert(other)
    passport.holder = other
    #expect(guest.passport == nil && other.passport === passport)
  }

  @Test func orderedToManyKeepsItsOrder() throws {
    let container = try TypedFixture.container()
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let places = (0..<50).map { "\(($0 * 37) % 50)" }
    trip.stops = places.map { Stop(place: $0) }
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(found.stops.map(\.place) == places)
  }
}

/// Delete rules do not depend on the order of insertion.
struct DeleteRuleTests {
  @Test(arguments: [true, false])
  func cascadeDeletesChildren(parentFirst: Bool) throws {
    let context = try TypedFixture.context()
    let trip = Trip(name: "Alps")
    let stops = [Stop(place: "a"), Stop(place: "b")]
    if parentFirst { context.insert(trip) } else { for stop in stops { context.insert(stop) } }
    for stop in stops { stop.trip = trip }
    if !parentFirst { context.insert(trip) }
    try context.save()
    context.delete(trip)
    #expect(stops.map(\.isDeleted) == [true, true])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test func nullifyLeavesTheOtherSide() throws {
    let context = try TypedFixture.context()
    let guest = Guest(name: "x")
    let trip = Trip(name: "A")
    context.insert(trip)
    trip.guests = [guest]
    try context.save()
    context.delete(guest)
    try context.save()
    #expect(trip.guests.isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func denyRefusesTheSaveWhileThereAreChildren() throws {
    let context = try TypedFixture.context()
    let library = Library(name: "L")
    let book = Book(title: "T")
    context.insert(library)
    library.books = [book]
    try context.save()
    context.delete(library)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .deleteDenied)
    #expect(error?.message.contains("books") == true)
    context.delete(book)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Library>()) == 0)
  }

  @Test func noActionLeavesALinkThatReadsAsNil() throws {
    let context = try TypedFixture.context()
    let first = Book(title: "1")
    let second = Book(title: "2")
    context.insert(first)
    first.sequel = second
    try context.save()
    context.delete(second)
    try context.save()
    #expect(first.sequel == nil)
    #expect(!first.isDeleted)
  }

  @Test func tooManyRelatedModelsAreRefusedWithNames() throws {
    let context = try TypedFixture.context()
    let library = Library(name: "L")
    context.insert(library)
    library.books = (0..<4).map { Book(title: "\($0)") }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.message.contains("at most 3") == true)
    library.books.removeLast()
    try context.save()
  }
}
