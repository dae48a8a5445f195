public import Foundation
public import OpenSwiftData
import Synchronization

/// Opens a `ReferenceStore`.
public struct ReferenceStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  public typealias Store = ReferenceStore

  /// The name of the store, which becomes its identifier.
  public let name: String
  /// The entities to keep.
  public var schema: Schema?
  /// The history to keep.
  public var historyLimit = HistoryLimit()
  let now: @Sendable () -> Date
  let seed: UInt64

  /// Creates a configuration; without a clock time is constant, and the same seed gives the same
  /// keys.
  public init(
    name: String = "reference",
    schema: Schema? = nil,
    seed: UInt64 = 1,
    now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1_600_000_000) }
  ) {
    self.name = name
    self.schema = schema
    self.seed = seed
    self.now = now
  }

  /// True when name, schema and seed are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && lhs.schema == rhs.schema && lhs.seed == rhs.seed
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A reference store, simple enough to be obviously correct: `StoredRecords` and a history.
///
/// Other stores are compared with it. Nothing is written to disk. Calls may come from any thread.
///
/// - Complexity: every call is linear in the number of records.
public final class ReferenceStore: MigratableStore, HistoryKeepingStore, Sendable {
  /// The configuration that it was opened with.
  public let configuration: ReferenceStoreConfiguration
  private let contents: Mutex<ReferenceContents>

  /// Opens an empty store.
  public init(
    _ configuration: ReferenceStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let schema =
      try configuration.schema.map { try SchemaMigration.schema(for: $0, plan: migrationPlan) }
      ?? Schema()
    try schema.validate()
    self.configuration = configuration
    contents = try Mutex(ReferenceContents(schema: schema, configuration: configuration))
  }

  /// The name of the configuration.
  public var identifier: String { configuration.name }

  /// The entities as they are now.
  public var schema: Schema { contents.withLock { $0.records.schema } }

  /// Runs the query over all records of the entity.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try contents.withLock { try $0.records.snapshots(matching: query) }
  }

  /// Applies all changes or none.
  public func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try contents.withLock { contents in
      if changes.isEmpty { return CommitResult() }
      return try contents.commit(changes, author: author, at: configuration.now())
    }
  }

  /// False: everything is in memory.
  public var keepsHistoryWhenClosed: Bool { false }

  /// The transactions that were committed since the store was opened.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try contents.withLock { try $0.history.transactions(after: token, touching: identifier) }
  }

  /// Discards the transactions with these tokens.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    contents.withLock { $0.history.delete(tokens) }
  }

  /// Changes the schema and every record of the entity.
  public func apply(_ change: SchemaChange, author: String?) throws {
    _ = try contents.withLock { contents in
      try contents.commit(ChangeSet(), after: change, author: author, at: configuration.now())
    }
  }

  /// The number of transactions.
  public var migrationToken: Int64? { contents.withLock { $0.history.lastToken } }

  /// Adopts the new schema and the new records.
  public func migrate(_ migration: SchemaMigration, author: String?) throws {
    _ = try contents.withLock { contents in
      try checkIsCurrent(
        migration,
        schema: contents.records.schema,
        token: contents.history.lastToken
      )
      return try contents.commit(
        migration.changes,
        after: .replaceSchema(migration.replacement),
        author: author,
        at: configuration.now()
      )
    }
  }
}
