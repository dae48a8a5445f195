import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Synchronization
import Testing

/// Plans with stages, on a store that persists when it is reopened.
@Suite struct MigrationPlanTests {
  let box = KeptStore.Box()

  private func open(
    _ schema: Schema,
    _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: schema,
        migrationPlan: plan,
        configurations: KeptStore.Configuration(box: box)
      )
    )
  }

  /// Two trips with the same name and a stop, in the first version.
  private func fill(_ schema: Schema = Schema(versionedSchema: TripsV1.self)) throws {
    let context = try open(schema)
    let trips = [TripsV1.Trip(name: "Rome", cost: "12"), TripsV1.Trip(name: "Rome", cost: "7")]
    for trip in trips { context.insert(trip) }
    context.insert(TripsV1.Stop(place: "Ostia", trip: trips[0]))
    try context.save()
  }

  private func expectNewest(_ context: ModelContext) throws {
    let trips = try context.fetch(
      FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.name, comparator: .lexical)])
    )
    #expect(trips.map(\.name) == ["Rome", "Rome'"])
    #expect(trips.map(\.cost) == [12, 7])
    #expect(trips.map(\.note) == ["Ostia", ""])
    #expect(trips.map { $0.towns.map(\.name) } == [["Ostia"], []])
    #expect(try box.store(nil).schema.version == Schema.Version(3, 0, 0))
    #expect(try box.store(nil).schema.entities.map(\.name) == ["Trip", "Town"])
    let temporary = try box.everything.filter { $0.persistentIdentifier.isTemporary }
    #expect(temporary.isEmpty)
  }

  @Test func stagesSeeOldAndNewModels() throws {
    try fill()
    try expectNewest(try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self))
    try expectNewest(try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self))
  }

  @Test func modelsWithoutAVersionAreTheNewestThatLooksLikeThem() throws {
    try fill(Schema(TripsV1.models))
    try expectNewest(try open(Schema(TripsV3.models), TripsPlan.self))
    // The same models open the store without the plan as well.
    try expectNewest(try open(Schema(TripsV3.models)))
  }

  @Test func aStoreMayStopHalfway() throws {
    try fill()
    let context = try open(Schema(versionedSchema: TripsV2.self), TripsPlan.self)
    let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>())
    #expect(trips.map(\.note) == ["Ostia", ""])
    #expect(trips.map { $0.stops.map(\.town) } == [["Ostia"], []], "an inverse is filled")
    try expectNewest(try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self))
  }

  @Test func anEntityOfAVersionInBetweenComesAndGoes() throws {
    try fill()
    let schema = Schema(versionedSchema: TripsWithoutDrafts.self)
    let context = try open(schema, DraftsPlan.self)
    #expect(try box.store(nil).schema == schema)
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Stop>()) == 1)
  }

  @Test func movingAModelIntoAVersionLosesNothing() throws {
    try fill(Schema(TripsV1.models))
    let before = try box.everything
    let context = try open(Schema(versionedSchema: TripsV1.self), TripsPlan.self)
    #expect(try context.fetchCount(FetchDescriptor<TripsV1.Trip>()) == 2)
    #expect(try box.everything == before)
  }

  @Test func storesOfOneContainerHaveTheirOwnEntities() throws {
    let whole = Schema(TripsV3.models)
    let towns = KeptStore.Box()
    _ = try ModelContainer(
      for: whole,
      migrationPlan: TripsPlan.self,
      configurations: KeptStore.Configuration(box: towns, schema: Schema(TripsV3.Town.self))
    )
    #expect(try towns.store(nil).schema.entities.map(\.name) == ["Town"])
    #expect(try towns.store(nil).schema.version == Schema.Version(3, 0, 0))
  }

  @Test func anEmptyStoreBeginsWithTheNewestVersion() throws {
    let context = try open(Schema(TripsV3.models), TripsPlan.self)
    #expect(try box.store(nil).schema.version == Schema.Version(3, 0, 0))
    context.insert(TripsV3.Trip(name: "Oslo", cost: 1))
    try context.save()
    #expect(try box.store(nil).transactions(after: nil, touching: nil).count == 1)
  }

  @Test(arguments: ["willMigrate", "didMigrate", "migrate"])
  func aStageThatThrowsLeavesTheStoreAsItWas(stage: String) throws {
    try fill()
    let (before, schema) = (try box.everything, try box.store(nil).schema)
    TripsStages.$failing.withValue(stage) {
      #expect(throws: MigrationStopped.self) {
        try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self)
      }
    }
    #expect(try box.everything == before)
    #expect(try box.store(nil).schema == schema)
    #expect(
      try open(Schema(versionedSchema: TripsV1.self)).fetchCount(FetchDescriptor<TripsV1.Stop>())
        == 1
    )
    try expectNewest(try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self))
  }

  @Test func aStoreThatFailsIsAsItWas() throws {
    try fill()
    let before = try box.everything
    box.failsMigrations.withLock { $0 = true }
    #expect(throws: MigrationStopped.self) {
      try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self)
    }
    #expect(try box.everything == before)
    box.failsMigrations.withLock { $0 = false }
    try expectNewest(try open(Schema(versionedSchema: TripsV3.self), TripsPlan.self))
  }

  @Test func aPreviewSaysWhatWouldHappenAndChangesNothing() throws {
    try fill()
    let before = try box.everything
    func preview(_ runs: Bool) throws -> [String] {
      try ModelContainer.migrationSteps(
        for: Schema(versionedSchema: TripsV3.self),
        migrationPlan: TripsPlan.self,
        runningStages: runs,
        configurations: KeptStore.Configuration(box: box)
      ).map(\.description)
    }
    let planned = [
      "run the code of stage 1.0.0 to 2.0.0",
      "change version from 1.0.0 to 2.0.0",
      "Trip: make name unique",
      "Trip: add note (text, required), 2 records get \"\"",
      "Trip: add stops (links:Stop)",
      "Stop: rename place to town",
      "run the code of stage 2.0.0 to 3.0.0",
      "change version from 2.0.0 to 3.0.0",
      "Trip: change cost from text to integer",
      "Trip: add towns (links:Town)",
      "Trip: drop stops (links:Stop)",
      "Town: create entity",
      "Stop: drop entity and its 1 record",
    ]
    #expect(try preview(false) == planned)
    #expect(try preview(true) == planned + ["Town: 1 record new", "Trip: 2 records changed"])
    #expect(try box.everything == before)
    #expect(try box.store(nil).schema.version == Schema.Version(1, 0, 0))
  }

  @Test func whatAStageLeavesOutIsRefusedByName() throws {
    enum Careless: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas }
      static var stages: [MigrationStage] {
        [
          TripsPlan.first,
          .custom(fromVersion: TripsV2.self, toVersion: TripsV3.self, migrate: { _, _ in }),
        ]
      }
    }
    let context = try open(Schema(versionedSchema: TripsV1.self))
    context.insert(TripsV1.Trip(name: "Rome", cost: "little"))
    try context.save()
    let before = try box.everything
    let error = #expect(throws: PersistenceError.self) {
      try open(Schema(versionedSchema: TripsV3.self), Careless.self)
    }
    #expect(error?.code == .invalidSchema)
    #expect(error?.message.contains("Trip.cost: now required, but record ") == true)
    #expect(try box.everything == before)
  }
}

/// Plans that cannot be carried out.
@Suite struct MigrationRefusalTests {
  enum SameNumber: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas + [TripsV2.self] }
    static var stages: [MigrationStage] { TripsPlan.stages }
  }
  enum Twice: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas }
    static var stages: [MigrationStage] {
      [TripsPlan.first, .lightweight(fromVersion: TripsV1.self, toVersion: TripsV3.self)]
    }
  }
  enum Foreign: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV2.self, TripsV3.self] }
    static var stages: [MigrationStage] { TripsPlan.stages }
  }
  enum Later: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV2.self, TripsV3.self] }
    static var stages: [MigrationStage] { [TripsPlan.second] }
  }
  enum Empty: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [] }
    static var stages: [MigrationStage] { [] }
  }

  static let refusals:
    [(
      plan: any SchemaMigrationPlan.Type, wanted: any VersionedSchema.Type,
      code: PersistenceError.Code, words: String
    )] = [
      (SameNumber.self, TripsV3.self, .invalidMigrationPlan, "duplicate version 2.0.0"),
      (Twice.self, TripsV3.self, .invalidMigrationPlan, "two stages from 1.0.0"),
      (Foreign.self, TripsV3.self, .invalidMigrationPlan, "but no schema of version 1.0.0"),
      (
        Later.self, TripsV3.self, .unknownSchema,
        "schema version 1.0.0 is not in the migration plan Later"
      ),
      (
        Later.self, TripsV1.self, .unknownSchema,
        "no version matches the program's models"
      ),
    ]

  @Test(arguments: refusals.indices) func aPlanThatDoesNotFitIsRefusedByName(place: Int) throws {
    let refusal = Self.refusals[place]
    let store = try ReferenceStore(
      ReferenceStoreConfiguration(schema: Schema(versionedSchema: TripsV1.self))
    )
    let error = #expect(throws: PersistenceError.self) {
      try store.migrate(to: Schema(versionedSchema: refusal.wanted), plan: refusal.plan)
    }
    #expect(error?.code == refusal.code)
    #expect(error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
    #expect(store.schema.version == Schema.Version(1, 0, 0))
  }

  @Test func emptyMigrationPlanIsIgnored() throws {
    let store = try ReferenceStore(
      ReferenceStoreConfiguration(schema: Schema(versionedSchema: TripsV1.self))
    )
    try store.migrate(to: Schema(versionedSchema: TripsV2.self), plan: Empty.self)
    #expect(store.schema.version == Schema.Version(2, 0, 0))
  }

  @Test func aStoreThatIsNewerIsLeftAlone() throws {
    let store = try ReferenceStore(
      ReferenceStoreConfiguration(name: "trips", schema: Schema(versionedSchema: TripsV3.self))
    )
    let error = #expect(throws: PersistenceError.self) {
      try store.migrate(to: Schema(versionedSchema: TripsV2.self), plan: TripsPlan.self)
    }
    #expect(error?.code == .backwardMigration)
    #expect(error.map { SwiftDataError.backwardMigration ~= $0 } == true)
    #expect(error?.message.contains("store trips: schema version 3.0.0") == true)
    #expect(store.schema.version == Schema.Version(3, 0, 0))
  }

  @Test func aStoreWithoutAMigrationOfItsOwnMakesOneChangeAtATime() throws {
    let base = try ReferenceStore(
      ReferenceStoreConfiguration(
        schema: Schema(Schema.Entity("A", attributes: [.init("a", .text)]))
      )
    )
    let store = try SimpleStore(SimpleStore.Configuration(base: base), migrationPlan: nil)
    let one = Schema(Schema.Entity("A", attributes: [.init("b", .text, originalName: "a")]))
    #expect(try store.migrate(to: one).map(\.description) == ["A: rename a to b"])
    #expect(store.schema.entities[0].layout.names == ["b"])
    let two = Schema(Schema.Entity("A", attributes: [.init("c", .text), .init("d", .text)]))
    let error = #expect(throws: PersistenceError.self) { try store.migrate(to: two) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("A: add c (text); A: add d (text)") == true)
    #expect(store.schema.entities[0].layout.names == ["b"])
  }

  @Test func recordsOfPlainStoresAreMigratedAsValues() throws {
    let former = Schema(versionedSchema: TripsV1.self)
    let trip = DefaultSnapshot(
      persistentIdentifier: try .identifier(for: "plain", entityName: "Trip", primaryKey: 1),
      layout: former.entitiesByName["Trip"]?.layout ?? SnapshotLayout([]),
      orderedValues: [.text("Rome"), .text("12")]
    )
    let stop = DefaultSnapshot(
      persistentIdentifier: try .identifier(for: "plain", entityName: "Stop", primaryKey: 2),
      layout: former.entitiesByName["Stop"]?.layout ?? SnapshotLayout([]),
      orderedValues: [.text("Ostia"), .link(trip.persistentIdentifier)]
    )
    let migration = try #require(
      try SchemaMigration(
        of: [trip, stop],
        from: former,
        to: Schema(TripsV3.models),
        plan: TripsPlan.self,
        storeIdentifier: "plain"
      )
    )
    let records = migration.migrated([trip, stop])
    #expect(records.map(\.persistentIdentifier.entityName) == ["Trip", "Town"])
    #expect(records[0].persistentIdentifier == trip.persistentIdentifier)
    #expect(records[0]["cost"] == .integer(12))
    #expect(records[0]["towns"] == .links([records[1].persistentIdentifier]))
    #expect(records[1].persistentIdentifier.isTemporary)
    #expect(migration.schema.version == Schema.Version(3, 0, 0))
  }
}
