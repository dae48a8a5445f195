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
///
/// Calls may come from any thread; each is answered as if it were the only one.
package final class JSONStore: MaintainableStore, MigratableStore, HistoryKeepingStore, Sendable {
  /// What the store is opened with.
  package typealias Configuration = JSONStoreConfiguration

  struct State {
    var content: JSONContent
    /// The file as it was read or written last; nil as long as there is none.
    var version: FileVersion?
    var generator: RecordKeyGenerator
    var history = SessionHistory()
    /// How often the file was read again.
    var readCount: Int64 = 0
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
  let state: Mutex<State>
  private let watch = Mutex<FileWatch?>(nil)

  /// Opens the file, or a store without records if there is no file, and brings a catalog to the
  /// schema of the configuration.
  ///
  /// - Throws: As `init(_:)`, and what keeps a migration from being made; nothing is changed then.
  package convenience init(
    _ configuration: JSONStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    var configuration = configuration
    configuration.schema = try configuration.schema.map {
      try SchemaMigration.schema(for: $0, plan: migrationPlan)
    }
    try self.init(configuration)
    if let wanted = configuration.schema { try migrate(to: wanted, plan: migrationPlan) }
  }

  /// Opens the file, or a store without records if there is no file; nothing is written.
  ///
  /// - Throws: `PersistenceError`: `.damaged` with line and column, `.notAStore`, `.inaccessible`,
  ///   `.invalidSchema`.
  /// - Complexity: O(n) in the size of the file.
  package init(_ configuration: JSONStoreConfiguration) throws {
    self.configuration = configuration
    let now = configuration.now
    let generator = RecordKeyGenerator(
      // Milliseconds since 2020-01-01 UTC, 0 before.
      milliseconds: { UInt64(max(0, (now().timeIntervalSince1970 - 1_577_836_800) * 1000)) },
      random: configuration.random
    )
    let opened = try JSONOpening(configuration, generator: generator).open()
    identifier = opened.content.table.storeIdentifier
    openingNotes = opened.notes
    state = Mutex(
      State(content: opened.content, version: opened.version, generator: generator)
    )
  }

  /// Takes in what other programs write as soon as the system tells of it.
  package func startWatching() {
    let fileSystem = configuration.fileSystem
    guard let path = try? fileSystem.resolveForCreation(configuration.path) else { return }
    let started = fileSystem.watch(path) { [weak self] in self?.refreshOrTell() }
    watch.withLock { $0 = started }
  }

  /// The entities it keeps.
  package var schema: Schema { state.withLock { $0.content.table.schema } }

  /// Runs the body on the records; after a save of unknown outcome they are as they were before it, so that
  /// they can be saved elsewhere.
  private func reading<Result: Sendable>(_ body: (borrowing State) throws -> Result) throws
    -> Result
  {
    try state.withLock { try body($0) }
  }

  /// Runs the body on the state, unless an earlier save has left the file in doubt.
  func use<Result: Sendable>(_ body: (inout State) throws -> Result) throws -> Result {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      return try body(&state)
    }
  }
}

// MARK: Reading

extension JSONStore {
  package func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.content.table.snapshots(matching: query) }
  }

  package func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.content.table.identifiers(matching: query) }
  }

  package func count(matching query: Query) throws -> Int {
    try reading { try $0.content.table.count(matching: query) }
  }

  package func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
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

  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try reading { try $0.history.transactions(after: token, touching: identifier) }
  }

  package func deleteTransactions(_ tokens: Set<Int64>) throws {
    try use { $0.history.delete(tokens) }
  }
}
