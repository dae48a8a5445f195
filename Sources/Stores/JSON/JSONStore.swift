import Foundation
package import OpenSwiftData
import Synchronization

/// A store that keeps its records in one JSON file, read as a whole and replaced as a whole.
///
/// The file is our own form (a header with the schema, identifiers in the records) or one of those
/// that people have: an array of objects, an object of such arrays, an object a line. Whatever it is, a
/// save changes only the bytes of what was edited; see `docs/formats.md`. The text is not kept in
/// memory, only where each record lies in it. The history reaches back to the opening of the store.
///
/// What other programs write to the file is taken in by `refresh()`, by a save, and by a store that
/// watches its file; a save that contradicts it is a conflict.
package final class JSONStore: TableStore {
  /// What the store is opened with.
  package typealias Configuration = JSONStoreConfiguration

  /// The records, where they lie in the file, and their history.
  package struct Session: SessionHistoryKeeping {
    var content: JSONContent
    /// The file as it was read or written last; nil as long as there is none.
    var version: FileVersion?
    /// Makes the keys of new records.
    package var generator: RecordKeyGenerator
    /// The transactions since the store was opened, those of other programs among them.
    package var history = SessionHistory()
    /// How often the file was read again.
    var readCount: Int64 = 0
    /// Whether this store has saved, and so may have made the lock file.
    var hasSaved = false
    /// Whether writers that died may have left temporary files.
    var mayFindLitter = true
    /// The lock of the file, while a save is made on top of what others wrote.
    var lock: FileLock?
    /// What the user should know since the last save, one line each.
    var savingNotes: [String] = []
    var hasNotedWeakDirectory = false
    /// Why the store cannot be used any more.
    var failure: PersistenceError?
  }

  /// Names the store in the identifiers of its records.
  package let identifier: String
  /// What it was opened with.
  package let configuration: JSONStoreConfiguration
  package let openingNotes: [String]
  /// Tells what other programs wrote to the file, when it was taken in.
  package let changeFeed = StoreChangeFeed()
  private let session: Mutex<Session>
  private let watch = Mutex<FileWatch?>(nil)

  /// Opens the file, or a store without records if there is no file, and brings a catalog to the
  /// schema of the configuration.
  ///
  /// - Throws: As `init(_:)`, and what keeps a migration from being made; nothing is changed then.
  package convenience init(
    _ configuration: JSONStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    try self.init(configuration.completed(by: migrationPlan))
    if let wanted = self.configuration.schema { try migrate(to: wanted, plan: migrationPlan) }
  }

  /// Opens the file, or a store without records if there is no file; nothing is written.
  ///
  /// - Throws: `PersistenceError`: `.damaged` with line and column, `.notAStore`, `.inaccessible`,
  ///   `.invalidSchema`.
  /// - Complexity: O(n) in the size of the file.
  package init(_ configuration: JSONStoreConfiguration) throws {
    self.configuration = configuration
    let generator = RecordKeyGenerator(now: configuration.now, random: configuration.random)
    let opened = try JSONOpening(configuration, generator: generator).open()
    opened.content.checkInvariantsWhenSmall()
    identifier = opened.content.table.storeIdentifier
    openingNotes = opened.notes
    session = Mutex(
      Session(content: opened.content, version: opened.version, generator: generator)
    )
  }

  deinit {
    if withSession(\.hasSaved) { replacement().removeLockFile() }
  }

  /// Takes in what other programs write as soon as the system tells of it.
  package func startWatching() {
    let fileSystem = configuration.fileSystem
    guard let path = try? fileSystem.resolveForCreation(configuration.path) else { return }
    let started = fileSystem.watch(path) { [weak self] in self?.refreshOrTell() }
    watch.withLock { $0 = started }
  }

  /// Runs the body on the records.
  ///
  /// Others' changes are taken in by `refresh()` and by saving, not here. After a save of unknown outcome
  /// the records are as they were before it, so that they can be saved elsewhere.
  package func withSession<Result: Sendable, Failure: Error>(
    _ body: (inout Session) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try session.withLock { session throws(Failure) in try body(&session) }
  }
}

extension JSONStore.Session {
  /// The records.
  package var table: RecordTable { content.table }

  package var stamp: [Int64] { [readCount, history.lastToken] }

  package mutating func takeConstraints(of schema: Schema?) {
    content.table.takeConstraints(of: schema)
  }

  package mutating func forget(_ tokens: Set<Int64>) throws {
    try checkUsable()
    history.delete(tokens)
  }

  /// Throws if an earlier save has left the file in doubt.
  func checkUsable() throws {
    if let failure { throw failure }
  }
}
