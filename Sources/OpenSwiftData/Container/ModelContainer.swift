import Synchronization

/// A schema and the open stores that keep its records.
///
/// ```swift
/// let memory = ModelConfiguration(isStoredInMemoryOnly: true)
/// let container = try ModelContainer(for: Novel.self, Author.self, configurations: memory)
/// let context = ModelContext(container)
/// ```
///
/// With several configurations, each entity belongs to the store whose schema contains it. An entity may be in several
/// stores, such as the user's own and one that is shipped with the program and does not allow saving: a fetch returns the
/// records of all of them, and new records go to the first store that allows saving, or to the one chosen with
/// ``ModelContext/assign(_:to:)``. Opening a container migrates its stores if their schema differs, with the stages of a
/// ``SchemaMigrationPlan`` if there is one.
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
  let links: [any StoreConnection]
  private var newsSubscriptions: [StoreChangeFeed.Subscription] = []
  /// True when the records are objects of model classes.
  let isTyped: Bool
  let hashes = HashTable()
  /// True when the stores are being watched for changes of other programs.
  let isWatching = Atomic(false)
  /// True if a save overwrites what others have changed as well.
  private let isOverwriting = Atomic(false)
  /// Connects the contexts of the container, which are notified of each other's saves.
  let hub = ContextHub()
  /// The plan for migrating stores from older versions of the schema.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the stores as they were opened.
  public var allConfigurations: [any DataStoreConfiguration] {
    stores.map { Self.configuration(of: $0) }
  }

  /// The context of the main actor, created on first use; see `mainContext`.
  @MainActor var heldMainContext: AnyObject?

  /// Creates a container of stores that are open and have the schema.
  init(
    opened stores: [any DataStore],
    schema: Schema?,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) {
    self.stores = stores
    requestedSchema = schema
    self.migrationPlan = migrationPlan
    isTyped = schema?.entities.contains { $0.modelClass != nil } ?? false
    links = stores.map { Self.connect($0, models: schema) }
    newsSubscriptions = stores.indices.compactMap(subscribe)
  }

  /// The entities of all stores.
  public var schema: Schema {
    if isTyped, let requestedSchema { return requestedSchema }
    guard stores.count != 1 else { return stores[0].schema }
    return requestedSchema ?? Schema(joining: stores.map(\.schema))
  }

  /// True if the store at a place can be saved, as far as its configuration and the store tell.
  func canSave(at place: Int) -> Bool { readOnlyCause(at: place) == nil }

  /// Why the store at a place cannot be saved, as far as its configuration and the store tell; nil if it can.
  private func readOnlyCause(at place: Int) -> String? {
    let store = stores[place]
    if !Self.configuration(of: store).allowsSave { return "allowsSave is false" }
    return (store as? any MaintainableStore)?.readOnlyReason
  }

  /// Checks that stores can be saved, before any of them is changed.
  ///
  /// - Throws: `PersistenceError` with code `.readOnly` that names the first that cannot.
  func checkCanSave(_ places: some Sequence<Int>, to action: String) throws {
    for place in places {
      guard let cause = readOnlyCause(at: place) else { continue }
      let name = Self.configuration(of: stores[place]).name
      throw PersistenceError(
        .readOnly,
        "configuration \(Value.quoted(name)): cannot \(action); \(cause)"
      )
    }
  }

  /// What a save does with values that another context or program has changed as well.
  public enum ConflictPolicy: Hashable, Sendable {
    /// The save throws, and lists the conflicts.
    case refuse
    /// The save overwrites them: for ported programs that only call `save()`.
    ///
    /// Other values of the same records are merged as always.
    case lastWriterWins
  }

  /// What a save of any context of the container does with conflicts; by default it refuses them.
  public var conflictPolicy: ConflictPolicy {
    get { isOverwriting.load(ordering: .relaxed) ? .lastWriterWins : .refuse }
    set { isOverwriting.store(newValue == .lastWriterWins, ordering: .relaxed) }
  }

  /// Removes all records from all stores.
  ///
  /// - Throws: `PersistenceError` with code `.readOnly` if one of the stores cannot be saved; nothing is removed then. The
  ///   error of the first store that fails otherwise; the stores after it are unchanged.
  public func erase() throws {
    try checkCanSave(stores.indices, to: "erase")
    for store in stores { try store.erase() }
  }

  /// Removes all records from all stores; stops without an error at the first store that fails.
  @available(*, deprecated, message: "use erase(), which throws an error")
  public func deleteAllData() {
    // Does not throw, for compatibility with SwiftData.
    try? erase()
  }

  /// Releases the files of the stores; the container is not used any more.
  package func close() {
    for store in stores { (store as? any MaintainableStore)?.close() }
  }

  static func configuration<Store: DataStore>(
    of store: Store
  ) -> any DataStoreConfiguration { store.configuration }

  /// A connection to each store, in the order of the stores, for one context.
  ///
  /// - Parameters:
  ///   - state: Identifies the context.
  ///   - isUsed: Tells which records the context uses; nil if nothing may be kept about records.
  /// - Returns: The connections.
  package func connections(
    for state: EditingState = EditingState(),
    isUsed: ((PersistentIdentifier) -> Bool)? = nil
  ) -> [any StoreConnection] {
    let connections = links.map { $0.with(state, isUsed: isUsed) }
    guard isTyped, let requestedSchema else { return connections }
    return connections.map { ModelConnection($0, models: requestedSchema) }
  }

  /// A connection to all stores, as if they were one that is only read; nil without a store.
  package func joinedConnection(for state: EditingState = EditingState()) -> (any StoreConnection)?
  {
    let connections = connections(for: state)
    return connections.count > 1 ? JoinedConnection(connections) : connections.first
  }

  private static func connect<Store: DataStore>(_ store: Store, models: Schema?)
    -> any StoreConnection
  {
    if let queryable = store as? any QueryableStore { return connect(queryable, models: models) }
    return PlainStoreConnection(PlainStore(store, models: models))
  }

  private static func connect<Store: QueryableStore>(_ store: Store, models: Schema?)
    -> any StoreConnection
  {
    QueryableConnection(store, models: models)
  }
}

extension ModelContainer: Equatable {
  /// True when both are the same object.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}
