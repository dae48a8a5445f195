/// The steps from the schema of a store to the requested one.
struct MigrationPath {
  /// One comparison of schemas, with the code of its stage, if any.
  struct Step {
    let schema: Schema
    let stage: MigrationStage?
    /// The name of the plan and the version before, if the plan has no stage for the step.
    var gap: (plan: String, version: Schema.Version)?

    var runsCode: Bool { stage?.runsCode ?? false }

    /// Runs a part of the step.
    ///
    /// - Throws: The error of the body, or `PersistenceError` with code `.invalidMigrationPlan` if it would take a stage
    ///   that the plan does not have.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
      do {
        return try body()
      } catch let error as PersistenceError {
        guard let gap, [.invalidSchema, .invalidValue, .notUnique].contains(error.code) else {
          throw error
        }
        throw PersistenceError(
          .invalidMigrationPlan,
          "migration plan \(gap.plan): no stage from \(gap.version) to \(schema.version), and the records cannot be "
            + "migrated without one; add a custom stage (\(error.message))",
          cause: error
        )
      }
    }
  }

  private(set) var steps: [Step] = []

  /// Finds the steps.
  ///
  /// Without a plan there is one step. With a plan, the version of the store is determined by the version
  /// number and the structure of its schema; the structure alone counts for a store without a version.
  ///
  /// - Throws: `PersistenceError`: `.backwardMigration`, `.unknownSchema`, `.invalidMigrationPlan`.
  init(from stored: Schema, to wanted: Schema, plan: (any SchemaMigrationPlan.Type)?, name: String)
    throws
  {
    let plan = try MigrationRoute.following(plan)
    let whole = try plan?.target(for: wanted) ?? wanted
    // A plan may cover several stores; entities of other stores are left out.
    let strangers = Set(whole.entities.map(\.name)).subtracting(wanted.entities.map(\.name))
      .subtracting(stored.entities.map(\.name))
    let route = plan?.leaving(out: strangers)
    let target = whole.leaving(out: strangers)
    guard stored.version <= target.version else {
      if stored.hasShape(of: target) { return }
      throw PersistenceError(
        .backwardMigration,
        "store \(name): schema version \(stored.version) is newer than this program's "
          + "\(target.version); use a newer program"
      )
    }
    // Without stages, the migration follows from the two schemas, whatever version the store has.
    guard let route, route.hasStages, !stored.entities.isEmpty else {
      steps = [Step(schema: target, stage: nil)]
      return
    }
    let start = try route.start(for: stored, upTo: target, name: name)
    // First to the structure that the version has in the plan.
    steps = [Step(schema: start.schema, stage: nil)]
    steps += route.steps(from: start.place, to: target)
  }
}

/// A validated plan.
struct MigrationRoute {
  private let plan: any SchemaMigrationPlan.Type
  private var schemas: [Schema]
  private let stages: [MigrationStage]

  private var name: String { String(describing: plan) }

  /// False for a plan that only lists versions.
  var hasStages: Bool { !stages.isEmpty }

  /// The route of a plan; nil without a plan or for an empty one.
  ///
  /// - Throws: `PersistenceError` with code `.invalidMigrationPlan`.
  static func following(_ plan: (any SchemaMigrationPlan.Type)?) throws -> MigrationRoute? {
    guard let plan, !plan.schemas.isEmpty || !plan.stages.isEmpty else { return nil }
    return try MigrationRoute(plan)
  }

  private init(_ plan: any SchemaMigrationPlan.Type) throws {
    self.plan = plan
    schemas = plan.schemas.map { Schema(versionedSchema: $0) }.sorted { $0.version < $1.version }
    // Migrations never go back, so the backward stages of some plans are left out.
    stages = plan.stages
      .filter { $0.origin.versionIdentifier < $0.destination.versionIdentifier }
      .sorted { $0.origin.versionIdentifier < $1.origin.versionIdentifier }
    for (one, other) in zip(schemas, schemas.dropFirst()) where one.version == other.version {
      throw wrong("duplicate version \(one.version); give each schema its own version")
    }
    for schema in schemas { try schema.validate() }
    try checkStages(plan.stages)
  }

  /// The same route without some entities.
  func leaving(out strangers: Set<String>) -> MigrationRoute {
    var route = self
    route.schemas = schemas.map { $0.leaving(out: strangers) }
    return route
  }

  private func wrong(_ what: String) -> PersistenceError {
    PersistenceError(.invalidMigrationPlan, "migration plan \(name): \(what)")
  }

  private func checkStages(_ listed: [MigrationStage]) throws {
    for stage in listed {
      let from = stage.origin.versionIdentifier
      let to = stage.destination.versionIdentifier
      guard place(of: from) != nil, place(of: to) != nil else {
        throw wrong(
          "stage from \(from) to \(to), but no schema of version "
            + "\(place(of: from) == nil ? from : to)"
        )
      }
    }
    let origins = stages.map { $0.origin.versionIdentifier }
    for (one, other) in zip(origins, origins.dropFirst()) where one == other {
      throw wrong("two stages from \(one)")
    }
  }

  private func place(of version: Schema.Version) -> Int? {
    schemas.firstIndex { $0.version == version }
  }

  private var versions: String { schemas.map(\.version.description).joined(separator: ", ") }

  /// The version of the plan that the program requests.
  ///
  /// It is the one with its number, else the newest with its models, for models passed without a version.
  func target(for wanted: Schema) throws -> Schema {
    if let place = place(of: wanted.version), schemas[place].includes(wanted) {
      return schemas[place]
    }
    if let alike = schemas.last(where: { $0.includes(wanted) }) { return alike }
    let stranger = schemas.last.flatMap { newest in
      wanted.entities.first { newest.entitiesByName[$0.name]?.hasShape(of: $0) != true }
    }
    throw PersistenceError(
      .unknownSchema,
      "migration plan \(name): no version matches the program's models (versions: \(versions))"
        + (stranger.map { "; \($0.name) differs from the newest version" } ?? "")
    )
  }

  /// The version of the plan that a store has.
  func start(for stored: Schema, upTo target: Schema, name store: String) throws -> (
    place: Int, schema: Schema
  ) {
    let last = place(of: target.version) ?? schemas.count - 1
    if let place = place(of: stored.version), stored.hasShape(of: schemas[place]) {
      return (place, schemas[place])
    }
    if let place = schemas[...last].lastIndex(where: { stored.hasShape(of: $0) }),
      schemas[place].version >= stored.version
    {
      return (place, schemas[place])
    }
    if let place = place(of: stored.version) { return (place, schemas[place]) }
    throw PersistenceError(
      .unknownSchema,
      "store \(store): schema version \(stored.version) is not in the migration plan "
        + "\(name) (versions: \(versions))"
    )
  }

  /// The stages from one version to another.
  ///
  /// A version without a stage is followed by the next one, as far as that follows from the two schemas.
  func steps(from start: Int, to target: Schema) -> [MigrationPath.Step] {
    var steps: [MigrationPath.Step] = []
    var place = start
    while schemas[place].version < target.version {
      let version = schemas[place].version
      let stage = stages.first {
        $0.origin.versionIdentifier == version
          && $0.destination.versionIdentifier <= target.version
      }
      place = stage.flatMap { self.place(of: $0.destination.versionIdentifier) } ?? place + 1
      let gap = stage == nil ? (plan: name, version: version) : nil
      steps.append(.init(schema: schemas[place], stage: stage, gap: gap))
    }
    return steps
  }
}

extension Schema {
  /// True when both have the same entities with the same fields, in any order.
  func hasShape(of other: Schema) -> Bool {
    entities.count == other.entities.count && includes(other)
  }

  /// The same schema without some entities.
  func leaving(out strangers: Set<String>) -> Schema {
    if strangers.isEmpty { return self }
    return Schema(
      entities.filter { !strangers.contains($0.name) }.map { $0.detached() },
      version: version
    )
  }

  /// True when this schema has every entity of the other with the same fields.
  func includes(_ other: Schema) -> Bool {
    other.entities.allSatisfy { entity in
      entitiesByName[entity.name]?.hasShape(of: entity) ?? false
    }
  }
}

extension Schema.Entity {
  /// True when both have the same fields, in any order.
  func hasShape(of other: Schema.Entity) -> Bool {
    fields.count == other.fields.count
      && fields.allSatisfy { field in
        guard let same = other.fieldsByName[field.name] else { return false }
        return same.type == field.type && same.isOptional == field.isOptional
          && same.isUnique == field.isUnique
      }
  }
}
