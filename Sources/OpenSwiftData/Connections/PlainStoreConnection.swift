import Foundation

/// The state that all contexts of a container share for a store that implements only `DataStore`.
///
/// Calls are made one at a time, because such a store need not be thread-safe; a save including its checks
/// counts as one call.
final class PlainStore<S: DataStore>: @unchecked Sendable {
  // Unchecked because stores are not declared Sendable; the lock keeps threads apart.

  let store: S
  let models: Schema?
  /// Recursive, because a store may notify observers of a save, and these may fetch.
  private let lock = NSRecursiveLock()
  let history: FallbackHistory
  /// Accessed only under the lock.
  private let features = ObservedFeatures()

  init(_ store: S, models: Schema?) {
    self.store = store
    self.models = models
    history = FallbackHistory(store.configuration.historyLimit)
  }

  /// Runs the body with exclusive access to the store.
  func fetch<Result>(
    _ state: EditingState,
    _ originals: PlainOriginals<S.Snapshot>?,
    _ body: (PlainFetch<S>) throws -> Result
  ) rethrows -> Result {
    try alone { store in
      var fetch = PlainFetch(store, state: state, models: models, features: features)
      fetch.originals = originals
      return try body(fetch)
    }
  }

  func alone<Result>(_ body: (S) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(store) }
  }

  func commit(
    _ changes: ChangeSet,
    state: EditingState,
    originals: PlainOriginals<S.Snapshot>?
  ) throws -> CommitResult {
    if changes.isEmpty { return CommitResult() }
    return try alone { store in
      var fetch = PlainFetch(store, state: state, models: models)
      fetch.originals = originals
      var result = try PlainSave(fetch, changes).run()
      result.arrange(for: changes.inserted)
      let committed = changes.remapped(result.identifiers)
      result.token = history.append(committed, author: state.author)
      return result
    }
  }
}

/// The connection to a store that implements only `DataStore`.
struct PlainStoreConnection<S: DataStore>: StoreConnection {
  let plain: PlainStore<S>
  var state = EditingState()
  /// The records as the context last read or saved them, if their snapshots may have fields that the model
  /// lacks.
  private var originals: PlainOriginals<S.Snapshot>?

  init(_ plain: PlainStore<S>) { self.plain = plain }

  mutating func keepRecords(while isUsed: @escaping (PersistentIdentifier) -> Bool) {
    if S.Snapshot.self != DefaultSnapshot.self { originals = PlainOriginals(isUsed: isUsed) }
  }

  var identifier: String { plain.store.identifier }
  var schema: Schema { plain.alone(\.schema) }
  var looksUpByScanning: Bool { true }

  private func fetch<Result>(_ body: (PlainFetch<S>) throws -> Result) rethrows -> Result {
    try plain.fetch(state, originals, body)
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try fetch { try $0.identifiers(matching: query) }
  }

  func count(matching query: Query) throws -> Int {
    try fetch { try $0.count(matching: query) }
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try fetch { try $0.snapshots(matching: query) }
  }

  func snapshots<T: PersistentModel>(
    matching query: Query,
    of descriptor: FetchDescriptor<T>,
    related: inout [DefaultSnapshot]
  ) throws -> [DefaultSnapshot] {
    let sink = RelatedSnapshots()
    defer { related += sink.snapshots }
    return try fetch { fetch in
      var fetch = fetch
      fetch.related = sink
      return try fetch.snapshots(matching: query, of: descriptor)
    }
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try fetch { try $0.snapshots(for: identifiers, attributes: attributes) }
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    var found: [PersistentIdentifier] = []
    for entity in schema.entities where entityName == nil || entity.name == entityName {
      for identifier in try identifiers(matching: Query(entity.name))
      where identifier.hasPrefix(prefix) && found.count < limit {
        found.append(identifier)
      }
    }
    return found
  }

  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    try plain.commit(changes, state: state, originals: originals)
  }

  func note(_ change: StoreChange) -> Int64? { plain.history.append(outside: change) }

  private func records(_ identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    // Not for the context, which keeps only what it reads itself.
    try plain.fetch(state, nil) { try $0.snapshots(for: identifiers, attributes: nil) }
  }

  /// The saves of the container's contexts since the store was opened, and the changes that the store reported.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try plain.history.transactions(after: token, touching: identifier, reading: records)
  }

  /// The store's own history, or else the saves of the container's contexts.
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    if let provider = plain.store as? any HistoryProviding,
      let found = try plain.alone({ _ in try history(of: provider, descriptor) })
    {
      return found
    }
    let models = plain.models ?? schema
    return try plain.history.read(descriptor, identifier, models, reading: records)
  }

  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    if let provider = plain.store as? any HistoryProviding,
      try plain.alone({ _ in try deleteHistory(of: provider, descriptor) })
    {
      return true
    }
    let models = plain.models ?? schema
    return try plain.history.delete(descriptor, identifier, models, reading: records)
  }

  var canChangeSchema: Bool { false }

  func apply(_ change: SchemaChange, author: String?) throws {
    throw PersistenceError(.unsupported, "store \(identifier): schema changes not supported")
  }
}
