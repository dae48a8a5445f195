import Foundation
public import OpenSwiftData
import Stores

/// The default store: an append-only log on disk, or memory only.
///
/// On disk a save appends one record to the file and is durable when `save()` returns. The file is
/// its own history, and several processes can have it open. Calls may come from any thread.
public final class DefaultStore: MaintainableStore, MigratableStore, HistoryKeepingStore,
  ChangeFeedingStore, TrustedStore
{
  /// The configuration type of the store.
  public typealias Configuration = ModelConfiguration
  /// The type that carries the values of a record.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was opened with.
  public let configuration: ModelConfiguration
  private let backing: any MaintainableStore & MigratableStore & HistoryKeepingStore
  /// Reports saves by other processes when the file is next read.
  public let changeFeed: StoreChangeFeed

  /// Opens the store; the first save creates its file.
  ///
  /// - Throws: `PersistenceError` if the file cannot be read or is not a store.
  public convenience init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    try self.init(configuration, migrationPlan: migrationPlan, fileSystem: LocalFileSystem())
  }

  init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    fileSystem: any FileSystem
  ) throws {
    self.configuration = configuration
    if configuration.isStoredInMemoryOnly {
      backing = try MemoryStore(
        // Records of two stores in memory must not be mistaken for each other.
        MemoryStoreConfiguration(
          name: UUID().uuidString,
          schema: configuration.schema,
          historyLimit: configuration.historyLimit
        ),
        migrationPlan: migrationPlan
      )
      changeFeed = StoreChangeFeed()
      return
    }
    let path = configuration.url.path
    if configuration.allowsSave { try fileSystem.createFolders(of: path) }
    let log = try LogStore(
      LogStoreConfiguration(
        path: path,
        name: configuration.name,
        schema: configuration.schema,
        isReadOnly: !configuration.allowsSave,
        fileSystem: fileSystem
      ),
      migrationPlan: migrationPlan
    )
    backing = log
    changeFeed = log.changeFeed
    log.startWatching()
  }

  /// Applies what other processes have saved, and publishes the changes.
  ///
  /// - Throws: `PersistenceError` if the file cannot be read.
  public func refresh() throws { try (backing as? any ChangeFeedingStore)?.refresh() }

  /// The name of the configuration.
  public var name: String { configuration.name }

  /// Identifies the store in the identifiers of its records.
  public var identifier: String { backing.identifier }

  /// The entities it keeps.
  public var schema: Schema { backing.schema }

  /// Notes for the user since the store was opened.
  public var openingNotes: [String] { backing.openingNotes }

  /// Why the store cannot be saved although its configuration allows it; nil if it can.
  public var readOnlyReason: String? { backing.readOnlyReason }

  /// True if the damage found when the store was opened may include an acknowledged save.
  public var mayHaveLostSave: Bool { backing.mayHaveLostSave }

  private func checkSaving(_ what: @autoclosure () -> String) throws {
    guard !configuration.allowsSave else { return }
    throw PersistenceError(
      .readOnly,
      "configuration \(Value.quoted(name)): cannot \(what()); allowsSave is false"
    )
  }
}

// MARK: Reading

extension DefaultStore {
  /// The matching records, in order.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try backing.snapshots(matching: query)
  }

  /// The identifiers of the matching records, in order.
  public func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try backing.identifiers(matching: query)
  }

  /// The number of matching records.
  public func count(matching query: Query) throws -> Int {
    try backing.count(matching: query)
  }

  /// The records with these identifiers, whole or with these attributes; missing records are skipped.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try backing.snapshots(for: identifiers, attributes: attributes)
  }

  /// All records of a store are in memory.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try backing.snapshots(for: persistentIdentifiers)
  }

  /// The identifiers whose text has this prefix, up to a limit.
  public func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try backing.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// True for a store on disk.
  public var keepsHistoryWhenClosed: Bool { backing.keepsHistoryWhenClosed }

  /// The transactions with a token greater than this one, oldest first.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try backing.transactions(after: token, touching: identifier)
  }

  /// Reads everything that is stored and compares it with memory.
  public func check() throws -> [String] { try backing.check() }
}

// MARK: Changing

extension DefaultStore {
  /// Applies and saves the changes, all or none.
  ///
  /// - Throws: `PersistenceError`; with code `.readOnly`, naming the entities, if the configuration
  ///   does not allow saving.
  public func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try checkSaving("save (\(changes.summary))")
    return try backing.commit(changes, author: author)
  }

  /// Changes the schema and the records with it.
  public func apply(_ change: SchemaChange, author: String?) throws {
    try checkSaving("change entity \(Value.quoted(change.entityName))")
    try backing.apply(change, author: author)
  }

  /// The schema that the records were written under.
  public var storedSchema: Schema? { backing.storedSchema }

  /// True if the configuration does not allow saving, or the file cannot be written.
  public var isReadOnly: Bool { !configuration.allowsSave || backing.isReadOnly }

  /// The number of the last transaction.
  public var migrationToken: Int64? { backing.migrationToken }

  /// Changes the schema and the records in one step.
  public func migrate(_ migration: SchemaMigration, author: String?) throws {
    try checkSaving("migrate")
    try backing.migrate(migration, author: author)
  }

  /// Discards the transactions with these tokens, on disk as well; records do not change.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    try checkSaving("delete history")
    try backing.deleteTransactions(tokens)
  }

  /// Deletes every record of every entity in one commit.
  public func erase() throws {
    try checkSaving("erase")
    try backing.erase()
  }

  /// Rewrites the file without obsolete data.
  public func compact() throws -> String {
    try checkSaving("compact")
    return try backing.compact()
  }

  /// Does worthwhile maintenance after a save, and returns notes for the user about it.
  public func compactIfWorthwhile() -> [String] { backing.compactIfWorthwhile() }
}

extension ChangeSet {
  /// The number of records by entity, such as `2 new and 1 changed of Trip`.
  fileprivate var summary: String {
    var counts: [String: (new: Int, changed: Int, deleted: Int)] = [:]
    for snapshot in inserted {
      counts[snapshot.persistentIdentifier.entityName, default: (0, 0, 0)].new += 1
    }
    for update in updated {
      counts[update.persistentIdentifier.entityName, default: (0, 0, 0)].changed += 1
    }
    for snapshot in deleted {
      counts[snapshot.persistentIdentifier.entityName, default: (0, 0, 0)].deleted += 1
    }
    return counts.keys.sorted().map { name in
      let count = counts[name] ?? (0, 0, 0)
      let parts = [(count.new, "new"), (count.changed, "changed"), (count.deleted, "deleted")]
      return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " and ")
        + " of \(name)"
    }
    .joined(separator: ", ")
  }
}
