import Foundation
import Synchronization

/// A store that keeps its records in memory and stores all of them in a ``StoreFormat``.
///
/// A save takes the lock of the format, loads what other programs have stored since, checks the changes against it,
/// writes, and then makes them visible. If any of this fails, nothing has changed. A fetch loads the contents again if
/// their version has changed. Changes of other programs are reported through `changeFeed` and are transactions of the
/// history, marked with `isExternal`.
///
/// The history is in memory and reaches back to the opening of the store, as far as `historyLimit` allows.
///
/// **Threads.** May be used from any thread. A fetch waits for a save in progress only if it has to load. The change
/// feed is called without locks.
///
/// - Complexity: a save is linear in the number of records, and a fetch in those of its entity.
public final class FormatStore<Format: StoreFormat>: MigratableStore, HistoryKeepingStore,
  ChangeFeedingStore, Sendable
{
  typealias Session = FormatSession<Format>

  /// The configuration that it was opened with.
  public let configuration: FormatStoreConfiguration<Format>
  /// Reports the changes of other programs.
  public let changeFeed = StoreChangeFeed()
  private let session: Mutex<Session>
  /// Held while the session is replaced, by one thread after another; fetches only need `session`.
  private let turn = Mutex(())
  private let watch = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Loads what the format has stored.
  ///
  /// - Throws: `PersistenceError`, or the error of the format.
  public init(
    _ configuration: FormatStoreConfiguration<Format>,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    let wanted =
      try configuration.schema.map { try SchemaMigration.schema(for: $0, plan: migrationPlan) }
      ?? Schema()
    try wanted.validate()
    let empty = try StoredRecords(
      schema: wanted,
      storeIdentifier: configuration.name,
      models: configuration.schema
    )
    var opened = Session(records: empty, history: SessionHistory(configuration.historyLimit))
    let format = configuration.format
    try PersistenceError.reporting(storeIdentifier: configuration.name) {
      try format.withLock {
        opened.version = try format.version()
        guard let contents = try format.load(Self.context(configuration.name, wanted)) else {
          return
        }
        try opened.take(contents)
      }
    }
    session = Mutex(opened)
  }

  private var format: Format { configuration.format }

  private static func context(_ storeIdentifier: String, _ schema: Schema) -> FormatContext {
    FormatContext(storeIdentifier: storeIdentifier, schema: schema)
  }

  /// The name of the configuration.
  public var identifier: String { configuration.name }

  /// The entities as they are now.
  public var schema: Schema { session.withLock { $0.records.schema } }

  /// The schema that the format saved; nil if it saves none.
  public var storedSchema: Schema? { format.savesSchema ? schema : nil }

  // MARK: Reading

  /// The records, after loading what other programs have stored.
  ///
  /// If that is not possible, the records are those that were loaded last, so that they can be saved elsewhere, and the
  /// change feed sends the failure.
  private func current() -> StoredRecords {
    let (known, isUsable) = session.withLock { ($0.version, $0.failure == nil) }
    if isUsable {
      do {
        let found = try reporting { try format.version() }
        if let found, found != known { try refresh() } else { changeFeed.revokeFailure() }
      } catch {
        changeFeed.sendFailure(error)
      }
    }
    return session.withLock { $0.records }
  }

  /// Runs the query over all records of the entity.
  ///
  /// - Complexity: O(n) in the number of records of the entity, and for sorting.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try current().snapshots(matching: query)
  }

  /// Finds the records among all of their entities.
  ///
  /// - Complexity: O(n) in the number of records of the entities.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try current().snapshots(for: identifiers, attributes: attributes)
  }

  // MARK: Writing

  /// Checks and writes all changes or none.
  public func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    if changes.isEmpty { return CommitResult() }
    return try change(changes, author: author)
  }

  /// Changes the schema and every record of the entity.
  ///
  /// - Throws: `PersistenceError`, with code `.unsupported` if the format saves no schema.
  public func apply(_ change: SchemaChange, author: String?) throws {
    _ = try self.change(ChangeSet(), after: change, author: author)
  }

  /// The number of transactions.
  public var migrationToken: Int64? { session.withLock { $0.history.lastToken } }

  /// Writes the new schema and the new records.
  public func migrate(_ migration: SchemaMigration, author: String?) throws {
    _ = try change(
      migration.changes,
      after: .replaceSchema(migration.replacement),
      author: author
    ) { session in
      try checkIsCurrent(
        migration,
        schema: session.records.schema,
        token: session.history.lastToken
      )
    }
  }

  private func change(
    _ changes: ChangeSet,
    after schemaChange: SchemaChange? = nil,
    author: String?,
    check: (Session) throws -> Void = { _ in }
  ) throws -> CommitResult {
    if schemaChange != nil, !format.savesSchema {
      throw PersistenceError(.unsupported, "store \(identifier): the format saves no schema")
    }
    var attempt = 1
    while true {
      do {
        return try commit(changes, after: schemaChange, author: author, check: check)
      } catch let error as OutdatedWrite {
        // A program without the lock was faster; what it wrote is loaded before the next attempt.
        if attempt == Self.attemptCount { throw error.cause }
        attempt += 1
      }
    }
  }

  /// How often a save is tried while programs without the lock write.
  private static var attemptCount: Int { 4 }

  private func commit(
    _ changes: ChangeSet,
    after schemaChange: SchemaChange?,
    author: String?,
    check: (Session) throws -> Void
  ) throws -> CommitResult {
    try exclusively { session in
      try check(session)
      let former = session.records
      let (keyed, chosen) = try session.keyed(changes, by: format, for: identifier)
      var result = try session.records.commit(keyed, after: schemaChange)
      if !chosen.isEmpty { result.remappedIdentifiers.merge(chosen) { _, new in new } }
      let committed = changes.remapped(result.remappedIdentifiers)
      let isWhole = schemaChange != nil
      session.version = try write(session, committed, isWhole ? former : nil, author: author)
      session.isStored = true
      session.retire(committed.deleted)
      result.token = session.history.append(
        committed,
        schemaChange: schemaChange,
        formerSchema: former.schema,
        author: author,
        id: UUID(),
        at: Date()
      )
      return result
    }
  }

  /// Writes the records of the session; after a change of the schema, which passes the former ones, all of them.
  private func write(
    _ session: Session,
    _ committed: ChangeSet,
    _ former: StoredRecords?,
    author: String?
  ) throws -> Format.Version? {
    let all = session.records.all
    let changes: FormatChanges
    if let former {
      let kept = Set(all.map(\.persistentIdentifier))
      let dropped = former.all.filter { !kept.contains($0.persistentIdentifier) }
      changes = FormatChanges(saved: all, deleted: dropped, author: author)
    } else {
      // From the records, because an update writes only the values that it changes.
      let touched = Set(
        (committed.inserted + committed.updated.map(\.after)).map(\.persistentIdentifier)
      )
      let saved = all.filter { touched.contains($0.persistentIdentifier) }
      changes = FormatChanges(saved: saved, deleted: committed.deleted, author: author)
    }
    let contents = FormatContents(all + session.foreign, schema: session.records.schema)
    do {
      return try format.write(contents, changes: changes, over: session.version)
    } catch let error as PersistenceError where error.code == .conflict {
      throw OutdatedWrite(cause: error)
    }
  }

  /// A write found that another program has written since the contents were loaded.
  private struct OutdatedWrite: FormatStoreInternalError {
    let cause: PersistenceError
  }

  // MARK: Changes of other programs

  /// Loads what other programs have stored, and reports it.
  ///
  /// - Throws: `PersistenceError`, or the error of the format; nothing is changed then.
  public func refresh() throws {
    try exclusively { _ in }
    changeFeed.revokeFailure()
  }

  /// Starts to watch the location, if the format can.
  public func startWatching() {
    let object = format.watch { [weak self] in self?.refreshOrSendFailure() }
    watch.withLock { $0 = object }
  }

  /// Runs the body on the current contents, while no other thread or program changes them.
  ///
  /// The body changes the session only after it has written.
  private func exclusively<Result: Sendable>(_ body: (inout Session) throws -> Result) throws
    -> Result
  {
    var notify: (() -> Void)?
    // Without locks, because receivers may use the store.
    defer { notify?() }
    return try turn.withLock { _ in
      try reporting {
        try format.withLock {
          var session = session.withLock { $0 }
          if let failure = session.failure { throw failure }
          notify = try reload(&session).map(changeFeed.note)
          return try run(body, on: session)
        }
      }
    }
  }

  /// Loads the contents if another program may have changed them.
  private func reload(_ session: inout Session) throws -> StoreChange? {
    let version = try format.version()
    if let version, version == session.version { return nil }
    let context = Self.context(identifier, session.records.schema)
    guard let contents = try format.load(context) else {
      if !session.isStored { return nil }
      throw PersistenceError(
        .conflict,
        "store \(identifier): removed by another program; save to another location instead"
      )
    }
    let news = try session.adopt(contents, version: version)
    replace(session)
    return news
  }

  private func run<Result>(
    _ body: (inout Session) throws -> Result,
    on session: Session
  ) throws -> Result {
    let token = session.history.lastToken
    var changed = session
    do {
      let result = try body(&changed)
      if changed.history.lastToken != token { replace(changed) }
      return result
    } catch let error as PersistenceError where error.code == .outcomeUnknown {
      var failed = session
      failed.failure = error
      replace(failed)
      throw error
    }
  }

  private func replace(_ session: Session) { self.session.withLock { $0 = session } }

  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    try PersistenceError.reporting(storeIdentifier: identifier, body)
  }
}

// MARK: History

extension FormatStore {
  /// False: a format has no place for a history.
  public var keepsHistoryWhenClosed: Bool { false }

  /// The transactions since the store was opened, including those of other programs.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    _ = current()
    return try session.withLock { try $0.history.transactions(after: token, touching: identifier) }
  }

  /// Discards the transactions with these tokens.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    turn.withLock { _ in session.withLock { $0.history.delete(tokens) } }
  }
}

/// An error that a store handles itself.
private protocol FormatStoreInternalError: Error {}

extension PersistenceError {
  /// Runs the body of a store, and adds the store to errors that do not name it.
  fileprivate static func reporting<Result>(
    storeIdentifier: String,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch  where error is PersistenceError || error is any FormatStoreInternalError {
      throw error
    } catch let error as DecodingError {
      throw PersistenceError(.damaged, "store \(storeIdentifier): \(error.words)", cause: error)
    } catch {
      throw PersistenceError(
        .inaccessible,
        "store \(storeIdentifier): \(error.localizedDescription)",
        cause: error
      )
    }
  }
}
