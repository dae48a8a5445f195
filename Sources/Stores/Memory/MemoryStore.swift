package import Foundation
package import OpenSwiftData
import Synchronization

/// What a memory store is opened with.
package struct MemoryStoreConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened.
  package typealias Store = MemoryStore

  /// Names the store.
  package let name: String
  /// The entities to keep.
  package var schema: Schema?
  let now: @Sendable () -> Date
  let random: @Sendable () -> UInt64

  /// Creates a configuration; clock and random numbers are the system's unless others are given.
  package init(
    name: String = "memory",
    schema: Schema? = nil,
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.name = name
    self.schema = schema
    self.now = now
    self.random = random
  }

  /// Equal in name and schema; clock and random numbers cannot be compared.
  package static func == (
    left: MemoryStoreConfiguration,
    right: MemoryStoreConfiguration
  ) -> Bool {
    left.name == right.name && left.schema == right.schema
  }

  /// Feeds the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store that keeps its records and its history in memory, as long as it lives.
///
/// The reference for the other stores: all of the contract, nothing of files. Calls may come from any
/// thread; each is answered as if it were the only one.
package final class MemoryStore: MaintainableStore, MigratableStore, HistoryKeepingStore,
  StagingStore
{
  /// What the store is opened with.
  package typealias Configuration = MemoryStoreConfiguration

  private struct State {
    var table: RecordTable
    var generator: RecordKeyGenerator
    var history = SessionHistory()
  }

  /// Names the store in the identifiers of its records.
  package let identifier: String
  /// What it was opened with.
  package let configuration: MemoryStoreConfiguration
  private let state: Mutex<State>

  /// Creates an empty store.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema`.
  package convenience init(
    _ configuration: MemoryStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    var configuration = configuration
    configuration.schema = try configuration.schema.map {
      try SchemaMigration.schema(for: $0, plan: migrationPlan)
    }
    try self.init(configuration)
  }

  /// Creates an empty store.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema`.
  package init(_ configuration: MemoryStoreConfiguration) throws {
    let schema = configuration.schema ?? Schema()
    try schema.validate()
    self.configuration = configuration
    identifier = configuration.name
    let now = configuration.now
    let generator = RecordKeyGenerator(
      milliseconds: { Self.milliseconds(of: now()) },
      random: configuration.random
    )
    state = Mutex(
      State(
        table: RecordTable(schema: schema, storeIdentifier: configuration.name),
        generator: generator
      )
    )
  }

  /// The entities it keeps.
  package var schema: Schema { state.withLock { $0.table.schema } }

  /// Milliseconds since 2020-01-01 UTC, 0 before.
  private static func milliseconds(of date: Date) -> UInt64 {
    UInt64(max(0, (date.timeIntervalSince1970 - 1_577_836_800) * 1000))
  }
}

// MARK: Reading

extension MemoryStore {
  package func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try state.withLock { try $0.table.snapshots(matching: query) }
  }

  package func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try state.withLock { try $0.table.identifiers(matching: query) }
  }

  package func count(matching query: Query) throws -> Int {
    try state.withLock { try $0.table.count(matching: query) }
  }

  package func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    state.withLock { $0.table.snapshots(for: identifiers) }
  }

  package func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    state.withLock {
      $0.table.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    }
  }

  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try state.withLock { try $0.history.transactions(after: token, touching: identifier) }
  }

  package func deleteTransactions(_ tokens: Set<Int64>) throws {
    state.withLock { $0.history.delete(tokens) }
  }
}

// MARK: Changing

extension MemoryStore {
  package func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try state.withLock { state in
      if changes.isEmpty { return CommitResult() }
      let (assigned, permanent) = state.table.assigningIdentifiers(
        to: changes,
        using: &state.generator
      )
      state.table.takeConstraints(of: configuration.schema)
      try state.table.validate(assigned, knownAs: changes)
      state.table.apply(assigned)
      let token = append(assigned, nil, author, to: &state)
      return CommitResult(inserted: changes.inserted, as: permanent, token: token)
    }
  }

  package func apply(_ change: SchemaChange, author: String?) throws {
    try state.withLock { state in
      try state.table.apply(change)
      _ = append(ChangeSet(), change, author, to: &state)
    }
  }

  package func check(_ steps: [SchemaStep]) throws {
    _ = try SchemaStep.replacement(steps, from: schema)
  }

  package func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords {
    try state.withLock { state in
      let stamp = [state.history.lastToken]
      if let known, known.stamp == stamp { return known }
      return StagedRecords(records: try state.table.staged(steps), stamp: stamp)
    }
  }

  package func commit(_ changes: ChangeSet, after steps: [SchemaStep], author: String?) throws
    -> CommitResult
  {
    try state.withLock { state in
      let change = try SchemaStep.change(steps, from: state.table.schema)
      if change == nil, changes.isEmpty { return CommitResult() }
      // Whatever could fail, fails on a copy.
      var changed = state.table
      if let change { try changed.apply(change) }
      let (assigned, permanent) = changed.assigningIdentifiers(
        to: changes,
        using: &state.generator
      )
      changed.takeConstraints(of: configuration.schema)
      try changed.validate(assigned, knownAs: changes)
      changed.apply(assigned)
      try changed.checkRequiredValues(after: change)
      let former = state.table.schema
      state.table = changed
      let token = append(assigned, change, author, from: former, to: &state)
      return CommitResult(inserted: changes.inserted, as: permanent, token: token)
    }
  }

  package var migrationToken: Int64? { state.withLock { $0.history.lastToken } }

  package func migrate(_ migration: SchemaMigration, author: String?) throws {
    try state.withLock { state in
      try checkIsCurrent(
        migration,
        schema: state.table.schema,
        token: state.history.lastToken
      )
      let change = SchemaChange.replaceSchema(migration.replacement)
      var changed = state.table
      try changed.apply(change)
      let (permanent, _) = changed.assigningIdentifiers(
        to: migration.changes,
        using: &state.generator
      )
      changed.takeConstraints(of: configuration.schema)
      try changed.validate(permanent, knownAs: migration.changes)
      changed.apply(permanent)
      let former = state.table.schema
      state.table = changed
      _ = append(permanent, change, author, from: former, to: &state)
    }
  }

  /// Finds links to records that are not there; there is no file that could be damaged.
  package func check() throws -> [String] { state.withLock { $0.table.danglingLinks() } }

  package func compact() throws -> String {
    let moved = state.withLock { $0.table.compactRows() }
    return moved.isEmpty
      ? "nothing to compact"
      : "removed deleted records of \(moved.keys.sorted().joined(separator: ", "))"
  }

  /// Adds a transaction to the history.
  private func append(
    _ changes: ChangeSet,
    _ schemaChange: SchemaChange?,
    _ author: String?,
    from former: Schema? = nil,
    to state: inout State
  ) -> Int64 {
    state.history.append(
      changes,
      schemaChange: schemaChange,
      formerSchema: former,
      author: author,
      id: Self.uuid(configuration.random(), configuration.random()),
      at: configuration.now()
    )
  }

  /// A UUID of version 4 from two random numbers (RFC 9562 §5.4).
  private static func uuid(_ high: UInt64, _ low: UInt64) -> UUID {
    UUID(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    )
  }
}
