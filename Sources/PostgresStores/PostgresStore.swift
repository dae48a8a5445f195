public import OpenSwiftData
import SQL
import Stores
import Synchronization

/// A store that shows the tables and views of a PostgreSQL database.
///
/// Queries run on the server, and only records that are looked at are read. Only values that were changed are written, and
/// nothing is added to the database but records. Calls may come from any thread.
public final class PostgresStore: MaintainableStore, HistoryKeepingStore, ChangeFeedingStore {
  /// The configuration type of the store.
  public typealias Configuration = PostgresConfiguration
  /// The type that carries the values of a record.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was opened with.
  public let configuration: PostgresConfiguration
  /// Identifies the store in the identifiers of its records.
  public let identifier: String
  /// Reports tables that have other columns than before.
  public let changeFeed = StoreChangeFeed()
  private let session: Mutex<PostgresSession>
  private let shown: ShownTables

  /// Connects to the server, and reads what tables there are.
  ///
  /// - Throws: `PersistenceError`.
  public init(
    _ configuration: PostgresConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    let opened = try PostgresSession(configuration)
    identifier = opened.identifier
    shown = opened.shown
    session = Mutex(opened)
  }

  /// The entities.
  public var schema: Schema { shown.now.schema }

  /// Runs a body that reads.
  func reading<Result: Sendable>(
    unless hasBegun: () -> Bool = { false },
    _ body: (PostgresReader) throws -> Result
  ) throws -> Result {
    try using { session, note in try session.reading(unless: hasBegun, note: note, body) }
  }

  /// Runs a body with the session and a closure that notes what has changed.
  private func using<Result: Sendable>(
    _ body: (PostgresSession, (StoreChange) -> Void) throws -> Result
  ) throws -> Result {
    var changes: [StoreChange] = []
    // Without the lock, because receivers may read the store.
    defer { for change in changes { changeFeed.send(change) } }
    return try session.withLock { try body($0) { changes.append($0) } }
  }

  /// About how many records an entity has, as the server remembers; nil if that is not known.
  func estimate(of entityName: String) -> Int? {
    session.withLock { $0.estimate(of: entityName) }
  }

  // MARK: Reading

  /// Fetches records by a query of the server.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.snapshots(matching: query) }
  }

  /// Passes records on as the server sends them.
  public func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    var hasBegun = false
    try reading(unless: { hasBegun }) { reader in
      try reader.forEachSnapshot(matching: query) { snapshot in
        hasBegun = true
        try body(snapshot)
      }
    }
  }

  /// Fetches keys.
  public func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.identifiers(matching: query) }
  }

  /// Counts on the server.
  public func count(matching query: Query) throws -> Int {
    try reading { try $0.count(matching: query) }
  }

  /// A listing whose keys are in memory: 8 bytes for a number.
  public func listing(matching query: Query) throws -> any Listing {
    try PostgresListing(query, self)
  }

  /// Groups on the server.
  public func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try reading { try $0.valueCounts(of: attribute, matching: query) }
  }

  /// Groups on the server; floating-point numbers are added in their order.
  public func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try reading { try $0.summary(of: attribute, matching: query) }
  }

  /// Fetches records by their keys.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try reading { try $0.snapshots(for: identifiers, attributes: attributes) }
  }

  /// Looks up keys by their beginning.
  public func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try reading {
      try $0.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    }
  }

  // MARK: Saving

  /// Saves all changes in one transaction.
  public func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    if changes.isEmpty { return CommitResult() }
    guard configuration.allowsSave else {
      throw PersistenceError(.readOnly, "\(configuration.shown): opened read-only")
    }
    return try using { session, note in try session.commit(changes, author: author, note: note) }
  }

  /// Why the server saves nothing; nil if it does.
  public var readOnlyReason: String? { session.withLock { $0.readOnlyReason } }

  // MARK: History

  /// False: the history lasts until the store is closed.
  public var keepsHistoryWhenClosed: Bool { false }

  /// Reads the history since the store was opened.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try session.withLock { try $0.history.transactions(after: token, touching: identifier) }
  }

  /// Discards transactions of the history.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    session.withLock { $0.history.delete(tokens) }
  }

  // MARK: Maintenance

  /// Tells of a database without tables.
  public var openingNotes: [String] {
    let reason = readOnlyReason.map { ["\(configuration.shown): read-only (\($0))"] } ?? []
    return reason
      + (schema.entities.isEmpty ? ["\(configuration.shown): no tables that can be read"] : [])
  }

  /// The tables whose rows cannot be changed or have no key.
  public var entityNotes: [String: String] {
    shown.now.tables.compactMapValues(\.note)
  }

  /// Looks through all records, and tells which columns have values that their fields have no room for.
  public func check() throws -> [String] {
    for name in schema.entities.map(\.name) where !computesRecords(of: name) {
      try settleTypes(for: Query(name))
    }
    return session.withLock { $0.misfits.sorted() }
      .map { "\($0): values without a form of their type; shown as texts" }
  }

  /// Throws an error: the server decides what it rewrites.
  public func compact() throws -> String {
    throw PersistenceError(
      .unsupported,
      "\(configuration.shown): the server rewrites its tables itself; with psql: VACUUM"
    )
  }

  /// Closes the connection.
  public func close() { session.withLock { $0.close() } }
}

extension PostgresStore: CopyingStore {
  /// False: the keys belong to their tables.
  package var keepsIdentifiers: Bool { false }

  /// True for views and tables without a key, whose rows have places only.
  package func identifiesByPlace(_ entityName: String) -> Bool {
    shown.now.tables[entityName]?.lacksKey ?? false
  }

  /// True for a view.
  package func computesRecords(of entityName: String) -> Bool {
    shown.now.tables[entityName]?.isComputed ?? false
  }

  /// The identifier with this text: the columns of the key tell of which kind it is.
  package func identifier(parsing text: String, of entityName: String) -> PersistentIdentifier {
    let scope = IdentifierScope(store: identifier, entity: entityName)
    let key = shown.now.tables[entityName]?.key
    return key?.identifier(parsing: text, in: scope) ?? scope.identifier(parsing: text)
  }

  /// Shows the texts of columns that have values without a form of their type in the records of a query.
  package func settleTypes(for query: Query) throws {
    // As nothing is passed on, records are read again where a column becomes one of texts.
    try reading { try $0.settleTypes(for: query) }
  }

  /// Compares the records with those of the save.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? {
    try trace.isMade { record in
      let identifier = identifier(parsing: record.key, of: record.entity)
      return try snapshots(for: [identifier], attributes: nil)[identifier]
    }
  }
}
