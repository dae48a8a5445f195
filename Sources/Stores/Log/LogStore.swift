package import OpenSwiftData
import Synchronization

/// The append-only store: every save is appended to one file, which is the history as well.
///
/// A save is one write and one `fdatasync`; it is whole or absent. Several stores, in this process or
/// in others, may have one file open: they exclude each other while saving and see each other's
/// saves. `docs/format-log.md` describes the file.
///
/// Safe to call from any thread; calls are answered one by one.
package final class LogStore: MaintainableStore, MigratableStore, HistoryKeepingStore,
  ChangeFeedingStore, StagingStore,
  Sendable
{
  package typealias Configuration = LogStoreConfiguration
  package typealias Snapshot = DefaultSnapshot

  package let configuration: LogStoreConfiguration
  /// The UUID in the header of the file, which stays through compaction.
  package let identifier: String
  /// The file, without links.
  package let path: String
  private let session: Mutex<LogSession>
  private let watch = Mutex<FileWatch?>(nil)
  /// Tells what others saved to the file, when a call has taken it in.
  package let changeFeed = StoreChangeFeed()

  /// Opens the log and brings it to the schema of the configuration; a file that is not there is
  /// created by the first save.
  ///
  /// - Throws: `PersistenceError`, what a stage of the plan throws; the file is untouched then.
  package init(
    _ configuration: LogStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    var configuration = configuration
    configuration.schema = try configuration.schema.map {
      try SchemaMigration.schema(for: $0, plan: migrationPlan)
    }
    self.configuration = configuration
    do {
      let session = try LogSession(configuration)
      identifier = session.content.storeIdentifier
      path = session.path
      self.session = Mutex(session)
    } catch {
      throw LogSession.reported(error, path: configuration.path)
    }
    if let wanted = configuration.schema { try migrate(to: wanted, plan: migrationPlan) }
  }

  /// Takes in what others save as soon as the system tells of it.
  package func startWatching() {
    let started = configuration.fileSystem.watch(path) { [weak self] in self?.refreshOrTell() }
    watch.withLock { $0 = started }
  }

  deinit { session.withLock { $0.closeFile() } }

  package var schema: Schema { session.withLock { $0.content.schema.schema } }

  /// Whether saving is impossible, by wish or because the file may not be written.
  package var isReadOnly: Bool { session.withLock { $0.isReadOnly } }

  /// What was found behind the last whole transaction when the file was opened.
  package var openingReport: LogOpeningReport {
    session.withLock { LogOpeningReport(tail: $0.tail, keptTailPath: $0.keptTailPath) }
  }

  package var mayHaveLostSave: Bool { openingReport.mayHaveLostSave }

  /// What was found when the file was opened, for the user.
  package var openingNotes: [String] {
    let found = openingReport.message.map { ["\(configuration.name): \($0)"] } ?? []
    return found + session.withLock { $0.openingNotes }
  }

  /// Runs `body` on the session, turns what it throws into errors that callers know, and tells what it
  /// took in of others.
  ///
  /// - Parameters:
  ///   - ownToken: Finds in the result the number of a transaction that `body` has added.
  ///   - body: What to do.
  /// - Returns: What it returns.
  /// - Throws: What it throws, as callers know it.
  private func following<Result: Sendable>(
    ownToken: (Result) -> Int64? = { _ in nil },
    _ body: (inout LogSession) throws -> Result
  ) throws -> Result {
    let (result, news) = session.withLock { session in
      let known = session.content.lastToken
      let result = Swift.Result { try body(&session) }
      // Also when the body failed, such as by a conflict with just these.
      let own = (try? result.get()).flatMap(ownToken)
      return (result, session.failure == nil ? session.news(after: known, before: own) : [])
    }
    // Without the lock: whoever hears may read.
    for change in news { changeFeed.send(change) }
    do {
      return try result.get()
    } catch {
      throw LogSession.reported(error, path: path)
    }
  }

  /// The same for what is read: other processes' saves are taken in first.
  private func reading<Result: Sendable>(_ body: (inout LogSession) throws -> Result) throws
    -> Result
  {
    try following { session in
      try session.refresh()
      return try body(&session)
    }
  }
}

extension LogStore {
  /// Takes in what others saved to the file, and tells it, as every call that reads does.
  package func refresh() throws { try reading { _ in } }

  package func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.content.table.snapshots(matching: query) }
  }

  package func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.content.table.identifiers(matching: query) }
  }

  package func count(matching query: Query) throws -> Int {
    try reading { try $0.content.table.count(matching: query) }
  }

  package func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try reading { $0.content.table.snapshots(for: identifiers) }
  }

  package func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try reading {
      $0.content.table.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    }
  }

  package func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try following(ownToken: \.token) { try $0.commit(changes, author: author) }
  }

  package var isUnwritten: Bool {
    session.withLock { session in
      session.file == nil && !session.isReadOnly && !session.content.schema.schema.entities.isEmpty
    }
  }

  package func check(_ steps: [SchemaStep]) throws {
    do {
      try session.withLock { session in
        try session.checkUsable()
        try session.checkWritable()
        _ = try SchemaStep.replacement(steps, from: session.content.schema.schema)
      }
    } catch {
      throw LogSession.reported(error, path: path)
    }
  }

  package func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords {
    try reading { session in
      let stamp = [Int64(bitPattern: session.content.header.salt), session.content.lastToken]
      if let known, known.stamp == stamp { return known }
      return StagedRecords(records: try session.content.table.staged(steps), stamp: stamp)
    }
  }

  package func commit(_ changes: ChangeSet, after steps: [SchemaStep], author: String?) throws
    -> CommitResult
  {
    try following(ownToken: \.token) { try $0.commit(changes, after: steps, author: author) }
  }

  package func apply(_ change: SchemaChange, author: String?) throws {
    _ = try following(ownToken: { $0 }) { session in
      try session.apply(change, author: author)
      return session.content.lastToken
    }
  }

  package var migrationToken: Int64? { session.withLock { $0.content.lastToken } }

  package func migrate(_ migration: SchemaMigration, author: String?) throws {
    _ = try following(ownToken: { $0 }) { session in
      try session.migrate(migration, author: author) { schema, token in
        try checkIsCurrent(migration, schema: schema, token: token)
      }
      return session.content.lastToken
    }
  }

  /// The transactions of the file; updates in them carry the values that changed, and no others.
  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try reading { try $0.transactions(after: token, touching: identifier) }
  }

  /// Rewrites the file without these transactions.
  package func deleteTransactions(_ tokens: Set<Int64>) throws {
    try following { try $0.forget(tokens) }
  }

  package func check() throws -> [String] { try following { try $0.check() } }

  /// Rewrites the file without the history that the configuration does not ask to keep.
  package func compact() throws -> String {
    guard configuration.history != .all else {
      return "nothing to compact: \(path) keeps its full history"
    }
    return try compact(keeping: configuration.history)
  }

  /// Rewrites the file with so much of its history.
  package func compact(keeping retention: HistoryRetention) throws -> String {
    try following { try $0.compact(keeping: retention) }.description
  }

  /// Compacts the file when more than half of it is history that the configuration does not ask to keep,
  /// and nobody else is writing.
  package func tidy() -> [String] {
    var lines = session.withLock { session in
      defer { session.savingNotes = [] }
      return session.savingNotes
    }
    do {
      if let gained = try following({ try $0.compactIfWorthwhile() }) {
        lines.append(gained.summary)
      }
    } catch {
      lines.append("\(configuration.name): saved, but not compacted: \(error)")
    }
    return lines
  }
}

/// What opening a log found behind its last whole transaction.
package struct LogOpeningReport: Hashable, Sendable {
  package var tail: LogTail
  /// The file that the bytes were moved to by a save; `nil` as long as nothing was cut off.
  package var keptTailPath: String?

  /// Whether an acknowledged save may be among what was cut off.
  package var mayHaveLostSave: Bool {
    if case .damaged = tail { true } else { false }
  }

  /// One line for the user; `nil` if there is nothing to report.
  package var message: String? {
    let kept = keptTailPath.map { ", kept in \($0)" } ?? ""
    switch tail {
    case .none: return nil
    case .torn(let offset, let size):
      return "interrupted save ignored: \(size) bytes at offset \(offset)" + kept
    case .damaged(let offset, let size):
      return
        "damaged end ignored: \(size) bytes at offset \(offset)\(kept); the last save may be lost"
    }
  }
}
