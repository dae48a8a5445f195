/// A schema and the open stores that keep its records.
///
/// ```swift
/// let memory = ModelConfiguration(isStoredInMemoryOnly: true)
/// let container = try ModelContainer(for: Novel.self, Author.self, configurations: memory)
/// let context = ModelContext(container)
/// ```
///
/// With several configurations, each entity belongs to the store whose schema contains it. Opening a container
/// migrates its stores if their schema differs, with the stages of a ``SchemaMigrationPlan`` if there is one.
///
/// **Threads.** A container can be shared between threads: it does not change after it was opened, and stores
/// accept calls from any thread. Create one ``ModelContext`` per thread.
///
/// **Errors.** The initializers throw a ``PersistenceError`` if the schema is invalid, or if a store cannot be
/// opened or migrated; `message` names the store and the reason.
public final class ModelContainer: @unchecked Sendable {
  // Unchecked because stores are not declared Sendable; their contract demands thread safety.

  /// The stores in the order of their configurations.
  public let stores: [any DataStore]
  private let requestedSchema: Schema?
  private let links: [any StoreConnection]
  private var newsSubscriptions: [StoreChangeFeed.Subscription] = []
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
  /// - Throws: What a configuration or a store says; each `PersistenceError` among that matches
  ///   `SwiftDataError.loadIssueModelContainer` in a `catch`.
  public init(
    for schema: Schema? = nil,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    requestedSchema = schema
    self.migrationPlan = migrationPlan
    isTyped = schema?.entities.contains { $0.modelType != nil } ?? false
    let stores: [any DataStore]
    do {
      try schema?.validate()
      try Self.checkDifferent(configurations)
      stores = try configurations.map {
        try Self.open($0, schema: schema, migrationPlan: migrationPlan)
      }
    } catch var error as PersistenceError {
      error.endedOpening = true
      throw error
    }
    self.stores = stores
    links = stores.map { Self.connect($0, models: schema) }
    newsSubscriptions = stores.compactMap { $0 as? any ChangeFeedingStore }.map(subscribe)
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

  /// Removes all records from all stores; what a store says that cannot is lost.
  @available(*, deprecated, message: "use erase(), which throws an error")
  public func deleteAllData() {
    // Not throwing as in SwiftData.
    try? erase()
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
    var seen: Set<AnyHashable> = []
    for configuration in configurations where !seen.insert(AnyHashable(configuration)).inserted {
      throw SwiftDataError.duplicateConfiguration.about(
        "duplicate configuration \"\(configuration.name)\"; remove one"
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

  /// A connection to each store, in the order of the stores, for one context.
  package func connections(for state: EditingState = EditingState()) -> [any StoreConnection] {
    let connections = links.map { $0.with(state) }
    guard isTyped, let requestedSchema else { return connections }
    return connections.map { ModelConnection($0, models: requestedSchema) }
  }

  private static func connect<Store: DataStore>(_ store: Store, models: Schema?)
    -> any StoreConnection
  {
    if let queryable = store as? any QueryableStore { return connect(queryable) }
    return PlainStoreConnection(PlainStore(store, models: models))
  }

  private static func connect<Store: QueryableStore>(_ store: Store) -> any StoreConnection {
    QueryableConnection(store)
  }
}

extension ModelContainer: Equatable {
  /// The same object.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}
