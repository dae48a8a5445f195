/// Opening and migrating stores.
extension ModelContainer {
  /// Opens a store for each configuration.
  ///
  /// Without a schema, the saved schemas of the stores are used.
  ///
  /// - Throws: The errors of configurations and stores; each `PersistenceError` among them matches
  ///   `SwiftDataError.loadIssueModelContainer` in a `catch`.
  public convenience init(
    for schema: Schema? = nil,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    let stores: [any DataStore]
    do {
      try schema?.validate()
      try Self.checkDifferent(configurations)
      stores = try configurations.map {
        try Self.open($0, schema: schema, migrationPlan: migrationPlan)
      }
      try Self.checkIdentifiers(of: stores)
    } catch var error as PersistenceError {
      error.endedOpening = true
      throw error
    }
    self.init(opened: stores, schema: schema, migrationPlan: migrationPlan)
  }

  /// Opens a store for each configuration.
  ///
  /// - Throws: The errors of configurations and stores.
  @_disfavoredOverload
  public convenience init(
    for schema: Schema? = nil,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens a store for each configuration, for these models and for all that they refer to.
  ///
  /// - Throws: The errors of configurations and stores.
  @_disfavoredOverload
  public convenience init(
    for types: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: Schema(types),
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration,
    schema: Schema?,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any DataStore {
    var configuration = configuration
    if configuration.schema == nil { configuration.schema = schema }
    configuration.schema = try configuration.schema.map {
      try SchemaMigration.schema(for: $0, plan: migrationPlan)
    }
    try configuration.schema?.validate()
    try configuration.validate()
    let store = try Configuration.Store(configuration, migrationPlan: migrationPlan)
    try bringUpToDate(store, configuration.schema, migrationPlan)
    return store
  }

  private static func checkDifferent(_ configurations: [any DataStoreConfiguration]) throws {
    guard configurations.count > 1 else { return }
    var seen: Set<AnyHashable> = []
    for configuration in configurations where !seen.insert(AnyHashable(configuration)).inserted {
      throw SwiftDataError.duplicateConfiguration.about(
        "duplicate configuration \"\(configuration.name)\"; remove one"
      )
    }
  }

  /// Checks that the identifiers of records tell which of the stores that have their entity keeps them.
  private static func checkIdentifiers(of stores: [any DataStore]) throws {
    var seen: [String: Set<String>] = [:]
    for store in stores {
      let names = Set(store.schema.entities.map(\.name))
      if let name = seen[store.identifier]?.intersection(names).min() {
        throw SwiftDataError.duplicateConfiguration.about(
          "configuration \"\(configuration(of: store).name)\": the store has the identifier of another store of the "
            + "container, \(store.identifier), and both have \(name); do not use a copy of a store next to it"
        )
      }
      seen[store.identifier, default: []].formUnion(names)
    }
  }

  /// Migrates a newly opened store to the schema that it was opened with.
  private static func bringUpToDate(
    _ store: any DataStore,
    _ schema: Schema?,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws {
    guard let schema, let migratable = store as? any MigratableStore else { return }
    try migratable.migrate(to: schema, plan: plan)
  }
}
