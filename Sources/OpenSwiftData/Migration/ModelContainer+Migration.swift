extension ModelContainer {
  /// A readable description of the migrations that opening the stores would run.
  ///
  /// Empty if there is nothing to do.
  ///
  /// Nothing is changed. Stages with code are listed; they run, on a copy in memory, only on request.
  ///
  /// - Throws: The errors of opening: a store that is newer than the program, a plan without the store's
  ///   version, or values that would be lost.
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
    // A store that is opened without a schema uses its saved one.
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
