/// A schema and the stores that keep its records; contexts work on a container.
///
/// May be shared between threads: it never changes after it was opened, and stores answer calls from
/// any thread.
public final class ModelContainer: @unchecked Sendable {
  // Unchecked because stores are not declared Sendable; their contract demands thread safety.

  /// The stores in the order of their configurations.
  public let stores: [any DataStore]
  private let requestedSchema: Schema?
  /// True when the records are objects of model classes.
  let isTyped: Bool
  let hashes = HashTable()
  /// The contexts of the container, which hear of each other's saves.
  let hub = ContextHub()
  /// How the stores get from former versions of the schema to this one.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the stores as they were opened.
  public var allConfigurations: [any DataStoreConfiguration] {
    stores.map { Self.configuration(of: $0) }
  }

  /// The context for the main actor, which saves by itself; see `ModelContext.autosaveEnabled`.
  @MainActor public private(set) lazy var mainContext = makeMainContext()

  /// Opens a store for each configuration.
  ///
  /// Without a schema, what the stores have is taken.
  ///
  /// - Throws: What a configuration or a store says.
  public init(
    for schema: Schema? = nil,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try Self.checkDifferent(configurations)
    requestedSchema = schema
    self.migrationPlan = migrationPlan
    isTyped = schema?.entities.contains { $0.modelType != nil } ?? false
    stores = try configurations.map {
      try Self.open($0, schema: schema, migrationPlan: migrationPlan)
    }
  }

  /// Opens a store for each configuration.
  ///
  /// - Throws: What a configuration or a store says.
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
  /// - Throws: What a configuration or a store says.
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

  /// The entities of all stores.
  public var schema: Schema {
    if isTyped, let requestedSchema { return requestedSchema }
    guard stores.count != 1 else { return stores[0].schema }
    return requestedSchema ?? Schema(stores.flatMap(\.schema.entities))
  }

  /// Removes all records from all stores.
  ///
  /// - Throws: What the first store says that cannot.
  public func erase() throws {
    for store in stores { try store.erase() }
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration,
    schema: Schema?,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any DataStore {
    var configuration = configuration
    if configuration.schema == nil { configuration.schema = schema }
    try configuration.schema?.validate()
    try configuration.validate()
    return try Configuration.Store(configuration, migrationPlan: migrationPlan)
  }

  private static func checkDifferent(_ configurations: [any DataStoreConfiguration]) throws {
    var seen: Set<AnyHashable> = []
    for configuration in configurations where !seen.insert(AnyHashable(configuration)).inserted {
      throw PersistenceError(
        .duplicateConfiguration,
        "the configuration \"\(configuration.name)\" is there twice; leave one of them out"
      )
    }
  }

  private static func configuration<Store: DataStore>(
    of store: Store
  ) -> any DataStoreConfiguration { store.configuration }

  @MainActor private func makeMainContext() -> ModelContext {
    let context = ModelContext(self)
    context.bindToMainThread()
    context.autosaveEnabled = true
    return context
  }

  func connections() throws -> [any StoreConnection] {
    let plain = try storeConnections()
    guard isTyped, let requestedSchema else { return plain }
    return plain.map { ModelConnection($0, models: requestedSchema) }
  }

  private func storeConnections() throws -> [any StoreConnection] {
    try stores.map { store in
      guard let queryable = store as? any QueryableStore else {
        throw PersistenceError(
          .unsupported,
          "the store \(store.identifier) does not answer queries"
        )
      }
      return Self.connect(queryable)
    }
  }

  private static func connect<Store: QueryableStore>(_ store: Store) -> any StoreConnection {
    QueryableConnection(store: store)
  }
}

extension ModelContainer: Equatable {
  /// The same object.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}
