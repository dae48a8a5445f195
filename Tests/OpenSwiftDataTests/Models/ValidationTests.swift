import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Problems that a save would reject are listed before it, with record, property and value.
struct ValidationTests {
  private func errors(_ context: ModelContext) throws -> [String] {
    let errors = try context.validationErrors()
    #expect(errors.allSatisfy { !$0.message.contains("\n") })
    if let first = errors.first {
      let thrown = #expect(throws: PersistenceError.self) { try context.validate() }
      #expect(thrown?.message == first.message)
      #expect(throws: PersistenceError.self) { try context.save() }
    } else {
      try context.validate()
    }
    return errors.map(\.message)
  }

  @Test func aRequiredValueThatIsMissing() throws {
    let context = try TypedFixture.context()
    let trip = Trip(name: "Alps")
    context.insert(trip)
    trip.persistentState.set(.null, at: 0)
    #expect(
      try errors(context) == ["Trip.name: a value is required (record \(trip.persistentModelID))"]
    )
    trip.name = "Alps"
    #expect(try errors(context).isEmpty)
    try context.save()
  }

  @Test func momentsThatNoStoreKeeps() throws {
    let context = try TypedFixture.context()
    let sample = Sample(code: "a")
    context.insert(sample)
    sample.moment = .distantFuture + 1e12
    let found = try errors(context)
    #expect(found.count == 1)
    #expect(found.last?.hasPrefix("Sample.moment: must be between the years 0000 and 9999") == true)
  }

  @Test func infiniteValuesInCodableValuesAreKept() throws {
    let container = try ModelContainer(
      for: Schema([Reading.self]),
      configurations: ReferenceConfigurationForReadings.make()
    )
    let context = ModelContext(container)
    let reading = Reading(values: [])
    context.insert(reading)
    reading.values = [.infinity, -.infinity, .nan, 2]
    #expect(try errors(context) == [])
    try context.save()
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Reading>()).first)
    #expect(found.values.prefix(2) == [.infinity, -.infinity])
    #expect(found.values[2].isNaN && found.values[3] == 2)
    reading.values = [1]
    try context.save()
  }

  @Test func tooManyAndTooFewRelatedModels() throws {
    let context = try TypedFixture.context()
    let library = Library(name: "L")
    context.insert(library)
    library.books = (0..<4).map { Book(title: "\($0)") }
    #expect(
      try errors(context)
        == ["Library.books: 4 records; at most 3 allowed (record \(library.persistentModelID))"]
    )
  }

  @Test func deniedDeletions() throws {
    let context = try TypedFixture.context()
    let library = Library(name: "L")
    let book = Book(title: "T")
    context.insert(library)
    library.books = [book]
    try context.save()
    context.delete(library)
    #expect(
      try errors(context)
        == [
          "cannot delete Library \(library.persistentModelID): books still contains Book \(book.persistentModelID)"
        ]
    )
  }

  @Test func uniqueValuesThatAreRefused() throws {
    let context = try UniqueFixture.context()
    context.insert(Seat(row: "A", number: 1))
    context.insert(Seat(row: "A", number: 1))
    #expect(try errors(context).first?.hasPrefix("Seat.row and Seat.number") == true)
  }

  @Test func allErrorsAreListed() throws {
    let context = try TypedFixture.context()
    for name in ["a", "b"] {
      let sample = Sample(code: name)
      context.insert(sample)
      sample.moment = .distantFuture + 1e12
      sample.persistentState.set(.null, at: 0)
    }
    #expect(try context.validationErrors().count == 4)
    context.rollback()
    #expect(try context.validationErrors().isEmpty)
  }
}
