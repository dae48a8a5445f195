import Foundation
public import OpenSwiftData
import SQL
import Stores
import Synchronization

/// A store in a SQLite database: one of our own, or that of another program.
///
/// Queries run in the database. In a database of another program only values that were changed are written, and nothing
/// is added to it. Calls may come from any thread.
public final class SQLiteStore: MaintainableStore, MigratableStore, HistoryKeepingStore,
  ChangeFeedingStore, StagingStore
{
  /// The configuration type of the store.
  public typealias Configuration = SQLiteConfiguration
  /// The type that carries the values of a record.
  public typealias Snapshot = DefaultSnapshot

  /// The configuration that the store was opened with.
  public let configuration: SQLiteConfiguration
  /// Identifies the store in the identifiers of its records.
  public let identifier: String
  /// Reports saves by other programs.
  public let changeFeed = StoreChangeFeed()
  /// False for a database of another program: its history lasts until it is closed.
  public let keepsHistoryWhenClosed: Bool
  let session: Mutex<SQLiteSession>
  private let watches = Mutex<[FileWatch]>([])

  /// Opens a database; the first save creates a file that does not exist.
  ///
  /// - Throws: `PersistenceError` if the file cannot be read or is not a database.
  public convenience init(
    _ configuration: SQLiteConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    var completed = configuration
    completed.schema = try configuration.schema.map {
      try SchemaMigration.schema(for: $0, plan: migrationPlan)
    }
    try self.init(completed)
  }

  init(_ configuration: SQLiteConfiguration) throws {
    var configuration = configuration
    try configuration.followLink()
    let opened = try SQLiteOpening(configuration).open()
    self.configuration = configuration
    identifier = opened.identifier
    keepsHistoryWhenClosed = opened.database is OwnDatabase
    session = Mutex(opened)
  }

  /// True if these are the first bytes of a database.
  package static func isDatabase(_ start: some Collection<UInt8>) -> Bool {
    start.starts(with: SQLiteOpening.mark)
  }

  /// True for a database that this library made; the keys of others belong to their tables.
  package var keepsIdentifiers: Bool { keepsHistoryWhenClosed }

  /// True for views and tables without a key, whose rows have numbers only.
  package func identifiesByPlace(_ entityName: String) -> Bool {
    session.withLock { $0.tables[entityName]?.lacksKey ?? false }
  }

  /// True for a view.
  package func computesRecords(of entityName: String) -> Bool {
    session.withLock { $0.tables[entityName]?.isComputed ?? false }
  }

  /// The identifier with this text: in a database of another program, the columns of the key tell of which kind it is.
  package func identifier(parsing text: String, of entityName: String) -> PersistentIdentifier {
    let scope = IdentifierScope(store: identifier, entity: entityName)
    let key = session.withLock { $0.tables[entityName]?.key }
    return key?.identifier(parsing: text, in: scope) ?? scope.identifier(parsing: text)
  }

  /// The entities.
  public var schema: Schema { session.withLock { $0.schema } }

  // MARK: Use of the session

  /// Runs a body that reads, after noticing what other programs saved.
  ///
  /// - Throws: `PersistenceError`, with code `.conflict` if the file was replaced or removed.
  func reading<Result: Sendable>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    try using(isSaving: false, body)
  }

  /// Runs a body with the session; a column that has other values than its type allows becomes text.
  func using<Result: Sendable>(
    isSaving: Bool,
    _ body: (SQLiteSession) throws -> Result
  ) throws -> Result {
    var notify: [() -> Void] = []
    // Without the lock, because receivers may read the store.
    defer { for call in notify { call() } }
    return try session.withLock { session in
      do {
        let (reader, database) = (session.reader, session.database)
        if isSaving, reader.isInDoubt { throw reader.doubtError() }
        // Before anything reads the file: see `checkFileBeforeReading()`.
        try reader.checkFile(isSaving: isSaving)
        reader.tableInUse = nil
        database.begin(isSaving: isSaving)
        for name in session.abandoned.take() {
          _ = try? session.connection.run("DROP TABLE IF EXISTS temp.\(name)")
        }
        session.connection.functions.dropOld()
        if let change = try session.takeInOthers() { notify.append(changeFeed.note(change)) }
        while true {
          do {
            return try body(session)
          } catch is NewSchemaVersion {
            // VACUUM changes the version, too, while a save waits for its end.
            let former = session.ordered
            let change = try session.takeInOthers()
            if let change { notify.append(changeFeed.note(change)) }
            guard change != nil, session.ordered.isSame(as: former) else { throw reader.outdated }
          } catch {
            guard try database.adapt(to: error) else { continue }
            notify.append(changeFeed.note(StoreChange(isIncomplete: true, isSchemaChanged: true)))
          }
        }
      } catch let doubt as UncertainCommit {
        session.reader.isInDoubt = true
        throw session.reader.doubtError(doubt.failure)
      } catch let failure as SQLiteFailure where failure.isOfVirtualTable {
        throw session.reader.indexError(failure, isSaving: isSaving)
      } catch let failure as SQLiteFailure {
        session.reader.noteDamage(failure)
        throw failure.error(
          configuration.path,
          isSaving: isSaving,
          table: session.reader.tableInUse,
          isOwn: keepsHistoryWhenClosed,
          parents: session.ordered.reduce(into: []) { $0.formUnion($1.parents) }
        )
      }
    }
  }

  // MARK: Reading

  /// Fetches records by a query of the database.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.reader.snapshots(matching: query) }
  }

  /// Fetches keys.
  public func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.reader.identifiers(matching: query) }
  }

  /// Counts in the database.
  public func count(matching query: Query) throws -> Int {
    try reading { try $0.reader.count(matching: query) }
  }

  /// A listing whose keys are in a temporary table.
  public func listing(matching query: Query) throws -> any Listing {
    try SQLiteListing(query, self)
  }

  /// Groups in the database.
  public func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try reading { try $0.reader.valueCounts(of: attribute, matching: query) }
  }

  /// Groups in the database; floating-point numbers are added in their order.
  public func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try reading { try $0.reader.summary(of: attribute, matching: query) }
  }

  /// Fetches records by their keys.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try reading { try $0.reader.snapshots(for: identifiers, attributes: attributes) }
  }

  /// Looks up keys by their beginning.
  public func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try reading {
      try $0.reader.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    }
  }

  /// Reads some records at a time, as they were when the call began.
  public func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    let count = query.requestedLayout?.pageCount(atMost: Self.pageCount) ?? Self.pageCount
    if query.limit ?? .max > count { try settleTypes(for: query) }
    var entity = try schema.entity(named: query.entityName)
    let listing = try listing(matching: query)
    var start = 0
    while true {
      try Interruption.check()
      let page = try listing.records(in: start..<start + count, attributes: query.attributes)
      let current = try schema.entity(named: query.entityName)
      if current != entity, current.layout == entity.layout {
        guard start == 0 else { throw entity.changedError }
        entity = current
        continue
      }
      for record in page { if let snapshot = record.snapshot { try body(snapshot) } }
      if page.count < count { return }
      start += count
    }
  }

  private static let pageCount = 512

  // MARK: Saving

  /// Saves all changes in one transaction.
  public func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try writing { try $0.commit(changes, author: author, message: nil) }
  }

  /// Runs a body that writes.
  func writing<Result: Sendable>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    try using(isSaving: true) { session in
      guard configuration.allowsSave else { throw readOnlyError }
      return try session.writing(body)
    }
  }

  var readOnlyError: PersistenceError {
    PersistenceError(.readOnly, "\(configuration.path): opened read-only")
  }

  // MARK: History

  /// Reads the history of the file, or that since it was opened.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try reading { try $0.database.transactions(after: token, touching: identifier) }
  }

  /// Discards transactions of the history.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    try writing { try $0.database.deleteTransactions(tokens) }
  }

  // MARK: Other programs

  /// Applies what other programs have saved, and reports it.
  ///
  /// - Throws: `PersistenceError`, with code `.conflict` if the file was replaced or removed.
  public func refresh() throws { try reading { _ in } }

  /// Watches the database and the files that SQLite keeps next to it.
  public func startWatching() {
    let fileSystem = LocalFileSystem()
    let path = (try? fileSystem.resolve(configuration.path)) ?? configuration.path
    let found = ["", "-wal", "-journal"].compactMap { ending in
      fileSystem.watch(path + ending) { [weak self] in self?.lookAgain() }
    }
    watches.withLock { $0 = found }
  }

  /// Looks now and several times later: the last event of a save comes before the save is visible.
  private func lookAgain() {
    for milliseconds in [0, 1, 2, 4, 8, 16, 32, 64] as [UInt64] {
      if milliseconds > 0 { Thread.sleep(forTimeInterval: Double(milliseconds) / 1000) }
      refreshOrSendFailure()
    }
  }

  // MARK: Schema

  /// The schema of a database of our own; nil for others, which are never migrated.
  public var storedSchema: Schema? { keepsHistoryWhenClosed ? schema : nil }

  /// True if the database is not to be written.
  public var isReadOnly: Bool { !configuration.allowsSave }

  /// The number of the last transaction.
  public var migrationToken: Int64? { try? reading { $0.database.lastToken } }

  /// Changes the schema and the tables in one transaction.
  public func apply(_ change: SchemaChange, author: String?) throws {
    _ = try writing { try $0.apply(change, ChangeSet(), author: author) }
  }

  /// Changes the schema and the records in one transaction.
  public func migrate(_ migration: SchemaMigration, author: String?) throws {
    _ = try writing { session in
      try checkIsCurrent(migration, schema: session.schema, token: session.database.lastToken)
      return try session.apply(
        .replaceSchema(migration.replacement),
        migration.changes,
        author: author
      )
    }
  }

  // MARK: Maintenance

  /// The tables that cannot be shown, with the reasons, and why the database cannot be saved.
  public var openingNotes: [String] {
    let reason = readOnlyReason.map {
      "\(configuration.path): read-only (\($0)); save to another location instead"
    }
    return (reason.map { [$0] } ?? [])
      + session.withLock { session in
        session.connection.isAlone
          ? [
            "\(configuration.path): no space left on the device; other programs cannot use the database until this one "
              + "closes it"
          ] + session.database.notes : session.database.notes
      }
  }

  /// Why the database cannot be saved although its configuration allows it; nil if it can.
  public var readOnlyReason: String? { session.withLock { $0.readOnlyReason } }

  /// The tables whose rows cannot be changed or have no key.
  public var entityNotes: [String: String] {
    session.withLock { $0.tables.compactMapValues(\.note) }
  }

  /// Checks the file, the links between its tables and, in a database of our own, the values.
  public func check() throws -> [String] { try check(isThorough: false) }

  /// Checks the same, and with `isThorough` the contents of all indexes.
  public func check(isThorough: Bool) throws -> [String] {
    try reading { try $0.check(isThorough: isThorough) }
  }

  /// Rewrites a database of our own without free pages.
  public func compact() throws -> String { try writing { try $0.database.compact() } }

  /// Closes the database.
  public func close() {
    watches.withLock { $0 = [] }
    session.withLock { $0.close() }
  }
}

extension SQLiteStore {
  /// Looks for the transaction of the save in the history, or, in a database of another program, for its records.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? {
    try reading { try $0.database.holds(trace) }
  }

  package func forEachPage(
    matching query: Query,
    _ body: (any RecordPage) throws -> Void
  ) throws {
    let layout =
      try query.requestedLayout ?? schema.entity(named: query.entityName).layout
    var page: [DefaultSnapshot] = []
    try forEachSnapshot(matching: query) { snapshot in
      page.append(snapshot)
      guard page.count >= SnapshotPage.sizeLimit else { return }
      try body(SnapshotPage(page, layout: layout))
      page = []
    }
    if !page.isEmpty { try body(SnapshotPage(page, layout: layout)) }
  }

  package func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    try reading { try $0.reader.page(for: identifiers, attributes) }
  }
}
