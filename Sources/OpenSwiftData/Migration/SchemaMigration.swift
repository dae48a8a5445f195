/// A migration that is ready to be saved: all stages have run on a copy, and the store is unchanged.
public struct SchemaMigration: Sendable {
  /// The current schema of the store.
  public let former: Schema
  /// The new schema, and the origin of the values of each field.
  public let replacement: SchemaReplacement
  /// The other changes of records, in the layouts of the new schema.
  ///
  /// New records have temporary identifiers.
  public let changes: ChangeSet
  /// The readable description of the migration.
  public let steps: [MigrationStep]
  /// The state of the store that it was made for; see `MigratableStore.migrationToken`.
  public let token: Int64?
  /// The single schema change that is equivalent; nil if there is none.
  public let onlyChange: SchemaChange?

  /// The new schema of the store.
  public var schema: Schema { replacement.schema }

  /// The records after the migration, in the given order, with new ones at the end.
  ///
  /// A store of snapshots only needs to save this result and the new schema. New records still have temporary
  /// identifiers, which the store replaces as in a save.
  ///
  /// - Complexity: O(n) in the number of records.
  public func migrated(_ records: [DefaultSnapshot]) -> [DefaultSnapshot] {
    var updated: [PersistentIdentifier: DefaultSnapshot] = [:]
    for update in changes.updated { updated[update.persistentIdentifier] = update.after }
    let deleted = Set(changes.deleted.map(\.persistentIdentifier))
    let kept = records.compactMap { record -> DefaultSnapshot? in
      let identifier = record.persistentIdentifier
      if deleted.contains(identifier) { return nil }
      return updated[identifier] ?? replacement.arranged(record)
    }
    return kept + changes.inserted
  }
}

extension SchemaMigration {
  /// The schema of a new store: the requested version of the plan, or without a plan the given schema.
  ///
  /// Models without a version select the newest version of the plan that contains them.
  ///
  /// - Throws: `PersistenceError`: `.unknownSchema`, `.invalidMigrationPlan`.
  public static func schema(for wanted: Schema, plan: (any SchemaMigrationPlan.Type)?) throws
    -> Schema
  {
    guard let route = try MigrationRoute.following(plan) else { return wanted }
    let target = try route.target(for: wanted)
    return target.leaving(
      out: Set(target.entities.map(\.name)).subtracting(wanted.entities.map(\.name))
    )
  }

  /// The migration of given records, for stores that implement `DataStore` directly.
  ///
  /// Pass the records that were read, and write the result of `migrated(_:)`.
  ///
  /// Nil if there is nothing to do.
  ///
  /// - Parameters:
  ///   - records: All records, in the layouts of the former schema.
  ///   - former: The schema under which they were written.
  ///   - schema: The requested schema.
  ///   - plan: The plan that the store was opened with.
  ///   - storeIdentifier: The name of the store in the identifiers of its records.
  /// - Throws: `PersistenceError`: `.backwardMigration`, `.unknownSchema`, `.invalidMigrationPlan`,
  ///   `.invalidSchema`, `.notUnique`; or the error of a stage.
  public init?(
    of records: [DefaultSnapshot],
    from former: Schema,
    to schema: Schema,
    plan: (any SchemaMigrationPlan.Type)? = nil,
    storeIdentifier: String
  ) throws {
    let source = MigrationRecords(schema: former, records: records)
    let maker = MigrationBuilder(source: source, name: storeIdentifier, wanted: schema, plan: plan)
    guard let migration = try maker.make(runningStages: true) else { return nil }
    self = migration
  }
}

/// The source of the records of a migration.
protocol MigrationSource {
  var schema: Schema { get }
  func count(of entityName: String) throws -> Int
  /// The records of an entity, with only the given fields if any are given.
  func records(of entityName: String, fields: [String]?) throws -> [DefaultSnapshot]
}

extension MigrationRecords: MigrationSource {
  func records(of entityName: String, fields: [String]?) throws -> [DefaultSnapshot] {
    let all = self[entityName]
    guard let fields else { return all }
    let layout = SnapshotLayout(fields)
    return all.map { $0.arranged(as: layout) }
  }
}

/// The records of a store that answers queries.
struct StoreRecords<Store: QueryableStore>: MigrationSource {
  let store: Store
  let schema: Schema

  /// An intermediate version may have entities that the store never had.
  func count(of entityName: String) throws -> Int {
    guard schema.entitiesByName[entityName] != nil else { return 0 }
    return try store.count(matching: Query(entityName))
  }

  func records(of entityName: String, fields: [String]?) throws -> [DefaultSnapshot] {
    try store.snapshots(matching: Query(entityName, attributes: fields))
  }
}

/// Creates migrations: finds the steps, and runs them on a copy if the schemas alone are not sufficient.
struct MigrationBuilder {
  let source: any MigrationSource
  /// The name of the store in identifiers and messages.
  let name: String
  let wanted: Schema
  let plan: (any SchemaMigrationPlan.Type)?
  var token: Int64?

  /// Creates the migration; nil if there is nothing to do.
  ///
  /// If stages do not run, they are only listed, and problems that they may fix cause no error.
  func make(runningStages: Bool) throws -> SchemaMigration? {
    try wanted.validate()
    let former = source.schema
    let path = try MigrationPath(from: former, to: wanted, plan: plan, name: name)
    var steps: [MigrationPath.Step] = []
    var last = former
    for step in path.steps {
      let comparison = try SchemaComparison(from: last, to: step.schema) {
        try source.count(of: $0)
      }
      if !comparison.isEmpty || step.runsCode { steps.append(step) }
      last = comparison.schema
    }
    if steps.isEmpty { return nil }
    if steps.count == 1, !steps[0].runsCode {
      let comparison = try SchemaComparison(from: former, to: steps[0].schema) {
        try source.count(of: $0)
      }
      if !comparison.changesRecords { return try steps[0].run { try structural(comparison) } }
    }
    return try run(steps, runningStages)
  }

  /// The migration that changes no record; checks only what could prevent it.
  private func structural(_ comparison: SchemaComparison) throws -> SchemaMigration {
    for field in comparison.fields where field.becomesRequired { try checkRequired(field) }
    for field in comparison.fields where field.becomesUnique {
      guard let origin = field.origin else {
        try checkUniqueDefault(field)
        continue
      }
      let records = try source.records(of: field.entity, fields: [origin.name])
      try MigrationChecks(schema: comparison.schema).checkUnique(records, 0, field.name)
    }
    return SchemaMigration(
      former: source.schema,
      replacement: comparison.replacement,
      changes: ChangeSet(),
      steps: comparison.steps,
      token: token,
      onlyChange: comparison.onlyChange
    )
  }

  private func checkRequired(_ field: SchemaComparison.Field) throws {
    guard field.attribute.defaultValue.isNull else { return }
    let records = try source.records(of: field.entity, fields: field.origin.map { [$0.name] } ?? [])
    let first = field.origin == nil ? records.first : records.first { $0.orderedValues[0].isNull }
    if let first { throw MigrationChecks.missing(field.name, first.persistentIdentifier) }
  }

  private func checkUniqueDefault(_ field: SchemaComparison.Field) throws {
    let count = try source.count(of: field.entity)
    guard !field.attribute.defaultValue.isNull, count > 1 else { return }
    throw PersistenceError(
      .notUnique,
      "\(field.name): cannot be unique: \(count) records would get the same default \(field.attribute.defaultValue.inWords)"
    )
  }

  private func run(_ steps: [MigrationPath.Step], _ runsStages: Bool) throws -> SchemaMigration {
    let former = source.schema
    var records = MigrationRecords(schema: former)
    for entity in former.entities {
      for snapshot in try source.records(of: entity.name, fields: nil) { records.append(snapshot) }
    }
    var run = MigrationRun(records, storeIdentifier: name, runsStages: runsStages)
    for step in steps { try step.run { try run.take(step) } }
    let changes = run.changes()
    return SchemaMigration(
      former: former,
      replacement: run.replacement,
      changes: changes,
      steps: run.steps + Self.steps(changes, runsStages),
      token: token,
      onlyChange: nil
    )
  }

  /// The changes that the stages made to records.
  private static func steps(_ changes: ChangeSet, _ runsStages: Bool) -> [MigrationStep] {
    guard runsStages else { return [] }
    var counts: [String: [Int]] = [:]
    func count(_ identifier: PersistentIdentifier, _ kind: Int) {
      counts[identifier.entityName, default: [0, 0, 0]][kind] += 1
    }
    for snapshot in changes.inserted { count(snapshot.persistentIdentifier, 0) }
    for update in changes.updated { count(update.persistentIdentifier, 1) }
    for snapshot in changes.deleted { count(snapshot.persistentIdentifier, 2) }
    return counts.keys.sorted().map { name in
      let parts = zip(counts[name] ?? [], ["new", "changed", "deleted"]).filter { $0.0 > 0 }
        .map { "\(recordCount($0.0)) \($0.1)" }
      return MigrationStep(.records, name, parts.joined(separator: ", "))
    }
  }
}
