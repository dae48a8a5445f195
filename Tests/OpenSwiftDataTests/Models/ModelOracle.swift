import SwiftData

/// A relationship of the models in random runs.
enum Relation: CaseIterable {
  case tripStops, stopTrip, tripGuests, guestTrips, guestPassport, passportHolder, bookSequel

  enum Kind: CaseIterable { case trip, stop, guest, passport, book }

  var owner: Kind {
    switch self {
    case .tripStops, .tripGuests: .trip
    case .stopTrip: .stop
    case .guestTrips, .guestPassport: .guest
    case .passportHolder: .passport
    case .bookSequel: .book
    }
  }

  var destination: Kind { inverse?.owner ?? .book }

  var inverse: Relation? {
    switch self {
    case .tripStops: .stopTrip
    case .stopTrip: .tripStops
    case .tripGuests: .guestTrips
    case .guestTrips: .tripGuests
    case .guestPassport: .passportHolder
    case .passportHolder: .guestPassport
    case .bookSequel: nil
    }
  }

  var isToMany: Bool { [.tripStops, .tripGuests, .guestTrips].contains(self) }

  var property: String {
    switch self {
    case .tripStops: "stops"
    case .stopTrip: "trip"
    case .tripGuests: "guests"
    case .guestTrips: "trips"
    case .guestPassport: "passport"
    case .passportHolder: "holder"
    case .bookSequel: "sequel"
    }
  }

  static func of(_ kind: Kind) -> [Relation] { allCases.filter { $0.owner == kind } }
}

/// The expected models and relationships, as numbers that refer to numbers.
struct ModelOracle: Equatable {
  struct Node: Equatable {
    let kind: Relation.Kind
    var note: String?
    var links: [Relation: [Int]] = [:]
  }

  var nodes: [Int: Node] = [:]

  func links(_ number: Int, _ relation: Relation) -> [Int] { nodes[number]?.links[relation] ?? [] }

  /// The numbers of a kind, in order.
  func numbers(_ kind: Relation.Kind) -> [Int] {
    nodes.filter { $0.value.kind == kind }.keys.sorted()
  }

  mutating func set(_ number: Int, _ relation: Relation, to new: [Int]) {
    let old = links(number, relation)
    nodes[number]?.links[relation] = new
    guard let inverse = relation.inverse else { return }
    for other in old where !new.contains(other) {
      nodes[other]?.links[inverse]?.removeAll { $0 == number }
    }
    for other in new where !old.contains(other) {
      if inverse.isToMany {
        nodes[other]?.links[inverse, default: []].append(number)
      } else {
        for former in links(other, inverse) {
          nodes[former]?.links[relation]?.removeAll { $0 == other }
        }
        nodes[other]?.links[inverse] = [number]
      }
    }
  }

  /// Removes the references to a record that have no inverse.
  mutating func forgetLinks(to number: Int) {
    for other in nodes.keys {
      for relation in Relation.allCases where relation.inverse == nil {
        nodes[other]?.links[relation]?.removeAll { $0 == number }
      }
    }
  }

  /// Deletes by the rules: stops are deleted with their trip, and all other references are cleared.
  mutating func delete(_ number: Int) {
    guard let node = nodes.removeValue(forKey: number) else { return }
    for relation in Relation.of(node.kind) {
      guard let inverse = relation.inverse else { continue }
      for other in node.links[relation] ?? [] {
        if relation == .tripStops {
          delete(other)
        } else {
          nodes[other]?.links[inverse]?.removeAll { $0 == number }
        }
      }
    }
  }
}

/// The models of random runs by number, kind and relationship.
extension Relation.Kind {
  func make(_ number: Int) -> any PersistentModel {
    switch self {
    case .trip: Trip(name: "\(number)")
    case .stop: Stop(place: "\(number)")
    case .guest: Guest(name: "\(number)")
    case .passport: Passport(number: "\(number)")
    case .book: Book(title: "\(number)")
    }
  }

  func fetchAll(_ context: ModelContext) throws -> [any PersistentModel] {
    switch self {
    case .trip: try context.fetch(FetchDescriptor<Trip>())
    case .stop: try context.fetch(FetchDescriptor<Stop>())
    case .guest: try context.fetch(FetchDescriptor<Guest>())
    case .passport: try context.fetch(FetchDescriptor<Passport>())
    case .book: try context.fetch(FetchDescriptor<Book>())
    }
  }
}

func number(of model: any PersistentModel) -> Int {
  let text =
    switch model {
    case let trip as Trip: trip.name
    case let stop as Stop: stop.place
    case let guest as Guest: guest.name
    case let passport as Passport: passport.number
    case let book as Book: book.title
    default: ""
    }
  return Int(text) ?? -1
}

extension Relation {
  func related(_ model: any PersistentModel) -> [any PersistentModel] {
    switch (self, model) {
    case (.tripStops, let trip as Trip): trip.stops
    case (.stopTrip, let stop as Stop): stop.trip.map { [$0] } ?? []
    case (.tripGuests, let trip as Trip): trip.guests
    case (.guestTrips, let guest as Guest): guest.trips
    case (.guestPassport, let guest as Guest): guest.passport.map { [$0] } ?? []
    case (.passportHolder, let passport as Passport): passport.holder.map { [$0] } ?? []
    case (.bookSequel, let book as Book): book.sequel.map { [$0] } ?? []
    default: []
    }
  }

  func relate(_ model: any PersistentModel, to others: [any PersistentModel]) {
    switch (self, model) {
    case (.tripStops, let trip as Trip): trip.stops = others.compactMap { $0 as? Stop }
    case (.stopTrip, let stop as Stop): stop.trip = others.first as? Trip
    case (.tripGuests, let trip as Trip): trip.guests = others.compactMap { $0 as? Guest }
    case (.guestTrips, let guest as Guest): guest.trips = others.compactMap { $0 as? Trip }
    case (.guestPassport, let guest as Guest): guest.passport = others.first as? Passport
    case (.passportHolder, let passport as Passport): passport.holder = others.first as? Guest
    case (.bookSequel, let book as Book): book.sequel = others.first as? Book
    default: break
    }
  }
}
