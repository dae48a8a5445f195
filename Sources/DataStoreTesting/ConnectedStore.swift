import Foundation
import OpenSwiftData
import Synchronization

/// A store of any kind as the contexts of a container use it, so that the cases can run on it.
///
/// The container does the same for it as for every context: it converts snapshots, applies filters
/// and orders that the store does not support, and checks the store's answers.
final class ConnectedStore: HistoryKeepingStore, SchemaChangingStore, @unchecked Sendable {
  // Unchecked because connections are not declared Sendable; each call uses its own connection.

  let configuration: ConnectedConfiguration
  private let container: ModelContainer
  private let state: EditingState
  /// The order of creation, for stores that do not promise one; nil for stores that do.
  private let order: CreationOrder?
  private let answers = RecentAnswers()

  /// Connects to the store of the container; a reopened one continues with the order of the former
  /// one.
  init(_ container: ModelContainer, keepsOrder: Bool, after former: ConnectedStore? = nil) {
    configuration = ConnectedConfiguration()
    self.container = container
    state = EditingState()
    order = keepsOrder ? nil : former?.order ?? CreationOrder()
  }

  /// Always fails: a connected store is created from a container.
  init(_ configuration: ConnectedConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    throw PersistenceError(.unsupported, "a connected store is made around a container")
  }

  /// The store that it is connected to.
  var store: (any DataStore)? { container.stores.first }

  /// A new context of the container.
  func makeContext() -> ModelContext { ModelContext(container) }

  var identifier: String { store?.identifier ?? "none" }

  var schema: Schema { container.schema }

  private func connection() throws -> any StoreConnection {
    guard let connection = container.connections(for: state).first else {
      throw PersistenceError(.unsupported, "the container has no store")
    }
    return connection
  }

  // MARK: Reading

  func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    guard order == nil else {
      for snapshot in try snapshots(matching: query) { try body(snapshot) }
      return
    }
    try query.validate(for: schema.entity(named: query.entityName))
    let layout = query.requestedLayout
    try connection().forEachPage(matching: query) { try $0.forEachSnapshot(on: layout, body) }
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try query.validate(for: schema.entity(named: query.entityName))
    guard order != nil else {
      guard query == Query(query.entityName) else {
        return try connection().snapshots(matching: query)
      }
      return try answers.answer(to: query) { try connection().snapshots(matching: query) }
    }
    let ordered = try ordered(query)
    guard let attributes = query.attributes else { return ordered }
    let layout = SnapshotLayout(attributes)
    return ordered.map { $0.arranged(as: layout) }
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try query.validate(for: schema.entity(named: query.entityName))
    let found = try connection().identifiers(matching: query)
    guard order != nil else { return found }
    let ordered = try ordered(query).map(\.persistentIdentifier)
    guard found.count == ordered.count else { throw wrong("identifiers", query) }
    return ordered
  }

  func count(matching query: Query) throws -> Int {
    try query.validate(for: schema.entity(named: query.entityName))
    return try connection().count(matching: query)
  }

  func listing(matching query: Query) throws -> any Listing {
    try query.validate(for: schema.entity(named: query.entityName))
    if order == nil { return try connection().listing(matching: query) }
    return IdentifierListing(try identifiers(matching: query)) { [self] in
      try snapshots(for: $0, attributes: $1)
    }
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try connection().valueCounts(of: attribute, matching: query)
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try connection().summary(of: attribute, matching: query)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try connection().snapshots(for: identifiers, attributes: attributes)
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try connection().identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// The answer, with records that have equal sort keys in the order of their creation.
  ///
  /// Under a limit or offset, the store may return other records with equal keys. It only has to
  /// return the same number of existing records, with the same values for the keys.
  ///
  /// The store is asked only once for the same query between two changes: for a store that reads
  /// its file for each answer, the suite would otherwise take minutes.
  private func ordered(_ query: Query) throws -> [DefaultSnapshot] {
    try answers.answer(to: query) { try orderedAnew(query) }
  }

  private func orderedAnew(_ query: Query) throws -> [DefaultSnapshot] {
    let entity = try schema.entity(named: query.entityName)
    let keys = try SnapshotOrder(query.sort, layout: entity.layout)
    var whole = query
    whole.limit = nil
    whole.offset = 0
    whole.attributes = nil
    var all = try connection().snapshots(matching: whole)
    for (left, right) in zip(all, all.dropFirst())
    where keys.compare(left, right) == .orderedDescending {
      throw wrong("records in another order", query)
    }
    order?.sort(&all)
    try keys.sort(&all)
    guard query.limit != nil || query.offset > 0 else { return all }
    let expected = Array(all[query.window(of: all.count)])
    var cut = query
    cut.attributes = nil
    let found = try connection().snapshots(matching: cut)
    let known = Set(all)
    guard found.count == expected.count, Set(found).count == found.count,
      zip(found, expected).allSatisfy({ keys.compare($0, $1) == .orderedSame }),
      found.allSatisfy(known.contains)
    else { throw wrong("records", query) }
    return expected
  }

  private func wrong(_ what: String, _ query: Query) -> PersistenceError {
    PersistenceError(.storeViolation, "other \(what) than expected: \(query.sketch)")
  }

  // MARK: Changing

  /// Reads what other programs have saved.
  func refresh() throws {
    defer { answers.forget() }
    try container.refresh()
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    var state = state
    state.author = author
    defer { answers.forget() }
    answers.forget()
    let result = try connection().commit(changes, state: state)
    order?.note(
      changes.inserted.map {
        result.remappedIdentifiers[$0.persistentIdentifier] ?? $0.persistentIdentifier
      }
    )
    return result
  }

  var keepsHistoryWhenClosed: Bool {
    container.stores.contains { ($0 as? any HistoryKeepingStore)?.keepsHistoryWhenClosed ?? false }
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try connection().transactions(after: token, touching: identifier)
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    defer { answers.forget() }
    answers.forget()
    try connection().apply(change, author: author)
  }
}

/// Opens nothing: a connected store is created from a container.
struct ConnectedConfiguration: DataStoreConfiguration {
  typealias Store = ConnectedStore
  var name = "connected"
  var schema: Schema?
}

/// The order in which records were created.
private final class CreationOrder: Sendable {
  private let ranks = Mutex<[PersistentIdentifier: Int]>([:])

  func note(_ identifiers: [PersistentIdentifier]) {
    ranks.withLock { ranks in
      for identifier in identifiers { ranks[identifier] = ranks.count }
    }
  }

  func sort(_ snapshots: inout [DefaultSnapshot]) {
    let ranks = ranks.withLock { $0 }
    snapshots.sort {
      (ranks[$0.persistentIdentifier] ?? .max) < (ranks[$1.persistentIdentifier] ?? .max)
    }
  }
}

/// The cached answers for all records of an entity and for the last query, until something changes.
private final class RecentAnswers: Sendable {
  private struct State {
    /// Changes when the answers are discarded; an answer requested earlier must not be cached
    /// later.
    var age = 0
    var known: [Query: [DefaultSnapshot]] = [:]
    var last: Query?
  }

  private let state = Mutex(State())

  func forget() {
    state.withLock { $0 = State(age: $0.age + 1) }
  }

  func answer(to query: Query, _ ask: () throws -> [DefaultSnapshot]) rethrows -> [DefaultSnapshot]
  {
    let (known, age) = state.withLock { ($0.known[query], $0.age) }
    if let known { return known }
    let answer = try ask()
    state.withLock { state in
      guard state.age == age else { return }
      if let last = state.last, last != Query(last.entityName) { state.known[last] = nil }
      state.known[query] = answer
      state.last = query
    }
    return answer
  }
}
