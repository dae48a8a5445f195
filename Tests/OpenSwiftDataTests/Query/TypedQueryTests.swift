import Foundation
import OpenSwiftData
import SwiftData
import Testing

extension Stop {
  /// Not stored.
  fileprivate var shout: String { place.uppercased() }
}

/// Predicates and sort descriptors over models, through a context and a store.
@Suite struct TypedQueryTests {
  /// A context with saved trips and stops, some of them changed since.
  private struct World {
    let context: ModelContext
    let trips: [Trip]
    let stops: [Stop]

    init() throws {
      context = try TypedFixture.context()
      trips = ["Alps", "Coast", "Void"].map { Trip(name: $0) }
      for trip in trips { context.insert(trip) }
      stops = ["Chur", "Davos", "Bari", "Lost"].map { Stop(place: $0) }
      for stop in stops { context.insert(stop) }
      stops[0].trip = trips[0]
      stops[1].trip = trips[0]
      stops[2].trip = trips[1]
      try context.save()
      stops[2].place = "Bari Nova"
      let new = Stop(place: "New")
      context.insert(new)
      new.trip = trips[1]
    }

    /// Compares fetched models, counts and identifiers with the result of Foundation's filter.
    func check<T: PersistentModel>(
      _ predicate: Predicate<T>,
      exact: Bool,
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      let all = try context.fetch(FetchDescriptor<T>())
      let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID))
      let descriptor = FetchDescriptor(predicate: predicate)
      let found = try context.fetch(descriptor).map(\.persistentModelID)
      #expect(Set(found) == expected && found.count == expected.count, sourceLocation: location)
      #expect(try context.fetchCount(descriptor) == expected.count, sourceLocation: location)
      #expect(Set(try context.fetchIdentifiers(descriptor)) == expected, sourceLocation: location)
      #expect(LoweredPredicate(predicate).isExact == exact, sourceLocation: location)
    }
  }

  @Test func relationshipsAreComparedAsLinks() throws {
    let world = try World()
    let identifier = world.trips[0].persistentModelID
    let none: PersistentIdentifier? = nil
    try world.check(#Predicate<Stop> { $0.trip == nil }, exact: true)
    try world.check(#Predicate<Stop> { $0.trip?.persistentModelID == none }, exact: true)
    try world.check(#Predicate<Stop> { $0.trip?.persistentModelID != identifier }, exact: true)
    try world.check(#Predicate<Trip> { $0.persistentModelID == identifier }, exact: false)
    try world.check(#Predicate<Stop> { $0.trip?.persistentModelID == identifier }, exact: true)
    try world.check(#Predicate<Stop> { $0.trip?.id == identifier }, exact: true)
    try world.check(#Predicate<Stop> { $0.trip?.name == "Alps" }, exact: false)
    try world.check(#Predicate<Stop> { $0.trip != nil && $0.trip!.name == "Alps" }, exact: false)
  }

  @Test func relationshipsToManyAreTestedForElements() throws {
    let world = try World()
    let identifier = world.stops[1].persistentModelID
    try world.check(#Predicate<Trip> { $0.stops.isEmpty }, exact: true)
    try world.check(#Predicate<Trip> { !$0.stops.isEmpty }, exact: true)
    try world.check(#Predicate<Trip> { $0.stops.count > 0 }, exact: true)
    try world.check(#Predicate<Trip> { $0.stops.count == 2 }, exact: false)
    try world.check(
      #Predicate<Trip> { $0.stops.contains { $0.persistentModelID == identifier } },
      exact: false
    )
    try world.check(#Predicate<Trip> { $0.stops.contains { $0.place == "Davos" } }, exact: false)
    let lowered = LoweredPredicate(
      #Predicate<Trip> { $0.stops.contains { $0.persistentModelID == identifier } }
    )
    #expect(
      lowered.filter == .text("stops", TextMatch(.contains, identifier.description))
    )
    try world.check(#Predicate<Trip> { $0.stops.allSatisfy { $0.place != "Davos" } }, exact: false)
  }

  @Test func recordsAreFoundByTheirIdentifiers() throws {
    let world = try World()
    let one = world.stops[1].persistentModelID
    let some = [one, world.stops[2].persistentModelID, world.trips[0].persistentModelID]
    try world.check(#Predicate<Stop> { $0.persistentModelID == one }, exact: false)
    try world.check(#Predicate<Stop> { $0.id == one }, exact: false)
    try world.check(#Predicate<Stop> { $0.persistentModelID != one }, exact: false)
    try world.check(#Predicate<Stop> { some.contains($0.persistentModelID) }, exact: false)
    try world.check(
      #Predicate<Stop> { some.contains($0.persistentModelID) && $0.place == "Bari Nova" },
      exact: false
    )
    try world.check(
      #Predicate<Stop> { $0.persistentModelID == one || $0.place == "New" },
      exact: false
    )
    let lowered = LoweredPredicate(#Predicate<Stop> { some.contains($0.persistentModelID) })
    #expect(lowered.identifiers == Set(some))
    world.context.delete(world.stops[1])
    #expect(
      try world.context.fetch(FetchDescriptor(predicate: #Predicate<Stop> { $0.id == one })).isEmpty
    )
  }

  @Test func computedAndTransientPropertiesAreEvaluatedInMemory() throws {
    let context = try TypedFixture.context()
    for number in 0..<5 {
      let sample = Sample(code: "\(number)")
      sample.count = number
      sample.flag = number % 2 == 0
      sample.scratch = number < 3 ? "mine" : "fresh"
      context.insert(sample)
    }
    let mine = #Predicate<Sample> { $0.flag && $0.scratch == "mine" }
    let lowered = LoweredPredicate(mine)
    #expect(!lowered.isExact && lowered.filter == .compare("flag", .equal, .boolean(true)))
    #expect(try context.fetchCount(FetchDescriptor(predicate: mine)) == 2)
    var page = FetchDescriptor(predicate: mine, sortBy: [SortDescriptor(\.count, order: .reverse)])
    page.fetchLimit = 1
    #expect(try context.fetch(page).map(\.count) == [2])
    page.fetchOffset = 1
    #expect(try context.fetch(page).map(\.count) == [0])
  }

  @Test func codableValuesAreNarrowedInTheStoreAndComparedInMemory() throws {
    let context = try TypedFixture.context()
    let home = Address(street: "Hill", unit: nil)
    for number in 0..<4 {
      let sample = Sample(code: "\(number)")
      sample.tags = number == 0 ? [] : ["a", "b"]
      sample.former = number == 1 ? home : nil
      sample.mood = number == 2 ? .wild : .calm
      context.insert(sample)
    }
    try context.save()
    let wild = Mood.wild
    func count(_ predicate: Predicate<Sample>) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(try count(#Predicate { $0.former == home }) == 1)
    #expect(try count(#Predicate { $0.former != nil }) == 1)
    #expect(try count(#Predicate { $0.tags.contains("a") }) == 3)
    #expect(try count(#Predicate { $0.tags.isEmpty }) == 1)
    #expect(try count(#Predicate { $0.mood == wild }) == 1)
    #expect(try count(#Predicate { $0.former?.street == "Hill" }) == 1)
  }

  @Test func whatIsNotSavedCountsOnlyWhereAskedFor() throws {
    let world = try World()
    for predicate in [
      #Predicate<Stop> { $0.place == "Bari" }, #Predicate { $0.shout == "BARI" },
    ] {
      var descriptor = FetchDescriptor(predicate: predicate)
      #expect(try world.context.fetchCount(descriptor) == 0)
      descriptor.includePendingChanges = false
      #expect(try world.context.fetchCount(descriptor) == 1)
      #expect(try world.context.fetch(descriptor).map(\.place) == ["Bari Nova"])
    }
  }

  @Test func nilBehindAnExclamationMarkDoesNotMatch() throws {
    let world = try World()
    let alps = #Predicate<Stop> { $0.trip!.name == "Alps" }
    #expect(throws: PredicateError.self) { try alps.evaluate(world.stops[3]) }
    #expect(try world.context.fetchCount(FetchDescriptor(predicate: alps)) == 2)
  }
}

/// Sort descriptors over models.
@Suite struct TypedSortTests {
  private func samples() throws -> (ModelContext, [Sample]) {
    let context = try TypedFixture.context()
    let samples = (0..<12).map { number -> Sample in
      let sample = Sample(code: "\(number)")
      sample.flag = number % 3 == 0
      sample.limit = number % 4 == 0 ? nil : number * 7 % 5
      sample.note = [nil, "b", "C", "a"][number % 4]
      sample.moment = Date(timeIntervalSinceReferenceDate: Double(number * 5 % 7))
      sample.unsigned = UInt(number * 11 % 13)
      sample.price = Decimal(number * 3 % 10)
      return sample
    }
    for sample in samples { context.insert(sample) }
    try context.save()
    return (context, samples)
  }

  private static let descriptors: [[SortDescriptor<Sample>]] = [
    [SortDescriptor(\.limit)], [SortDescriptor(\.limit, order: .reverse)],
    [SortDescriptor(\.flag), SortDescriptor(\.limit, order: .reverse)],
    [SortDescriptor(\.flag, order: .reverse), SortDescriptor(\.note, comparator: .lexical)],
    [SortDescriptor(\.note, comparator: .lexical, order: .reverse)],
    [SortDescriptor(\.moment), SortDescriptor(\.code, comparator: .lexical)],
    [SortDescriptor(\.note, comparator: .lexical, order: .reverse)],
    [SortDescriptor(\.unsigned)], [SortDescriptor(\.price, order: .reverse)],
  ]

  @Test(arguments: descriptors.indices)
  func storesSortAsFoundationDoes(_ index: Int) throws {
    let (context, samples) = try samples()
    let order = Self.descriptors[index]
    var descriptor = FetchDescriptor<Sample>(sortBy: order)
    #expect(try context.fetch(descriptor).map(\.code) == samples.sorted(using: order).map(\.code))
    #expect(try descriptor.query(in: context.container.schema).sort.count == order.count)
    descriptor.fetchLimit = 3
    #expect(
      try context.fetch(descriptor).map(\.code)
        == samples.sorted(using: order).prefix(3).map(\.code)
    )
  }

  @Test func unsupportedOrdersAreSortedInMemory() throws {
    let (context, samples) = try samples()
    let order = [
      SortDescriptor(\Sample.scratch, comparator: .lexical), SortDescriptor(\Sample.limit),
    ]
    var descriptor = FetchDescriptor<Sample>(
      predicate: #Predicate { $0.unsigned > 3 },
      sortBy: order
    )
    descriptor.fetchLimit = 4
    let expected = samples.filter { $0.unsigned > 3 }.sorted(using: order).prefix(4)
    #expect(try context.fetch(descriptor).map(\.code) == expected.map(\.code))
    #expect(throws: DataStoreError.preferInMemorySort) {
      try descriptor.query(in: context.container.schema)
    }
    descriptor.predicate = #Predicate { $0.scratch == "fresh" }
    #expect(throws: DataStoreError.preferInMemoryFilter) {
      try descriptor.query(in: context.container.schema)
    }
  }
}
