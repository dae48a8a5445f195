package import Foundation
package import OpenSwiftData
import Synchronization

/// The configuration that a memory store is opened with.
package struct MemoryStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  package typealias Store = MemoryStore

  /// The name of the store.
  package let name: String
  /// The entities to keep.
  package var schema: Schema?
  /// The part of the history to keep.
  package let historyLimit: HistoryLimit
  let now: @Sendable () -> Date
  let random: @Sendable () -> UInt64

  /// Creates a configuration; the defaults are the system's clock and random numbers.
  package init(
    name: String = "memory",
    schema: Schema? = nil,
    historyLimit: HistoryLimit = HistoryLimit(),
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.name = name
    self.schema = schema
    self.historyLimit = historyLimit
    self.now = now
    self.random = random
  }

  /// Compares name, schema and limit; clock and random numbers cannot be compared.
  package static func == (
    left: MemoryStoreConfiguration,
    right: MemoryStoreConfiguration
  ) -> Bool {
    left.name == right.name && left.schema == right.schema
      && left.historyLimit == right.historyLimit
  }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store that keeps its records and its history in memory, for its own lifetime.
///
/// The reference for the other stores: it implements the full contract without any file.
package final class MemoryStore: TableStore {
  /// The configuration the store was opened with.
  package typealias Configuration = MemoryStoreConfiguration

  /// The records and their history.
  package struct Session: SessionHistoryKeeping {
    /// The records.
    package fileprivate(set) var table: RecordTable
    /// Generates the keys of new records.
    package var generator: RecordKeyGenerator
    /// The transactions since the store was created, within the limit.
    package var history: SessionHistory
  }

  /// Identifies the store in the identifiers of its records.
  package let identifier: String
  /// The configuration it was opened with.
  package let configuration: MemoryStoreConfiguration
  private let session: Mutex<Session>

  /// Creates an empty store.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema`.
  package convenience init(
    _ configuration: MemoryStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    try self.init(configuration.completed(by: migrationPlan))
  }

  /// Creates an empty store.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema`.
  package init(_ configuration: MemoryStoreConfiguration) throws {
    let schema = configuration.schema ?? Schema()
    try schema.validate()
    self.configuration = configuration
    identifier = configuration.name
    session = Mutex(
      Session(
        table: RecordTable(schema: schema, storeIdentifier: configuration.name),
        generator: RecordKeyGenerator(now: configuration.now, random: configuration.random),
        history: SessionHistory(configuration.historyLimit)
      )
    )
  }

  package func withSession<Result: Sendable, Failure: Error>(
    _ body: (inout Session) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try session.withLock { session throws(Failure) in try body(&session) }
  }

  package func save(_ change: TableChange, _ session: inout Session) -> Int64 {
    change.apply(to: &session.table)
    return session.history.append(
      change,
      now: configuration.now,
      random: configuration.random
    )
  }

  /// Finds links to missing records; there is no file that could be damaged.
  package func check() throws -> [String] { withSession { $0.table.danglingLinks() } }

  package func compact() throws -> String {
    let moved = withSession { $0.table.compactRows() }
    return moved.isEmpty
      ? "nothing to compact"
      : "removed deleted records of \(moved.keys.sorted().joined(separator: ", "))"
  }
}

extension MemoryStore {
  package var takesColumns: Bool { true }
}

extension MemoryStore: CopyingStore {
  package var keepsIdentifiers: Bool { true }
}

extension MemoryStore.Session {
  package var stamp: [Int64] { [history.lastToken] }

  package var savesNewRows: Bool { true }

  package mutating func takeConstraints(of schema: Schema?) { table.takeConstraints(of: schema) }
}
