package import OpenSwiftData
import Synchronization

/// The append-only store: every save is appended to one file, which is the history as well.
///
/// A save is one write and one `fdatasync`; it is whole or absent. Several stores, in this process or
/// in others, may have one file open: they exclude each other while saving and see each other's
/// saves. `docs/format-log.md` describes the file.
package final class LogStore: TableStore, ChangeFeedingStore {
  package typealias Configuration = LogStoreConfiguration

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

  /// Takes in what others save as soon as the system tells of it.
  package func startWatching() {
    let started = configuration.fileSystem.watch(path) { [weak self] in self?.refreshOrTell() }
    watch.withLock { $0 = started }
  }

  deinit { session.withLock { $0.close() } }

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

  package func withSession<Result: Sendable, Failure: Error>(
    _ body: (inout LogSession) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try session.withLock { session throws(Failure) in try body(&session) }
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
  package func reading<Result: Sendable>(_ body: (inout LogSession) throws -> Result) throws
    -> Result
  {
    try following { session in
      try session.refresh()
      return try body(&session)
    }
  }

  /// The same for what is saved, with the lock of the file held.
  package func writing(_ body: (inout LogSession) throws -> CommitResult) throws -> CommitResult {
    try following(ownToken: \.token) { try $0.writing(body) }
  }
}

extension LogStore {
  /// Takes in what others saved to the file, and tells it, as every call that reads does.
  package func refresh() throws { try reading { _ in } }

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
