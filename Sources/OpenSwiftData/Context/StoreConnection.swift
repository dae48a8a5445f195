/// How a context talks to one store.
protocol StoreConnection {
  var identifier: String { get }
  var schema: Schema { get }
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]
  func count(matching query: Query) throws -> Int
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]
  func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  func apply(_ change: SchemaChange, author: String?) throws
}

/// The connection to a store at the waist: everything is passed on.
struct QueryableConnection<Store: QueryableStore>: StoreConnection {
  let store: Store

  var identifier: String { store.identifier }
  var schema: Schema { store.schema }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try store.identifiers(matching: query)
  }

  func count(matching query: Query) throws -> Int { try store.count(matching: query) }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try store.snapshots(matching: query)
  }

  func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    try store.snapshots(for: identifiers)
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    try store.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
  }

  /// Commits and checks the answer.
  func commit(_ changes: ChangeSet, state: EditingState) throws -> CommitResult {
    let result = try store.commit(changes, author: state.author)
    if !result.permanent.isEmpty { return result }
    for snapshot in changes.inserted where snapshot.persistentIdentifier.isTemporary {
      guard let permanent = result.remappedIdentifiers[snapshot.persistentIdentifier],
        !permanent.isTemporary
      else {
        throw PersistenceError(
          .storeViolation,
          "the store \(identifier) gave no permanent identifier to the new record \(snapshot.persistentIdentifier)"
        )
      }
    }
    return result
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try store.transactions(after: token, touching: identifier)
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    try store.apply(change, author: author)
  }
}
