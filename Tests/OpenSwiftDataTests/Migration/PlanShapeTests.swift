import DataStoreTesting
import OpenSwiftData
import SwiftData
import Testing

/// Plans as in public projects.
@Suite struct PlanShapeTests {
  /// Trips with a note and a name that is no longer unique: no code is needed.
  enum TripsV4: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      var note: String = ""
      init(name: String) { self.name = name }
    }
  }

  enum WithoutStages: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV4.self] }
    static var stages: [MigrationStage] { [] }
  }
  enum NewestFirst: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas.reversed() }
    static var stages: [MigrationStage] { TripsPlan.stages.reversed() }
  }
  enum ThereAndBack: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: TripsV2.self, toVersion: TripsV1.self)] + TripsPlan.stages
        + [.lightweight(fromVersion: TripsV3.self, toVersion: TripsV2.self)]
    }
  }

  private func open(_ box: KeptStore.Box, _ schema: Schema, _ plan: any SchemaMigrationPlan.Type)
    throws -> ModelContext
  {
    ModelContext(
      try ModelContainer(
        for: schema,
        migrationPlan: plan,
        configurations: KeptStore.Configuration(box: box)
      )
    )
  }

  private func filled(_ plan: any SchemaMigrationPlan.Type) throws -> KeptStore.Box {
    let box = KeptStore.Box()
    let context = try open(box, Schema(versionedSchema: TripsV1.self), plan)
    context.insert(TripsV1.Trip(name: "Rome", cost: "12"))
    try context.save()
    return box
  }

  @Test(arguments: [Schema.Version(1, 0, 0), Schema.Version(0, 9, 0)])
  func withoutStagesAnyVersionGoesToTheNewest(_ version: Schema.Version) throws {
    let box = KeptStore.Box()
    let former = Schema(TripsV1.models, version: version)
    let store = try box.store(former)
    let context = ModelContext(
      try ModelContainer(for: former, configurations: KeptStore.Configuration(box: box))
    )
    context.insert(TripsV1.Trip(name: "Rome", cost: "12"))
    try context.save()
    let newest = try open(box, Schema(versionedSchema: TripsV4.self), WithoutStages.self)
    #expect(try newest.fetch(FetchDescriptor<TripsV4.Trip>()).map(\.name) == ["Rome"])
    #expect(store.schema.version == Schema.Version(4, 0, 0))
  }

  static let plans: [any SchemaMigrationPlan.Type] = [NewestFirst.self, ThereAndBack.self]

  @Test(arguments: plans.indices) func theOrderOfAPlanAndItsWayBackDoNotMatter(place: Int) throws {
    let plan = Self.plans[place]
    let box = try filled(plan)
    let context = try open(box, Schema(versionedSchema: TripsV3.self), plan)
    #expect(try context.fetch(FetchDescriptor<TripsV3.Trip>()).map(\.cost) == [12])
    #expect(try box.store(nil).schema.version == Schema.Version(3, 0, 0))
  }
}
