package import OpenSwiftData
import Synchronization

/// The append-only store: every save is appended to one file, which is also the history.
///
/// A save is one write and one `fdatasync`; it is either complete or absent. Several stores, in
/// this process or in other processes, can have the same file open: they exclude each other while
/// saving and see each other's saves. `docs/format-log.md` describes the file.
package final class LogStore: TableStore, ChangeFeedingStore {
  package typealias Configuration = LogStoreConfiguration

  package let configuration: LogStoreConfiguration
  /// The UUID in the header of the file, unchanged by compaction.
  package let identifier: String
  /// The file, without links.
  package let path: String
  private let session: Mutex<LogSession>
  private let watch = Mutex<FileWatch?>(nil)
  /// Reports other programs' saves after a call has read them.
  package let changeFeed = StoreChangeFeed()

  /// Opens the log and migrates it to the configured schema; the first save creates a missing file.
  ///
  /// - Throws: `PersistenceError`, what a stage of the plan throws; the file is unchanged then.
  package init(
    _ configuration: LogStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    let configuration = try configuration.completed(by: migrationPlan)
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

  /// Reads other programs' saves as soon as the system reports them.
  package func startWatching() {
    let started = configuration.fileSystem.watch(path) { [weak self] in self?.refreshOrSendFailure()
    }
    watch.withLock { $0 = started }
  }

  deinit { close() }

  /// Closes the log, and removes the lock file if no other program holds it.
  package func close() {
    watch.withLock { $0 = nil }
    session.withLock { $0.close() }
  }

  /// Whether the store is read-only, by request or because the file cannot be written.
  package var isReadOnly: Bool { session.withLock { $0.isReadOnly } }

  /// What followed the last complete transaction when the file was opened.
  package var openingReport: LogOpeningReport {
    session.withLock { LogOpeningReport(tail: $0.tail, keptTailPath: $0.keptTailPath) }
  }

  package var mayHaveLostSave: Bool { openingReport.mayHaveLostSave }

  /// Notes for the user from the opening of the file.
  package var openingNotes: [String] {
    let found = openingReport.message.map { ["\(configuration.name): \($0)"] } ?? []
    return found + session.withLock { $0.openingNotes }
  }

  package var readOnlyReason: String? { session.withLock { $0.readOnlyReason } }

  package func withSession<Result: Sendable, Failure: Error>(
    _ body: (inout LogSession) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try session.withLock { session throws(Failure) in try body(&session) }
  }

  /// Runs `body` on the session, converts its errors, and reports the other programs' saves it has
  /// read.
  ///
  /// - Parameters:
  ///   - ownToken: Returns the token of a transaction that `body` has added, from its result.
  ///   - body: The work to do.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, as callers of the store get it.
  private func following<Result: Sendable>(
    ownToken: (Result) -> Int64? = { _ in nil },
    _ body: (inout LogSession) throws -> Result
  ) throws -> Result {
    // Noted under the lock: a call that returns after this one finds the contexts told of what it reads.
    let (result, notify) = session.withLock { session in
      let known = session.content.lastToken
      let result = Swift.Result { try body(&session) }
      // Needed even if the body failed, for example because of a conflict with these saves.
      let own = (try? result.get()).flatMap(ownToken)
      let news = session.failure == nil ? session.news(after: known, before: own) : []
      return (result, news.map(changeFeed.note))
    }
    // Without the lock, because receivers may read the store.
    for call in notify { call() }
    do {
      return try result.get()
    } catch {
      throw LogSession.reported(error, path: path)
    }
  }

  /// Runs a body that reads, after reading the saves of other processes.
  ///
  /// The records in memory are read if another program cut off or replaced the file; a look at it and a save report that.
  package func reading<Result: Sendable>(_ body: (inout LogSession) throws -> Result) throws
    -> Result
  {
    try following { session in
      try session.refreshUnlessLost()
      return try body(&session)
    }
  }

  /// Runs a body that saves, with the lock of the file held.
  package func writing(_ body: (inout LogSession) throws -> CommitResult) throws -> CommitResult {
    try following(ownToken: \.token) { try $0.writing(body) }
  }
}

extension LogStore {
  /// Reads and reports other programs' saves, as every call that reads does.
  package func refresh() throws { try refresh(reliedOnUntil: nil) }

  package func refresh(reliedOnUntil moment: ContinuousClock.Instant) throws {
    try refresh(reliedOnUntil: .some(moment))
  }

  package func forgetLook() { withSession { $0.lookEnd = nil } }

  private func refresh(reliedOnUntil moment: ContinuousClock.Instant?) throws {
    try following { session in
      session.lookEnd = nil
      try session.refresh()
      session.lookEnd = moment
    }
  }

  package func save(_ change: TableChange, _ session: inout LogSession) throws -> Int64 {
    try session.save(change)
  }

  package func saveSchema(_ session: inout LogSession) throws { try session.saveSchema() }

  package func checkWritable(_ session: LogSession) throws {
    do {
      try session.checkWritable()
    } catch {
      throw LogSession.reported(error, path: path)
    }
  }

  package var isUnwritten: Bool {
    withSession { session in
      session.file == nil && !session.isReadOnly && !session.table.schema.entities.isEmpty
    }
  }

  /// True: the log is the history.
  package var keepsHistoryWhenClosed: Bool { true }

  /// Rewrites the file without these transactions.
  package func deleteTransactions(_ tokens: Set<Int64>) throws {
    try following { try $0.forget(tokens) }
  }

  package func check() throws -> [String] { try following { try $0.check() } }

  /// Rewrites the file without the history that the configuration does not keep.
  package func compact() throws -> String {
    guard configuration.history != .all else {
      return "nothing to compact: \(path) keeps its full history"
    }
    return try compact(keeping: configuration.history)
  }

  /// Rewrites the file with the given amount of history.
  package func compact(keeping retention: HistoryRetention) throws -> String {
    try following { try $0.compact(keeping: retention) }.description
  }

  /// Compacts the file if more than half of it is history that the configuration does not keep.
  ///
  /// Does nothing while another program is writing.
  package func compactIfWorthwhile() -> [String] {
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

extension LogStore {
  package var takesColumns: Bool { true }
}

extension LogStore: CopyingStore {
  package var keepsIdentifiers: Bool { true }

  package func copyRecords(of source: any QueryableStore, author: String?) throws
    -> CopiedRecords?
  {
    guard let records = try records(of: source) else { return nil }
    var copied: CopiedRecords?
    _ = try writing { session in
      guard
        let saved = try session.saveCopy(
          of: records,
          keepsKeys: source.isIdentifierKeeping,
          author: author
        )
      else {
        return CommitResult()
      }
      copied = saved.copied
      return CommitResult(token: saved.token)
    }
    return copied
  }
}

/// What followed the last complete transaction when a log was opened.
package struct LogOpeningReport: Hashable, Sendable {
  package var tail: LogTail
  /// The file to which a save moved the bytes; `nil` until something is cut off.
  package var keptTailPath: String?

  /// Whether the bytes cut off may include an acknowledged save.
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

extension LogStore {
  /// True for the first bytes of a log, at least eight.
  package static func isLog(_ start: some Collection<UInt8>) -> Bool {
    start.starts(with: LogFormat.magic)
  }
}
