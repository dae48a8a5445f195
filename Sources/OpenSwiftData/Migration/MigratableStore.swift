/// A store whose schema can follow that of the program.
///
/// A container brings such a store up to date when it opens it: it compares the schema that the store
/// has with the one that is wanted, runs the stages of the migration plan on a copy, and calls
/// `migrate(_:author:)` once. Whoever conforms without implementing anything gets migrations of one
/// change; the others need `migrate(_:author:)`.
///
/// The contract of `migrate(_:author:)`: afterwards the store has the new schema and the new records, for
/// good, or it throws and is as it was.
public protocol MigratableStore: SchemaChangingStore {
  /// The schema that the records were written under; nil for a store that keeps none, such as a file
  /// of somebody else, which is never migrated. By default the schema of the store.
  var storedSchema: Schema? { get }

  /// True when nothing can be written. Such a store is read as it is where names are all that differs,
  /// and refused otherwise. By default false.
  var isReadOnly: Bool { get }

  /// Grows with each change of the store, also by others; nil when the store cannot tell.
  ///
  /// `migrate(_:author:)` refuses a migration that was made for another state with `.conflict`.
  var migrationToken: Int64? { get }

  /// Takes the new schema and the changed records, in one step.
  ///
  /// By default makes migrations that are one change of the schema by `apply(_:author:)`.
  ///
  /// - Throws: `PersistenceError`; the store is then as it was.
  func migrate(_ migration: SchemaMigration, author: String?) throws
}

extension MigratableStore {
  /// The schema of the store.
  public var storedSchema: Schema? { schema }

  /// False.
  public var isReadOnly: Bool { false }

  /// Cannot tell.
  public var migrationToken: Int64? { nil }

  /// Makes migrations that are one change of the schema.
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

  /// Checks that a migration was made for the store as it is.
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
  /// What it takes to bring the store to a schema; nil when there is nothing to do.
  ///
  /// Runs the code of the plan on a copy in memory. The store is only read.
  ///
  /// - Throws: `PersistenceError` with names: `.backwardMigration`, `.unknownSchema`,
  ///   `.invalidMigrationPlan`, `.invalidSchema`, `.notUnique`; what a stage throws.
  public func migration(to schema: Schema, plan: (any SchemaMigrationPlan.Type)? = nil) throws
    -> SchemaMigration?
  {
    try maker(schema, plan)?.make(runningStages: true)
  }

  /// What a migration would do, for people to read; empty when there is nothing to do.
  ///
  /// Nothing is changed. Stages with code are named; they run, on a copy, when that is asked for.
  ///
  /// - Throws: As `migration(to:plan:)`.
  public func migrationSteps(
    to schema: Schema,
    plan: (any SchemaMigrationPlan.Type)? = nil,
    runningStages: Bool = false
  ) throws -> [MigrationStep] {
    try maker(schema, plan)?.make(runningStages: runningStages)?.steps ?? []
  }

  /// Brings the store to a schema, in one step.
  ///
  /// Stores call it when they are opened, or leave that to the container.
  ///
  /// - Returns: What was done; empty when there was nothing to do.
  /// - Throws: As `migration(to:plan:)`, and what the store says; it is then as it was.
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
    // Before the records are read: what is saved in between must be noticed.
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
