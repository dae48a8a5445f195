import DataStoreTesting
import Foundation
import SwiftData

/// A second ware with the same code updates the first one.
@Model
final class Ware {
  @Attribute(.unique) var code: String
  var title: String
  var price: Int?
  var producer: Producer?
  @Relationship(deleteRule: .cascade, inverse: \Piece.ware) var pieces: [Piece] = []
  var badge: Badge?

  init(code: String, title: String = "", price: Int? = nil) {
    self.code = code
    self.title = title
    self.price = price
  }
}

@Model
final class Producer {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Ware.producer) var wares: [Ware] = []

  init(name: String) { self.name = name }
}

@Model
final class Piece {
  var name: String
  var ware: Ware?

  init(name: String) { self.name = name }
}

@Model
final class Badge {
  var number: Int
  @Relationship(inverse: \Ware.badge) var ware: Ware?

  init(number: Int) { self.number = number }
}

/// A second seat in the same place is rejected.
@Model
final class Seat {
  #Unique<Seat>([\.row, \.number], policy: .reject)
  var row: String?
  var number: Int
  var guest: String

  init(row: String?, number: Int, guest: String = "") {
    self.row = row
    self.number = number
    self.guest = guest
  }
}

/// A second booking of the room for the day replaces the first one.
@Model
final class Booking {
  #Unique<Booking>([\.room, \.day])
  var room: Int
  var day: Int
  var guest: String

  init(room: Int, day: Int, guest: String) {
    self.room = room
    self.day = day
    self.guest = guest
  }
}

/// Two constraints with different policies.
@Model
final class Account {
  @Attribute(.unique) var login: String
  @Attribute(.unique(.reject)) var phone: String?
  @Attribute(.unique) var card: Int?

  init(login: String, phone: String? = nil, card: Int? = nil) {
    self.login = login
    self.phone = phone
    self.card = card
  }
}

/// One voucher for each producer.
@Model
final class Voucher {
  var note: String
  @Relationship(.unique) var holder: Producer?

  init(note: String, holder: Producer? = nil) {
    self.note = note
    self.holder = holder
  }
}

/// Unique in the whole class hierarchy.
@Model
class Machine {
  @Attribute(.unique) var serial: Int
  var place: String

  init(serial: Int, place: String) {
    self.serial = serial
    self.place = place
  }
}

@Model
final class Robot: Machine {
  var arms: Int

  init(serial: Int, place: String, arms: Int) {
    self.arms = arms
    super.init(serial: serial, place: place)
  }
}

enum UniqueFixture {
  static let models: [any PersistentModel.Type] = [
    Ware.self, Producer.self, Piece.self, Badge.self, Seat.self, Booking.self, Account.self,
    Voucher.self, Machine.self, Robot.self,
  ]

  static func container() throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: ReferenceStoreConfiguration())
  }

  static func context() throws -> ModelContext { ModelContext(try container()) }
}
