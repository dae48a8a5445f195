package import OpenSwiftData

/// A store whose records are in a `RecordTable` as long as it is open.
///
/// Everything that such stores do alike is done here: they answer queries from the table, and every
/// change passes the same checks before it is saved. A store supplies what is its own:
///
/// - Its initializer reads the bytes into a table.
/// - `save(_:_:)` makes a checked change durable, then visible.
/// - `reading(_:)` and `writing(_:)` take in what others saved. A store that nobody else can reach needs
///   neither.
/// - `checkWritable(_:)`, `checkNames(_:_:)` and `checkValues(_:_:)` refuse what its form of file cannot keep.
///
/// Calls may come from any thread; `withSession(_:)` lets them in one by one.
package protocol TableStore: MaintainableStore, MigratableStore, HistoryKeepingStore, StagingStore,
  Sendable
{
  /// The records and whatever else is open.
  associatedtype Session: TableSession

  /// Runs the body while no other call is at work.
  func withSession<Result: Sendable, Failure: Error>(
    _ body: (inout Session) throws(Failure) -> Result
  ) throws(Failure) -> Result

  /// Runs a body that reads, on top of what others saved by now. By default nobody else can save.
  func reading<Result: Sendable>(_ body: (inout Session) throws -> Result) throws -> Result

  /// Runs a body that saves, on top of what others saved by now, and keeps them from saving meanwhile.
  /// By default nobody else can.
  ///
  /// The body may run more than once: after it has failed, the session is as it was before.
  ///
  /// - Throws: What the body throws; what `checkWritable(_:)` throws, before the body runs.
  func writing(_ body: (inout Session) throws -> CommitResult) throws -> CommitResult

  /// Makes the change durable, then visible, and adds it to the history.
  ///
  /// - Returns: The token of the transaction.
  /// - Throws: Why it was not saved; the session is then as before, except after `.outcomeUnknown`.
  func save(_ change: TableChange, _ session: inout Session) throws -> Int64

  /// Saves the schema of a store that has no file yet. By default there is nothing to save.
  func saveSchema(_ session: inout Session) throws

  /// Throws if nothing can be saved. By default everything can.
  func checkWritable(_ session: Session) throws

  /// Throws if the names that a change of the schema brings cannot be kept. By default all can.
  func checkNames(_ change: SchemaChange, _ session: Session) throws

  /// Throws if values cannot be kept that every table can hold. By default all can.
  func checkValues(_ changes: ChangeSet, _ session: Session) throws

  /// Gives new records permanent identifiers. By default `RecordTable` chooses them.
  func assignIdentifiers(
    to changes: ChangeSet,
    in table: RecordTable,
    _ session: inout Session
  ) -> (ChangeSet, [PersistentIdentifier])
}

/// What is open of a `TableStore`: its records and its history.
package protocol TableSession: Sendable {
  /// The records.
  var table: RecordTable { get }
  /// Makes the keys of new records.
  var generator: RecordKeyGenerator { get set }
  /// The number of the last transaction.
  var lastToken: Int64 { get }
  /// Equal to a former one as long as neither records nor schema have changed.
  var stamp: [Int64] { get }

  /// Lets changes be checked against the constraints of the program.
  mutating func takeConstraints(of schema: Schema?)
  /// The transactions with a greater token, oldest first.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  /// Forgets transactions.
  mutating func forget(_ tokens: Set<Int64>) throws
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
  package var schema: Schema { withSession { $0.table.schema } }

  package var migrationToken: Int64? { withSession { $0.lastToken } }

  package func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.table.snapshots(matching: query) }
  }

  package func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.table.identifiers(matching: query) }
  }

  package func count(matching query: Query) throws -> Int {
    try reading { try $0.table.count(matching: query) }
  }

  package func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try reading { $0.table.snapshots(for: identifiers) }
  }

  package func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try reading { $0.table.identifiers(withPrefix: prefix, entityName: entityName, limit: limit) }
  }

  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try reading { try $0.transactions(after: token, touching: identifier) }
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
