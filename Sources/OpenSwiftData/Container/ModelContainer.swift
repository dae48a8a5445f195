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

  /// The context for the main actor.
  @MainActor public private(set) lazy var mainContext = ModelContext(self)

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
    requestedSchema = schema
    isTyped = schema?.entities.contains { $0.modelType != nil } ?? false
    stores = try configurations.map {
      try Self.open($0, schema: schema, migrationPlan: migrationPlan)
    }
  }

  /// Opens a store for each configuration.
  public convenience init(
    for schema: Schema? = nil,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
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
    configuration.schema = try configuration.schema.map {
      try SchemaMigration.schema(for: $0, plan: migrationPlan)
    }
    try configuration.schema?.validate()
    try configuration.validate()
    let store = try Configuration.Store(configuration, migrationPlan: migrationPlan)
    try bringUpToDate(store, configuration.schema, migrationPlan)
    return store
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
