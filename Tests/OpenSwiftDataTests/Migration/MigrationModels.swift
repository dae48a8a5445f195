import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Synchronization

enum TripsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

  @Model final class Trip {
    var name: String
    var cost: String
    init(name: String, cost: String) {
      self.name = name
      self.cost = cost
    }
  }

  @Model final class Stop {
    var place: String
    var trip: Trip?
    init(place: String, trip: Trip? = nil) {
      self.place = place
      self.trip = trip
    }
  }
}

/// The trip has a relationship to its existing stops; names must be unique.
enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

  @Model final class Trip {
    @Attribute(.unique(.reject)) var name: String
    var cost: String
    var note: String = ""
    @Relationship(inverse: \Stop.trip) var stops: [Stop] = []
    init(name: String, cost: String) {
      self.name = name
      self.cost = cost
    }
  }

  @Model final class Stop {
    @Attribute(originalName: "place") var town: String
    var trip: Trip?
    init(town: String) { self.town = town }
  }
}

/// The cost is a required number; towns are a separate entity.
enum TripsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Town.self] }

  @Model final class Trip {
    @Attribute(.unique(.reject)) var name: String
    var cost: Int
    var note: String = ""
    var towns: [Town] = []
    init(name: String, cost: Int) {
      self.name = name
      self.cost = cost
    }
  }

  @Model final class Town {
    var name: String
    init(name: String) { self.name = name }
  }
}

struct MigrationStopped: Error {}

/// The work of the stages of `TripsPlan`, set by each test for its own task.
enum TripsStages {
  @TaskLocal static var failing: String?

  static func reach(_ name: String) throws { if failing == name { throw MigrationStopped() } }
}

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] { [first, second] }

  /// Makes the names of trips unique.
  static let first = MigrationStage.custom(
    fromVersion: TripsV1.self,
    toVersion: TripsV2.self,
    willMigrate: { context in
      var seen: Set<String> = []
      for trip in try context.fetch(FetchDescriptor<TripsV1.Trip>()) {
        while !seen.insert(trip.name).inserted { trip.name += "'" }
      }
      try context.save()
      try TripsStages.reach("willMigrate")
    },
    didMigrate: { context in
      for trip in try context.fetch(FetchDescriptor<TripsV2.Trip>()) {
        trip.note = trip.stops.map(\.town).joined(separator: ", ")
      }
      try TripsStages.reach("didMigrate")
    }
  )

  static let second = MigrationStage.custom(
    fromVersion: TripsV2.self,
    toVersion: TripsV3.self,
    migrate: { old, context in
      var towns: [PersistentIdentifier: TripsV3.Town] = [:]
      for stop in old["Stop"] {
        guard case .text(let name)? = stop["town"] else { continue }
        let town = TripsV3.Town(name: name)
        context.insert(town)
        towns[stop.persistentIdentifier] = town
      }
      for trip in try context.fetch(FetchDescriptor<TripsV3.Trip>()) {
        guard let former = old[trip.persistentModelID] else { continue }
        if case .text(let cost)? = former["cost"], let number = Int(cost) { trip.cost = number }
        if case .links(let stops)? = former["stops"] { trip.towns = stops.compactMap { towns[$0] } }
      }
      try TripsStages.reach("migrate")
    }
  )
}

/// The first version with an additional entity, and again without it.
enum TripsWithDrafts: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 1, 0)
  static var models: [any PersistentModel.Type] { TripsV1.models + [Draft.self] }

  @Model final class Draft {
    var text: String
    init(text: String) { self.text = text }
  }
}

enum TripsWithoutDrafts: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 2, 0)
  static var models: [any PersistentModel.Type] { TripsV1.models }
}

enum DraftsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [TripsV1.self, TripsWithDrafts.self, TripsWithoutDrafts.self]
  }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsWithDrafts.self),
      .lightweight(fromVersion: TripsWithDrafts.self, toVersion: TripsWithoutDrafts.self),
    ]
  }
}

/// A custom store that persists when it is reopened: its contents are in a shared box.
final class KeptStore: MigratableStore {
  final class Box: Sendable {
    private let kept = Mutex<ReferenceStore?>(nil)
    let failsMigrations = Mutex(false)

    func store(_ schema: Schema?) throws -> ReferenceStore {
      try kept.withLock { kept in
        if let kept { return kept }
        let new = try ReferenceStore(ReferenceStoreConfiguration(name: "kept", schema: schema))
        kept = new
        return new
      }
    }

    var everything: [DefaultSnapshot] {
      get throws {
        let store = try store(nil)
        return try store.schema.entities.flatMap { try store.snapshots(matching: Query($0.name)) }
      }
    }
  }

  struct Configuration: DataStoreConfiguration {
    typealias Store = KeptStore
    let box: Box
    var name: String { "kept" }
    var schema: Schema?

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.box === rhs.box }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(box)) }
  }

  let configuration: Configuration
  private let base: ReferenceStore

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try configuration.box.store(configuration.schema)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }
  var migrationToken: Int64? { base.migrationToken }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try base.snapshots(matching: query)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try base.commit(changes, author: author)
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    try base.apply(change, author: author)
  }

  func migrate(_ migration: SchemaMigration, author: String?) throws {
    if configuration.box.failsMigrations.withLock({ $0 }) { throw MigrationStopped() }
    try base.migrate(migration, author: author)
  }
}

/// A store with only the default implementations.
final class SimpleStore: MigratableStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = SimpleStore
    let base: ReferenceStore
    var name: String { "simple" }
    var schema: Schema?

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.base === rhs.base }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(base)) }
  }

  let configuration: Configuration
  private var base: ReferenceStore { configuration.base }

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try base.snapshots(matching: query)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try base.commit(changes, author: author)
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    try base.apply(change, author: author)
  }
}
