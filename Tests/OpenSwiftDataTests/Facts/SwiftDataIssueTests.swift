import DataStoreTesting
import Foundation
import Observation
import OpenSwiftData
import SwiftData
import Synchronization
import Testing

/// Known problems of SwiftData that this library does not have.
struct SwiftDataIssueTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try TypedFixture.container()
    context = ModelContext(container)
  }

  // MARK: 1, 3, 4, 5: objects

  @Test func aDeletedModelCanBeReadAndSaysThatItIsDeleted() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    trip.stops = [Stop(place: "Bern")]
    try context.save()
    let stop = try #require(trip.stops.first)
    context.delete(trip)
    try context.save()
    #expect(trip.isDeleted && trip.name == "Alps" && trip.stops.isEmpty)
    #expect(stop.isDeleted && stop.trip == nil)
    #expect(trip.modelContext == nil)
  }

  @Test func rollbackBringsBackValuesRelationsAndDeletedModels() throws {
    let trip = Trip(name: "Alps")
    let stops = [Stop(place: "Bern"), Stop(place: "Chur")]
    context.insert(trip)
    trip.stops = stops
    try context.save()
    trip.name = "Andes"
    trip.stops = [stops[1], Stop(place: "new")]
    context.delete(stops[1])
    let new = Trip(name: "new")
    context.insert(new)
    context.rollback()
    #expect(trip.name == "Alps" && trip.stops == stops)
    #expect(stops.allSatisfy { $0.trip === trip && !$0.isDeleted })
    #expect(new.modelContext == nil && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 2)
  }

  @Test func aFailedSaveLeavesTheContextAsItWas() throws {
    let container = try ModelContainer(
      for: Schema(TypedFixture.models),
      configurations: FlawedConfiguration()
    )
    let store = try #require(container.stores.first as? FlawedStore)
    let context = ModelContext(container)
    let trip = Trip(name: "Alps")
    context.insert(trip)
    trip.stops = [Stop(place: "Bern")]
    store.failNext()
    #expect(throws: (any Error).self) { try context.save() }
    #expect(context.insertedModelsArray.count == 2)
    #expect(trip.persistentModelID.isTemporary && trip.stops.first?.trip === trip)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.stops.count) == [1])
  }

  @Test func heldAndFetchedObjectsAreTheSame() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let stop = Stop(place: "Bern")
    trip.stops = [stop]
    let temporary = stop.persistentModelID
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Stop>()).first === stop)
    #expect(trip.stops.first === stop)
    #expect(stop.persistentModelID != temporary)
  }

  @Test func objectsOfOneRecordAreEqualInAllContextsAndKeepTheirHash() throws {
    let trip = Trip(name: "Alps")
    var known: Set = [trip]
    context.insert(trip)
    try context.save()
    #expect(known.contains(trip))
    let other = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(other == trip && other !== trip)
    #expect(!known.insert(other).inserted)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func cascadeFollowsWhateverWasInsertedFirst(order: [Int]) throws {
    let trip = Trip(name: "Alps")
    let stop = Stop(place: "Bern")
    for place in order {
      if place == 0 { context.insert(trip) } else { context.insert(stop) }
    }
    stop.trip = trip
    try context.save()
    let other = ModelContext(container)
    other.delete(try #require(try other.fetch(FetchDescriptor<Trip>()).first))
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Stop>()) == 0)
  }

  // MARK: 6, 8, 12: fetching

  @Test func predicatesOverEnumsOptionalsAndStructuresWork() throws {
    for (code, mood) in [("a", Mood.calm), ("b", .wild)] {
      let sample = Sample(code: code)
      sample.mood = mood
      sample.wish = mood
      sample.limit = mood == .wild ? 3 : nil
      sample.address = Address(street: code, unit: nil)
      context.insert(sample)
    }
    try context.save()
    let wild = Mood.wild
    let predicates = [
      #Predicate<Sample> { $0.mood == wild },
      #Predicate<Sample> { $0.wish == wild },
      #Predicate<Sample> { $0.limit ?? 0 > 2 },
      #Predicate<Sample> { $0.address.street == "b" },
    ]
    for predicate in predicates {
      let descriptor = FetchDescriptor(predicate: predicate)
      #expect(try context.fetch(descriptor).map(\.code) == ["b"])
      #expect(try context.fetchCount(descriptor) == 1)
    }
  }

  @Test func predicatesOverTransientAndComputedPropertiesAreEvaluatedInMemory() throws {
    let samples = ["a", "bb"].map { Sample(code: $0) }
    for sample in samples {
      sample.scratch = "s" + sample.code
      context.insert(sample)
    }
    try context.save()
    // A transient value exists as long as its object.
    let transient = FetchDescriptor<Sample>(predicate: #Predicate { $0.scratch == "sbb" })
    #expect(try context.fetch(transient).map(\.code) == ["bb"])
    #expect(try context.fetchCount(transient) == 1)
    let computed = FetchDescriptor<Sample>(predicate: #Predicate { $0.codeLength == 2 })
    #expect(try context.fetch(computed).map(\.code) == ["bb"])
    #expect(try context.fetchIdentifiers(computed).count == 1)
    #expect(samples.count == 2)
  }

  @Test func toManyRelationshipsKeepTheirOrder() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    let places = (0..<40).map { "\(($0 * 23) % 40)" }
    trip.stops = places.map { Stop(place: $0) }
    trip.stops.swapAt(0, 39)
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(found.stops.map(\.place) == trip.stops.map(\.place))
    #expect(found.stops.first?.place == places.last)
  }

  @Test func aFetchWithoutPendingChangesDropsNoRelations() throws {
    let trip = Trip(name: "Alps")
    context.insert(trip)
    trip.stops = [Stop(place: "Bern")]
    trip.guests = [Guest(name: "x")]
    var saved = FetchDescriptor<Trip>()
    saved.includePendingChanges = false
    #expect(try context.fetch(saved).isEmpty)
    #expect(trip.stops.count == 1 && trip.guests.count == 1)
    try context.save()
    trip.stops.append(Stop(place: "Chur"))
    #expect(try context.fetch(saved).first === trip)
    #expect(trip.stops.map(\.place) == ["Bern", "Chur"])
    var stops = FetchDescriptor<Stop>()
    stops.includePendingChanges = false
    #expect(try context.fetch(stops).map(\.place) == ["Bern"])
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(found.stops.map(\.place) == ["Bern", "Chur"] && found.guests.map(\.name) == ["x"])
    #expect(found.stops.allSatisfy { $0.trip === found })
  }

  // MARK: 10, 13, 14, 16, 17: models

  @Test func uniqueValuesAreReplacedOrRefusedAsTheConstraintSays() throws {
    let context = try UniqueFixture.context()
    context.insert(Booking(room: 1, day: 1, guest: "x"))
    context.insert(Seat(row: "A", number: 1, guest: "x"))
    try context.save()
    context.insert(Booking(room: 1, day: 1, guest: "y"))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Booking>()).map(\.guest) == ["y"])
    context.insert(Seat(row: "A", number: 1, guest: "y"))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Seat>()).map(\.guest) == ["x"])
  }

  @Test func modelsLiveWithoutAContainer() {
    let trip = Trip(name: "Alps")
    let stop = Stop(place: "Bern", trip: trip)
    trip.stops.append(Stop(place: "Chur"))
    #expect(trip.name == "Alps" && stop.trip === trip)
    #expect(trip.stops.last?.trip === trip)
    #expect(trip.modelContext == nil && !trip.isDeleted)
  }

  @Test func structuresWithOptionalsAndGreatNumbersComeBack() throws {
    let sample = Sample(code: "a")
    sample.address = Address(street: "s", unit: nil)
    sample.former = Address(street: "", unit: nil)
    sample.unsigned = .max
    sample.huge = .max
    context.insert(sample)
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Sample>()).first)
    #expect(found.address == sample.address && found.former == sample.former)
    #expect(found.unsigned == .max && found.huge == .max)
  }

  @Test func contradictoryInversesAreNamedWhenTheContainerIsMade() {
    let error = #expect(throws: PersistenceError.self) {
      try ModelContainer(for: Schema([Owner.self]), configurations: ReferenceStoreConfiguration())
    }
    #expect(error?.message.contains("Owner.pets and Owner.formerPets") == true)
  }

  @Test func rejectedSavesAreListedInAdvance() throws {
    let sample = Sample(code: "a")
    context.insert(sample)
    sample.moment = .distantFuture + 1e12
    sample.persistentState.set(.null, at: 0)
    let messages = try context.validationErrors().map(\.message)
    #expect(messages.count == 2)
    #expect(messages[0].contains("Sample.code: a value is required"))
    #expect(messages[1].contains("Sample.moment: must be between the years 0000 and 9999"))
  }

  // MARK: 11: speed

  @Test func readingAndSortingModelsAsksTheStoreNothing() throws {
    let container = try ModelContainer(
      for: Schema(TypedFixture.models),
      configurations: CountingConfiguration()
    )
    let store = try #require(container.stores.first as? CountingStore)
    let context = ModelContext(container)
    for number in 0..<100 { context.insert(Trip(name: "\(number * 37 % 100)")) }
    try context.save()
    let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>())
    let count = store.count.load(ordering: .relaxed)
    #expect(trips.sorted { $0.name < $1.name }.first?.name == "0")
    #expect(trips.map(\.name).reduce(0) { $0 + $1.count } == 190)
    #expect(store.count.load(ordering: .relaxed) == count)
  }
}

extension Sample {
  var codeLength: Int { code.count }
}

struct CountingConfiguration: DataStoreConfiguration {
  typealias Store = CountingStore

  var name = "counting"
  var schema: Schema?

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A reference store that counts requests, and can run code before a commit.
final class CountingStore: HistoryKeepingStore, SchemaChangingStore, Sendable {
  let configuration: CountingConfiguration
  let count = Atomic<Int>(0)
  let beforeCommit = Mutex<(@Sendable () -> Void)?>(nil)
  private let inner: ReferenceStore

  init(_ configuration: CountingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    self.configuration = configuration
    inner = try ReferenceStore(
      ReferenceStoreConfiguration(name: configuration.name, schema: configuration.schema)
    )
  }

  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    count.wrappingAdd(1, ordering: .relaxed)
    return try inner.snapshots(matching: query)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    count.wrappingAdd(1, ordering: .relaxed)
    let work = beforeCommit.withLock { work in
      defer { work = nil }
      return work
    }
    work?()
    return try inner.commit(changes, author: author)
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try inner.transactions(after: token, touching: identifier)
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    try inner.apply(change, author: author)
  }
}
