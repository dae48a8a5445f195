/// The connection of a context to one store.
package protocol StoreConnection {
  var identifier: String { get }
  var schema: Schema { get }
  /// The context of the connection, passed to stores that implement `DataStore`.
  var state: EditingState { get set }
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]
  func count(matching query: Query) throws -> Int
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]
  /// Fetches as `snapshots(matching:)` does, for a query created from the descriptor.
  ///
  /// A store that evaluates predicate and order itself receives the original ones.
  func snapshots<T: PersistentModel>(matching query: Query, of descriptor: FetchDescriptor<T>)
    throws -> [DefaultSnapshot]
  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  /// The transactions that match the descriptor; nil if those of the store are of another type.
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Discards the transactions that match the descriptor; false if those of the store are of another type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
  func apply(_ change: SchemaChange, author: String?) throws
  /// The store, if it supports unsaved schema changes.
  var stagingStore: (any StagingStore)? { get }
  /// True when a save without changes writes the schema of the store.
  var isUnwritten: Bool { get }
}

extension StoreConnection {
  var stagingStore: (any StagingStore)? { nil }
  var isUnwritten: Bool { stagingStore?.isUnwritten ?? false }

  func snapshots<T: PersistentModel>(matching query: Query, of descriptor: FetchDescriptor<T>)
    throws -> [DefaultSnapshot]
  {
    try snapshots(matching: query)
  }

  func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try snapshots(for: identifiers, attributes: nil)
  }

  /// The same connection for a context.
  func with(_ state: EditingState) -> any StoreConnection {
    var connection = self
    connection.state = state
    return connection
  }
}

/// The connection to a `QueryableStore`; forwards nearly everything.
struct QueryableConnection<Store: QueryableStore>: StoreConnection {
  let store: Store
  /// The history of commits through this connection; nil if the store keeps its own.
  private let fallback: FallbackHistory?
  var state = EditingState()

  init(_ store: Store) {
    self.store = store
    fallback = store is any HistoryKeepingStore ? nil : FallbackHistory()
  }

  var identifier: String { store.identifier }
  var schema: Schema { store.schema }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try store.identifiers(matching: query)
  }

  func count(matching query: Query) throws -> Int { try store.count(matching: query) }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try store.snapshots(matching: query)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try store.snapshots(for: identifiers, attributes: attributes)
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try store.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// Commits and checks the result.
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    var result = try store.commit(changes, author: state.author)
    if !result.isInOrder {
      try RemappingCheck(storeName: identifier).check(result.remappedIdentifiers, for: changes)
      result.arrange(for: changes.inserted)
    }
    if let fallback, !changes.isEmpty {
      result.token = fallback.append(
        changes.remapped(result.remappedIdentifiers),
        author: state.author
      )
    }
    return result
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    guard store is any SchemaChangingStore else {
      throw PersistenceError(.unsupported, "store \(identifier): schema changes not supported")
    }
    try store.apply(change, author: author)
  }

  var stagingStore: (any StagingStore)? { store as? any StagingStore }

  // MARK: History

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try fallback?.transactions(after: token, touching: identifier)
      ?? store.transactions(after: token, touching: identifier)
  }

  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let fallback, T.self == DefaultHistoryTransaction.self else {
      return try history(of: store, descriptor)
    }
    return try fallback.read(descriptor, identifier, store.configuration.schema ?? schema)
  }

  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    guard let fallback, T.self == DefaultHistoryTransaction.self else {
      return try deleteHistory(of: store, descriptor)
    }
    return try fallback.delete(descriptor, identifier, schema)
  }
}
