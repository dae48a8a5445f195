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

  /// Trips with a required number.
  enum TripsV5: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(5, 0, 0) }
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
      var name: String
      var note: String = ""
      var days: Int
      init(name: String, days: Int) {
        self.name = name
        self.days = days
      }
    }
  }

  enum OnlyFirst: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas }
    static var stages: [MigrationStage] { [TripsPlan.first] }
  }
  enum OnlySecond: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { TripsPlan.schemas }
    static var stages: [MigrationStage] { [TripsPlan.second] }
  }
  enum UpToFour: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV4.self, TripsV5.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: TripsV1.self, toVersion: TripsV4.self)]
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

  private func filled(
    _ plan: any SchemaMigrationPlan.Type,
    names: [String] = ["Rome"],
    cost: String = "12"
  ) throws -> KeptStore.Box {
    let box = KeptStore.Box()
    let context = try open(box, Schema(versionedSchema: TripsV1.self), plan)
    for name in names {
      let trip = TripsV1.Trip(name: name, cost: cost)
      context.insert(trip)
      context.insert(TripsV1.Stop(place: "Forum", trip: trip))
    }
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

  static let incomplete: [any SchemaMigrationPlan.Type] = [OnlyFirst.self, OnlySecond.self]

  @Test(arguments: incomplete.indices)
  func aMissingStageFollowsFromTheTwoSchemas(place: Int) throws {
    let plan = Self.incomplete[place]
    let box = try filled(plan, names: ["Rome", "Oslo"])
    let context = try open(box, Schema(versionedSchema: TripsV3.self), plan)
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>())
    #expect(trips.map(\.cost) == [12, 12])
    // What the stage that the plan has does with the stops.
    let isFirst = plan == OnlyFirst.self
    #expect(trips.map(\.note) == (isFirst ? ["Forum", "Forum"] : ["", ""]))
    #expect(trips.map { $0.towns.map(\.name) } == (isFirst ? [[], []] : [["Forum"], ["Forum"]]))
    #expect(try box.store(nil).schema.version == Schema.Version(3, 0, 0))
  }

  static let gaps:
    [(
      plan: any SchemaMigrationPlan.Type, wanted: any VersionedSchema.Type, names: [String],
      cost: String, words: [String]
    )] = [
      (
        OnlyFirst.self, TripsV3.self, ["Rome"], "about 12",
        ["OnlyFirst: no stage from 2.0.0 to 3.0.0", "\"about 12\""]
      ),
      (
        OnlySecond.self, TripsV3.self, ["Rome", "Rome"], "12",
        ["OnlySecond: no stage from 1.0.0 to 2.0.0", "Trip.name: must be unique"]
      ),
      (
        UpToFour.self, TripsV5.self, ["Rome"], "12",
        ["UpToFour: no stage from 4.0.0 to 5.0.0", "Trip.days: now required"]
      ),
    ]

  @Test(arguments: gaps.indices) func aMissingStageThatNeedsCodeIsNamed(place: Int) throws {
    let gap = Self.gaps[place]
    let box = try filled(gap.plan, names: gap.names, cost: gap.cost)
    let error = #expect(throws: PersistenceError.self) {
      _ = try open(box, Schema(versionedSchema: gap.wanted), gap.plan)
    }
    #expect(error?.code == .invalidMigrationPlan)
    for words in gap.words + ["add a custom stage"] {
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(try box.store(nil).schema.version == Schema.Version(1, 0, 0))
  }

  @Test func aStageThatIsNotNeededMayBeMissing() throws {
    let box = try filled(UpToFour.self)
    _ = try open(box, Schema(versionedSchema: TripsV4.self), UpToFour.self)
    let error = #expect(throws: PersistenceError.self) {
      _ = try open(box, Schema(versionedSchema: TripsV5.self), UpToFour.self)
    }
    #expect(error?.message.contains("no stage from 4.0.0 to 5.0.0") == true)
    #expect(try box.store(nil).schema.version == Schema.Version(4, 0, 0))
  }
}
