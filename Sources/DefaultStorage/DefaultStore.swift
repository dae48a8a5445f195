import Foundation
public import OpenSwiftData
import Stores

/// The store for programs that do not bring their own: an append-only log on disk, or memory.
///
/// On disk a save is one record at the end of the file, flushed before `save()` returns; the file is
/// its own history, and several processes may have it open. Calls may come from any thread.
public final class DefaultStore: MaintainableStore, MigratableStore, HistoryKeepingStore,
  ChangeFeedingStore
{
  /// What the store is opened with.
  public typealias Configuration = ModelConfiguration
  /// What carries the values of a record.
  public typealias Snapshot = DefaultSnapshot

  /// What it was opened with.
  public let configuration: ModelConfiguration
  private let backing: any MaintainableStore & MigratableStore
  /// Tells of saves by other processes, when the file is looked at.
  public let changeFeed: StoreChangeFeed

  /// Opens the store; its file is made by the first save.
  ///
  /// - Throws: `PersistenceError` when the file cannot be read or is no store.
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
        // Records of two stores in memory must not look like the same.
        MemoryStoreConfiguration(name: UUID().uuidString, schema: configuration.schema),
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

  /// Takes in what other processes saved by now, and sends it.
  ///
  /// - Throws: `PersistenceError` when the file cannot be read.
  public func refresh() throws { try (backing as? any ChangeFeedingStore)?.refresh() }

  /// The name of the configuration.
  public var name: String { configuration.name }

  /// Names the store in the identifiers of its records.
  public var identifier: String { backing.identifier }

  /// The entities it keeps.
  public var schema: Schema { backing.schema }

  /// What the user should know since the store was opened.
  public var openingNotes: [String] { backing.openingNotes }

  /// True when a save that was acknowledged may be among what was found damaged at opening.
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
  /// The records that match, in order.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try backing.snapshots(matching: query)
  }

  /// The identifiers of the records that match, in order.
  public func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try backing.identifiers(matching: query)
  }

  /// The number of records that match.
  public func count(matching query: Query) throws -> Int {
    try backing.count(matching: query)
  }

  /// The records with these identifiers, as far as they are there.
  public func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try backing.snapshots(for: identifiers)
  }

  /// Everything a store holds in memory is at hand.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try backing.snapshots(for: persistentIdentifiers)
  }

  /// At most so many records whose identifier's text begins so.
  public func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try backing.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// The transactions with a token greater than this one, oldest first.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try backing.transactions(after: token, touching: identifier)
  }

  /// Reads everything that is kept and compares it with what is held in memory.
  public func check() throws -> [String] { try backing.check() }
}

// MARK: Changing

extension DefaultStore {
  /// Makes the changes and keeps them, all or none.
  ///
  /// - Throws: `PersistenceError`; with code `.readOnly`, naming the entities, when the configuration
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

  /// True when the configuration does not allow saving, or the file cannot be written.
  public var isReadOnly: Bool { !configuration.allowsSave || backing.isReadOnly }

  /// The number of the last transaction.
  public var migrationToken: Int64? { backing.migrationToken }

  /// Takes another schema and the changed records, in one step.
  public func migrate(_ migration: SchemaMigration, author: String?) throws {
    try checkSaving("migrate")
    try backing.migrate(migration, author: author)
  }

  /// Forgets the transactions with these tokens, on disk as well; records stay as they are.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    try checkSaving("delete history")
    try backing.deleteTransactions(tokens)
  }

  /// Deletes every record of every entity in one commit.
  public func erase() throws {
    try checkSaving("erase")
    try backing.erase()
  }

  /// Rewrites the file without what is no longer needed.
  public func compact() throws -> String {
    try checkSaving("compact")
    return try backing.compact()
  }

  /// Does what is worthwhile behind a save, and tells what the user should know of it.
  public func compactIfWorthwhile() -> [String] { backing.compactIfWorthwhile() }
}

extension ChangeSet {
  /// The numbers of records by entity, such as `2 new and 1 changed of Trip`.
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
