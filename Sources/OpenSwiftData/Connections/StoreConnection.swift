/// The connection of a context to one store.
package protocol StoreConnection {
  var identifier: String { get }
  var schema: Schema { get }
  /// The context of the connection, passed to stores that implement `DataStore`.
  var state: EditingState { get set }
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]
  func listing(matching query: Query) throws -> any Listing
  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int]
  func summary(of attribute: String, matching query: Query) throws -> ValueSummary
  func count(matching query: Query) throws -> Int
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]
  /// Fetches as `snapshots(matching:)` does, for a query created from the descriptor.
  ///
  /// A store that implements only `DataStore` receives the descriptor, and may return related records with the
  /// fetched ones.
  func snapshots<T: PersistentModel>(
    matching query: Query,
    of descriptor: FetchDescriptor<T>,
    related: inout [DefaultSnapshot]
  ) throws -> [DefaultSnapshot]
  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  /// The record with a permanent identifier, with all values; nil if it does not exist.
  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot?
  /// The records for which a comparison with `=` holds, as `TrustedStore` finds them; nil for a query.
  func fewSnapshots(of entityName: String, where attribute: String, equals value: Value) throws
    -> [DefaultSnapshot]?
  /// Calls the body with the records that match, in order, page by page, as `PageReading` does.
  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws
  /// The existing ones of these records of one entity, in order; with all values, or at least these.
  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws -> any RecordPage
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  /// Adds a change from outside to the history of the connection.
  ///
  /// - Returns: The number of the transaction; nil if the store keeps the history.
  func note(_ change: StoreChange) -> Int64?
  /// The transactions that match the descriptor; nil if those of the store are of another type.
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Discards the transactions that match the descriptor; false if those of the store are of another type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
  /// True when the schema of the store can change.
  var canChangeSchema: Bool { get }
  /// Changes the schema immediately.
  ///
  /// - Throws: The error of the store; `PersistenceError` with code `.unsupported` unless `canChangeSchema`.
  func apply(_ change: SchemaChange, author: String?) throws
  /// Lets the connection keep what it reads of the records that its context uses.
  ///
  /// The closure is called on the thread of the context.
  mutating func keepRecords(while isUsed: @escaping (PersistentIdentifier) -> Bool)
  /// True if `snapshots(for:attributes:)` reads all records of the entities.
  var looksUpByScanning: Bool { get }
  /// The store, if it supports unsaved schema changes.
  var stagingStore: (any StagingStore)? { get }
  /// True when a save without changes writes the schema of the store.
  var isUnwritten: Bool { get }
}

extension StoreConnection {
  var looksUpByScanning: Bool { false }
  var stagingStore: (any StagingStore)? { nil }
  var isUnwritten: Bool { stagingStore?.isUnwritten ?? false }

  mutating func keepRecords(while isUsed: @escaping (PersistentIdentifier) -> Bool) {}
  func note(_ change: StoreChange) -> Int64? { nil }

  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    try snapshots(for: [identifier], attributes: nil)[identifier]
  }

  func fewSnapshots(of entityName: String, where attribute: String, equals value: Value) throws
    -> [DefaultSnapshot]?
  { nil }

  func listing(matching query: Query) throws -> any Listing {
    try identifierListing(matching: query)
  }

  /// A listing of all identifiers.
  func identifierListing(matching query: Query) throws -> IdentifierListing {
    IdentifierListing(try identifiers(matching: query)) { [self] in
      try snapshots(for: $0, attributes: $1)
    }
  }

  /// Reads the attribute of all records.
  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try snapshots(matching: query.countingValues(of: attribute)).firstValueCounts
  }

  /// Reads the attribute of all records, page by page.
  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    var summary = ValueSummary()
    let query = Query(query.entityName, filter: query.filter, attributes: [attribute])
    try forEachPage(matching: query) { try summary.add($0, attribute) }
    return summary
  }

  func snapshots<T: PersistentModel>(
    matching query: Query,
    of descriptor: FetchDescriptor<T>,
    related: inout [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    try snapshots(matching: query)
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    try SnapshotPage.forEach(snapshots(matching: query), body)
  }

  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    SnapshotPage(try snapshots(for: identifiers, attributes: attributes), in: identifiers)
  }

  func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try snapshots(for: identifiers, attributes: nil)
  }

  /// The same connection for a context that uses some records.
  func with(_ state: EditingState, isUsed: ((PersistentIdentifier) -> Bool)?)
    -> any StoreConnection
  {
    var connection = self
    connection.state = state
    if let isUsed { connection.keepRecords(while: isUsed) }
    return connection
  }
}

/// The connection to a `QueryableStore`; forwards nearly everything, and checks the records that the store
/// returns.
struct QueryableConnection<Store: QueryableStore>: StoreConnection {
  let store: Store
  let stagingStore: (any StagingStore)?
  private let source: HistorySource
  private let schemaStore: (any SchemaChangingStore)?
  /// Nil unless the records of the store need no check.
  private let trusted: (any TrustedStore)?
  /// Nil for stores whose records need no check.
  private let answerCheck: AnswerCheck?
  var state = EditingState()

  /// Where transactions are read.
  private enum HistorySource {
    /// The store keeps them.
    case stored(any HistoryKeepingStore)
    /// The store keeps none; these are the commits through this connection.
    case committed(FallbackHistory)
  }

  init(_ store: Store, models: Schema? = nil) {
    self.store = store
    trusted = store as? any TrustedStore
    answerCheck =
      trusted == nil ? AnswerCheck(storeName: store.identifier, models: models) : nil
    stagingStore = store as? any StagingStore
    schemaStore = store as? any SchemaChangingStore
    source =
      (store as? any HistoryKeepingStore).map(HistorySource.stored)
      ?? .committed(FallbackHistory(store.configuration.historyLimit))
  }

  var identifier: String { store.identifier }
  var schema: Schema { store.schema }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try store.identifiers(matching: query)
  }

  func listing(matching query: Query) throws -> any Listing {
    let listing = try store.listing(matching: query)
    guard let answerCheck else { return listing }
    return CheckedListing(listing, of: store.identifier) { [store] in
      try answerCheck.check($0, attributes: $1, in: store.schema)
    }
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try store.valueCounts(of: attribute, matching: query)
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try store.summary(of: attribute, matching: query)
  }

  func count(matching query: Query) throws -> Int { try store.count(matching: query) }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try checked({ try store.snapshots(matching: query) }) { try $0.check($1, of: query, in: $2) }
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try checked({ try store.snapshots(for: identifiers, attributes: attributes) }) {
      try $0.check($1, attributes: attributes, in: $2)
    }
  }

  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    guard let trusted else {
      return try snapshots(for: [identifier], attributes: nil)[identifier]
    }
    return try trusted.snapshot(of: identifier)
  }

  func fewSnapshots(of entityName: String, where attribute: String, equals value: Value) throws
    -> [DefaultSnapshot]?
  {
    try trusted?.fewSnapshots(of: entityName, where: attribute, equals: value)
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    if let stagingStore { return try stagingStore.forEachPage(matching: query, body) }
    var records: [DefaultSnapshot] = []
    func flush() throws {
      _ = try checked({ records }) { try $0.check($1, of: query, in: $2) }
      try SnapshotPage.forEach(records, body)
      records.removeAll(keepingCapacity: true)
    }
    try store.forEachSnapshot(matching: query) { snapshot in
      records.append(snapshot)
      if records.count == SnapshotPage.sizeLimit { try flush() }
    }
    try flush()
  }

  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    if let stagingStore { return try stagingStore.page(for: identifiers, attributes: attributes) }
    let found = try snapshots(for: identifiers, attributes: attributes)
    return SnapshotPage(found, in: identifiers)
  }

  /// The answer of the store, checked.
  ///
  /// If the schema changes during the call, the records may have either schema.
  private func checked<Answer>(
    _ answer: () throws -> Answer,
    _ check: (AnswerCheck, Answer, Schema) throws -> Void
  ) throws -> Answer {
    guard let answerCheck else { return try answer() }
    let former = store.schema
    let result = try answer()
    do {
      try check(answerCheck, result, former)
    } catch {
      let current = store.schema
      guard current != former else { throw error }
      try check(answerCheck, result, current)
    }
    return result
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try store.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// Commits with the message, if there is one and the store keeps it, and checks the result.
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    let staging = state.message == nil || changes.isEmpty ? nil : stagingStore
    var result =
      try staging?.commit(changes, after: [], author: state.author, message: state.message)
      ?? store.commit(changes, author: state.author)
    do {
      if !result.isInOrder {
        try RemappingCheck(
          storeName: identifier,
          advice: "call assigningIdentifiers(for:) of the change set"
        ).check(result.identifiers, for: changes)
        result.arrange(for: changes.inserted)
      }
      try answerCheck?.check(result.reregistered, nil, schema)
    } catch let error as PersistenceError {
      // The context keeps its changes, and a second save would repeat them.
      throw PersistenceError(
        error.code,
        error.message + "; the changes are saved, reopen the store"
      )
    }
    if case .committed(let history) = source, !changes.isEmpty {
      result.token = history.append(
        changes.remapped(result.identifiers),
        author: state.author
      )
    }
    return result
  }

  var canChangeSchema: Bool { schemaStore != nil }

  func apply(_ change: SchemaChange, author: String?) throws {
    guard let schemaStore else {
      throw PersistenceError(.unsupported, "store \(identifier): schema changes not supported")
    }
    let former = schema
    try schemaStore.apply(change, author: author)
    if case .committed(let history) = source {
      history.append(change, from: former, author: author)
    }
  }

  // MARK: History

  func note(_ change: StoreChange) -> Int64? {
    if case .committed(let history) = source { history.append(outside: change) } else { nil }
  }

  private func records(_ identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try store.snapshots(for: identifiers)
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    switch source {
    case .stored(let store): try store.transactions(after: token, touching: identifier)
    case .committed(let history):
      try history.transactions(after: token, touching: identifier, reading: records)
    }
  }

  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    if case .committed(let history) = source, T.self == DefaultHistoryTransaction.self {
      let models = store.configuration.schema ?? schema
      return try history.read(descriptor, identifier, models, reading: records)
    }
    return try (store as? any HistoryProviding).flatMap { try history(of: $0, descriptor) }
  }

  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    if case .committed(let history) = source, T.self == DefaultHistoryTransaction.self {
      return try history.delete(descriptor, identifier, schema, reading: records)
    }
    return try (store as? any HistoryProviding).map { try deleteHistory(of: $0, descriptor) }
      ?? false
  }
}
