package import OpenSwiftData

/// A store that holds its records in a `RecordTable` while it is open.
///
/// It implements what all such stores have in common: queries are answered from the table, and
/// every change passes the same checks before it is saved. A store supplies the rest:
///
/// - Its initializer reads the bytes into a table.
/// - `save(_:_:)` makes a checked change durable, then visible.
/// - `reading(_:)` and `writing(_:)` apply what other programs saved. A store that other programs
///   cannot reach needs neither.
/// - `checkWritable(_:)`, `checkNames(_:_:)` and `checkValues(_:_:)` reject what its file format
///   cannot represent.
///
/// Calls may come from any thread; `withSession(_:)` serializes them.
package protocol TableStore: MaintainableStore, MigratableStore, HistoryKeepingStore, StagingStore,
  TrustedStore
{
  /// The records and all other state of the open store.
  associatedtype Session: TableSession

  /// Runs the body while no other call is running.
  func withSession<Result: Sendable, Failure: Error>(
    _ body: (inout Session) throws(Failure) -> Result
  ) throws(Failure) -> Result

  /// Runs a body that reads, after applying other programs' saves. By default there are none.
  func reading<Result: Sendable>(_ body: (inout Session) throws -> Result) throws -> Result

  /// Runs a body that saves, after applying other programs' saves, and blocks further ones until it
  /// ends.
  ///
  /// By default there are no other programs. The body may run more than once: if it fails, the
  /// session is as it was before.
  ///
  /// - Throws: What the body throws; what `checkWritable(_:)` throws, before the body runs.
  func writing(_ body: (inout Session) throws -> CommitResult) throws -> CommitResult

  /// Makes the change durable, then visible, and adds it to the history.
  ///
  /// - Returns: The token of the transaction.
  /// - Throws: Why it was not saved; the session is then unchanged, except after `.outcomeUnknown`.
  func save(_ change: TableChange, _ session: inout Session) throws -> Int64

  /// Saves the schema of a store that has no file yet. By default there is nothing to save.
  func saveSchema(_ session: inout Session) throws

  /// Throws if nothing can be saved. By default everything can.
  func checkWritable(_ session: Session) throws

  /// Throws if the file cannot represent names of the new schema. By default it can represent all.
  func checkNames(_ change: SchemaChange, _ session: Session) throws

  /// Throws if the file cannot represent values that are valid in a table. By default it can.
  func checkValues(_ changes: ChangeSet, _ session: Session) throws

  /// Gives new records permanent identifiers. By default `RecordTable` chooses them.
  func assignIdentifiers(
    to changes: ChangeSet,
    in table: RecordTable,
    _ session: inout Session
  ) -> (ChangeSet, [PersistentIdentifier])
}

/// The state of an open `TableStore`: its records and its history.
package protocol TableSession: Sendable {
  /// The records.
  var table: RecordTable { get }
  /// Generates the keys of new records.
  var generator: RecordKeyGenerator { get set }
  /// The number of the last transaction.
  var lastToken: Int64 { get }
  /// Stays equal until the records or the schema change.
  var stamp: [Int64] { get }
  /// True if many new records can be saved as rows, without a change set.
  var savesNewRows: Bool { get }
  /// True if the session saves new rows without a change set together with this change of the schema.
  func savesNewRows(after change: SchemaChange) -> Bool

  /// Sets the constraints of the program, against which changes are checked.
  mutating func takeConstraints(of schema: Schema?)
  /// The transactions with a greater token, oldest first.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  /// Reads the transactions of earlier runs, if they are kept and were not read yet. By default there are none.
  mutating func loadHistory()
  /// Discards transactions of the history.
  mutating func forget(_ tokens: Set<Int64>) throws
}

extension TableSession {
  package var savesNewRows: Bool { false }
  package func savesNewRows(after change: SchemaChange) -> Bool { false }
  package mutating func loadHistory() {}
}

extension TableStore {
  package func reading<Result: Sendable>(_ body: (inout Session) throws -> Result) throws -> Result
  {
    try withSession(body)
  }

  package func writing(_ body: (inout Session) throws -> CommitResult) throws -> CommitResult {
    try withSession { session in
      try checkWritable(session)
      return try body(&session)
    }
  }

  package func saveSchema(_ session: inout Session) throws {}
  package func checkWritable(_ session: Session) throws {}
  package func checkNames(_ change: SchemaChange, _ session: Session) throws {}
  package func checkValues(_ changes: ChangeSet, _ session: Session) throws {}

  package func assignIdentifiers(
    to changes: ChangeSet,
    in table: RecordTable,
    _ session: inout Session
  ) -> (ChangeSet, [PersistentIdentifier]) {
    table.assigningIdentifiers(to: changes, using: &session.generator)
  }
}

// MARK: Reading

extension TableStore {
  /// The records of another store, to be copied; nil if they cannot be in a table, or the store is this one.
  func records(of source: any QueryableStore) throws -> RecordTable? {
    guard source.identifier != identifier else { return nil }
    if let pages = source as? any StagingStore, !(source is any TableStore) {
      return try RecordTable(copying: pages)
    }
    guard let source = source as? any TableStore else { return nil }
    func table(of store: some TableStore) throws -> RecordTable { try store.reading { $0.table } }
    return try table(of: source)
  }

  package var schema: Schema { withSession { $0.table.schema } }

  package var migrationToken: Int64? { withSession { $0.lastToken } }

  package func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.table.snapshots(matching: query) }
  }

  package func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    let layout = query.requestedLayout
    try forEachPage(matching: query) { try $0.forEachSnapshot(on: layout, body) }
  }

  /// Reads from a copy, which is free while the records do not change and leaves the store available.
  package func forEachPage(
    matching query: Query,
    _ body: (any RecordPage) throws -> Void
  ) throws {
    try reading { $0.table }.forEachPage(matching: query, body)
  }

  /// All values, which are at hand.
  package func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    try reading { $0.table.page(for: identifiers) }
  }

  package func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.table.identifiers(matching: query) }
  }

  package func count(matching query: Query) throws -> Int {
    try reading { try $0.table.count(matching: query) }
  }

  package func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try reading { try $0.table.snapshots(for: identifiers, attributes: attributes) }
  }

  package func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try reading { $0.table.snapshot(of: identifier) }
  }

  package func fewSnapshots(of entityName: String, where attribute: String, equals value: Value)
    throws -> [DefaultSnapshot]?
  {
    try reading { try $0.table.fewSnapshots(of: entityName, where: attribute, equals: value) }
  }

  package func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try reading { $0.table.identifiers(withPrefix: prefix, entityName: entityName, limit: limit) }
  }

  /// False: the history of most such stores is in memory.
  package var keepsHistoryWhenClosed: Bool { false }

  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try reading { session in
      session.loadHistory()
      return try session.transactions(after: token, touching: identifier)
    }
  }

  package func deleteTransactions(_ tokens: Set<Int64>) throws {
    try withSession { try $0.forget(tokens) }
  }

  package func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords {
    try reading { session in
      let stamp = session.stamp
      if let known, known.stamp == stamp { return known }
      return StagedRecords(records: try session.table.staged(steps), stamp: stamp)
    }
  }
}
