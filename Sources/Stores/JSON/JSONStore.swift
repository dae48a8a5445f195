import Foundation
package import OpenSwiftData
import Synchronization

/// A store that keeps its records in one JSON file, which is read and replaced as a whole.
///
/// The file is a JSON catalog (a header with the schema, identifiers in the records) or a plain
/// file: an array of objects, an object of such arrays, or one object per line. In every form, a
/// save changes only the bytes of what was edited; see `docs/formats.md`. The text is not kept in
/// memory, only the place of each record in it. The history reaches back to the opening of the
/// store, or as far as its limit allows.
///
/// Changes that other programs write to the file are applied by `refresh()`, by a save, and
/// automatically by a store that watches its file; a save that contradicts them is a conflict.
package final class JSONStore: TableStore {
  /// The configuration of the store.
  package typealias Configuration = JSONStoreConfiguration

  /// The records, their places in the file, and their history.
  package struct Session: SessionHistoryKeeping {
    var content: JSONContent
    /// The version of the file that was last read or written; nil if it does not exist.
    var version: FileVersion?
    /// Generates the keys of new records.
    package var generator: RecordKeyGenerator
    /// The transactions since the store was opened, including those of other programs, within the
    /// limit.
    package var history: SessionHistory
    /// The transactions of earlier runs; nil if they are not kept.
    var past: JSONPastHistory?
    /// The texts that saves have replaced since another program changed the file.
    var memory = TextMemory()
    /// By entity and field, the types that unsaved values need beside those of the file.
    var typesBeside: FieldTypes = [:]
    /// The version of the file that was last read to drop widened types; nil for none.
    var typesDigest: ContentDigest?
    /// What became of records when other programs changed a file without identifiers.
    var matching = JSONMatching()
    /// How often the file was reloaded.
    var readCount: Int64 = 0
    /// Whether this store has saved, and so may have created the lock file.
    var hasSaved = false
    /// Whether crashed writers may have left temporary files.
    var checksForLeftovers = true
    /// The lock of the file, during a save that is based on other programs' changes.
    var lock: FileLock?
    /// Notes for the user since the last save, one line each.
    var savingNotes: [String] = []
    var hasNotedWeakDirectory = false
    /// Why the store can no longer be used.
    var failure: PersistenceError?
  }

  /// Identifies the store in the identifiers of its records.
  package let identifier: String
  /// The configuration that it was opened with.
  package let configuration: JSONStoreConfiguration
  package let openingNotes: [String]
  package let readOnlyReason: String?
  /// Reports applied changes of other programs.
  package let changeFeed = StoreChangeFeed()
  private let session: Mutex<Session>
  private let watch = Mutex<FileWatch?>(nil)

  /// Opens the file, or an empty store if it does not exist, and migrates a catalog to its
  /// configured schema.
  ///
  /// - Throws: As `init(_:)`, and why a migration is not possible; nothing is changed then.
  package convenience init(
    _ configuration: JSONStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    try self.init(configuration.completed(by: migrationPlan))
    if let wanted = self.configuration.schema { try migrate(to: wanted, plan: migrationPlan) }
  }

  /// Opens the file, or an empty store if the file does not exist; nothing is written.
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
    readOnlyReason = opened.readOnlyReason
    session = Mutex(
      Session(
        content: opened.content,
        version: opened.version,
        generator: generator,
        history: SessionHistory(configuration.historyLimit),
        past: JSONPastHistory(configuration, opened.version)
      )
    )
    session.withLock { $0.adoptFormerFields() }
  }

  deinit { close() }

  /// Removes the lock file, unless another program holds it.
  package func close() {
    watch.withLock { $0 = nil }
    let hasSaved = withSession { session in
      defer { session.hasSaved = false }
      return session.hasSaved
    }
    if hasSaved { replacement().removeLockFile() }
  }

  /// Applies changes of other programs as soon as the system reports them.
  package func startWatching() {
    let fileSystem = configuration.fileSystem
    guard configuration.text == nil else { return }
    guard let path = try? fileSystem.resolveForCreation(configuration.path) else { return }
    let started = fileSystem.watch(path) { [weak self] in self?.refreshOrSendFailure() }
    watch.withLock { $0 = started }
  }

  /// Runs the body on the records.
  ///
  /// Other programs' changes are applied by `refresh()` and by saving, not here. After a save of
  /// unknown outcome the records are as they were before it, so that they can be saved elsewhere.
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
    try past?.file.remove { tokens.contains($0.token) }
    history.delete(tokens)
  }

  /// Throws if an earlier save had an unknown outcome.
  func checkUsable() throws {
    if let failure { throw failure }
  }
}
