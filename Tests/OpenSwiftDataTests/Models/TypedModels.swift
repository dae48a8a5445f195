import DataStoreTesting
import Foundation
import SwiftData

enum Mood: String, Codable, CaseIterable { case calm, wild }

struct Address: Codable, Hashable {
  var street: String
  var unit: String?
}

/// One property of every kind that models have.
@Model
final class Sample {
  @Attribute(.unique) var code: String
  var flag = false
  var tiny: Int8 = 0
  var small: Int16 = 0
  var medium: Int32 = 0
  var large: Int64 = 0
  var count = 0
  var byte: UInt8 = 0
  var word: UInt32 = 0
  var unsigned: UInt = 0
  var huge: UInt64 = 0
  var ratio = 0.0
  var narrow: Float = 0
  var price: Decimal = 0
  var moment = Date(timeIntervalSinceReferenceDate: 0)
  var token = UUID()
  var link: URL?
  var bytes = Data()
  var note: String?
  var limit: Int?
  var tags: [String] = []
  var scores: [String: Int] = [:]
  var address = Address(street: "", unit: nil)
  var former: Address?
  var mood = Mood.calm
  var wish: Mood?
  @Transient var scratch = "fresh"

  init(code: String) { self.code = code }
}

@Model
final class Trip {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  @Relationship(deleteRule: .nullify, inverse: \Guest.trips) var guests: [Guest] = []

  init(name: String) { self.name = name }
}

@Model
final class Stop {
  var place: String
  var trip: Trip?

  init(place: String, trip: Trip? = nil) {
    self.place = place
    self.trip = trip
  }
}

@Model
final class Guest {
  var name: String
  var trips: [Trip] = []
  var passport: Passport?

  init(name: String) { self.name = name }
}

/// The inverse is not declared, because there is only one relationship back.
@Model
final class Passport {
  var number: String
  var holder: Guest?

  init(number: String) { self.number = number }
}

/// A library cannot be deleted while it has books; a deleted book leaves the link of its note
/// dangling.
@Model
final class Library {
  var name: String
  @Relationship(
    deleteRule: .deny,
    minimumModelCount: 0,
    maximumModelCount: 3,
    inverse: \Book.library
  )
  var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model
final class Book {
  var title: String
  var library: Library?
  @Relationship(deleteRule: .noAction) var sequel: Book?

  init(title: String) { self.title = title }
}

@Model
class Vehicle {
  var wheels: Int
  var owner: String?

  init(wheels: Int) { self.wheels = wheels }
}

@Model
class Car: Vehicle {
  var doors: Int

  init(doors: Int) {
    self.doors = doors
    super.init(wheels: 4)
  }
}

@Model
final class Van: Car {
  var load: Double

  init(load: Double) {
    self.load = load
    super.init(doors: 5)
  }
}

enum TypedFixture {
  static let models: [any PersistentModel.Type] = [
    Sample.self, Trip.self, Stop.self, Guest.self, Passport.self, Library.self, Book.self,
    Vehicle.self, Car.self, Van.self,
  ]

  /// A container of every model over a new reference store, and a context.
  static func context() throws -> ModelContext { ModelContext(try container()) }

  static func container() throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: ReferenceStoreConfiguration())
  }
}

@Model
final class Reading {
  var values: [Double]

  init(values: [Double]) { self.values = values }
}

enum ReferenceConfigurationForReadings {
  static func make() -> ReferenceStoreConfiguration {
    ReferenceStoreConfiguration(name: "readings")
  }
}
