/// A store whose schema can be migrated to that of the program.
///
/// A container migrates such a store when it opens it: it compares the schema of the store with the requested
/// one, runs the stages of the migration plan on a copy, and calls `migrate(_:author:)` once. The default
/// implementation supports migrations that consist of one schema change; for all others, implement
/// `migrate(_:author:)`.
///
/// The contract of `migrate(_:author:)`: either the store durably has the new schema and the new records, or
/// the call throws and the store is unchanged.
public protocol MigratableStore: SchemaChangingStore {
  /// The schema under which the records were written; by default the schema of the store.
  ///
  /// Nil for a store that saves no schema, such as a file of another program; it is never migrated.
  var storedSchema: Schema? { get }

  /// True when the store cannot be written; by default false.
  ///
  /// Such a store is read as it is if only names differ, and rejected otherwise.
  var isReadOnly: Bool { get }

  /// A number that grows with each change of the store, by any program; nil if not available.
  ///
  /// `migrate(_:author:)` rejects a migration that was made for another state with `.conflict`.
  var migrationToken: Int64? { get }

  /// Saves the new schema and the changed records in one step.
  ///
  /// The default implementation supports migrations that are one schema change, with `apply(_:author:)`.
  ///
  /// - Throws: `PersistenceError`; the store is then unchanged.
  func migrate(_ migration: SchemaMigration, author: String?) throws
}

extension MigratableStore {
  /// The schema of the store.
  public var storedSchema: Schema? { schema }

  /// False.
  public var isReadOnly: Bool { false }

  /// Nil: not available.
  public var migrationToken: Int64? { nil }

  /// Applies migrations that are one change of the schema.
  public func migrate(_ migration: SchemaMigration, author: String?) throws {
    guard let change = migration.onlyChange else {
      throw PersistenceError(
        .unsupported,
        "store \(identifier): supports one schema change per migration; this one needs "
          + migration.steps.map(\.description).joined(separator: "; ")
      )
    }
    try apply(change, author: author)
  }

  /// Checks that a migration was made for the current state of the store.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`.
  public func checkIsCurrent(_ migration: SchemaMigration, schema: Schema, token: Int64?) throws {
    guard migration.former == schema, migration.token == nil || migration.token == token else {
      throw PersistenceError(
        .conflict,
        "store \(identifier): changed during its migration; reopen it"
      )
    }
  }
}

extension MigratableStore {
  /// The migration of the store to a schema; nil if there is nothing to do.
  ///
  /// Runs the code of the plan on a copy in memory and only reads the store.
  ///
  /// - Throws: `PersistenceError`: `.backwardMigration`, `.unknownSchema`, `.invalidMigrationPlan`,
  ///   `.invalidSchema`, `.notUnique`; or the error of a stage.
  public func migration(to schema: Schema, plan: (any SchemaMigrationPlan.Type)? = nil) throws
    -> SchemaMigration?
  {
    try maker(schema, plan)?.make(runningStages: true)
  }

  /// A readable description of what a migration would do; empty if there is nothing to do.
  ///
  /// Nothing is changed. Stages with code are listed; they run, on a copy, only on request.
  ///
  /// - Throws: As `migration(to:plan:)`.
  public func migrationSteps(
    to schema: Schema,
    plan: (any SchemaMigrationPlan.Type)? = nil,
    runningStages: Bool = false
  ) throws -> [MigrationStep] {
    try maker(schema, plan)?.make(runningStages: runningStages)?.steps ?? []
  }

  /// Migrates the store to a schema in one step.
  ///
  /// Stores call it when they open, or let the container do it.
  ///
  /// - Returns: The steps that were done; empty if there was nothing to do.
  /// - Throws: As `migration(to:plan:)`, or the error of the store, which is then unchanged.
  @discardableResult
  public func migrate(to schema: Schema, plan: (any SchemaMigrationPlan.Type)? = nil) throws
    -> [MigrationStep]
  {
    guard let maker = try maker(schema, plan) else { return [] }
    guard !isReadOnly else { return try checkReadable(maker) }
    guard let migration = try maker.make(runningStages: true) else { return [] }
    if let change = migration.onlyChange {
      try apply(change, author: nil)
    } else {
      try migrate(migration, author: nil)
    }
    return migration.steps
  }

  private func maker(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws
    -> MigrationBuilder?
  {
    // Read before the records, to detect saves in between.
    let token = migrationToken
    guard let stored = storedSchema else { return nil }
    return MigrationBuilder(
      source: StoreRecords(store: self, schema: stored),
      name: identifier,
      wanted: schema,
      plan: plan,
      token: token
    )
  }

  private func checkReadable(_ maker: MigrationBuilder) throws -> [MigrationStep] {
    let steps = try maker.make(runningStages: false)?.steps ?? []
    guard let needed = steps.first(where: \.needsWriting) else { return [] }
    throw PersistenceError(
      .readOnly,
      "store \(identifier): needs migration (\(needed)) but is read-only"
    )
  }
}

extension MigrationStep {
  /// False when a context of the new schema can read the store as it is.
  fileprivate var needsWriting: Bool {
    switch kind {
    case .stage, .createEntity, .changeType, .records: true
    default: false
    }
  }
}
