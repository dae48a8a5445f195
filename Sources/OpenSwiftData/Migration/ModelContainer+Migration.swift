extension ModelContainer {
  /// What opening the stores with this schema and plan would do to them, for people to read; empty when
  /// there is nothing to do.
  ///
  /// Nothing is changed. Stages with code are named; they run, on a copy in memory, when that is asked
  /// for.
  ///
  /// - Throws: What opening would throw: a store that is newer than the program, a plan that does not
  ///   know the store, values that would be lost.
  public static func migrationSteps(
    for schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    runningStages: Bool = false,
    configurations: any DataStoreConfiguration...
  ) throws -> [MigrationStep] {
    try schema.validate()
    return try configurations.flatMap { configuration in
      try steps(of: configuration, schema, migrationPlan, runningStages)
    }
  }

  private static func steps<Configuration: DataStoreConfiguration>(
    of configuration: Configuration,
    _ schema: Schema,
    _ plan: (any SchemaMigrationPlan.Type)?,
    _ runningStages: Bool
  ) throws -> [MigrationStep] {
    var configuration = configuration
    let wanted = configuration.schema ?? schema
    // Opened without a schema, a store takes what it has.
    configuration.schema = nil
    try configuration.validate()
    let store = try Configuration.Store(configuration, migrationPlan: nil)
    guard let migratable = store as? any MigratableStore else {
      throw PersistenceError(
        .unsupported,
        "store \(store.identifier): migrates itself and cannot preview the steps"
      )
    }
    return try migratable.migrationSteps(to: wanted, plan: plan, runningStages: runningStages)
  }
}
