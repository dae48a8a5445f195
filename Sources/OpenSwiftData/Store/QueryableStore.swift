/// The narrow waist: a store that answers queries and commits change sets, both plain values.
///
/// Whoever implements `snapshots(matching:)` and `commit(_:author:)` gets the rest of `DataStore` from
/// extensions: fetch, count, identifiers, save results with remapped identifiers, batch delete. The
/// other requirements have defaults that are right but read everything; a store that can do better
/// implements them too.
///
/// Contract:
/// - Calls may come from any thread; each is answered as if it were the only one.
/// - `commit` is whole or absent: after it throws, the store is as before, except after
///   `PersistenceError.Code.outcomeUnknown`, after which nothing can be committed until the store is
///   reopened; what can still be read is as it was before that commit.
/// - Records that come with a temporary identifier get a permanent one, never used before; references
///   between records of the change set are replaced accordingly. Records inserted with a permanent
///   identifier keep it.
/// - What somebody else did meanwhile is a `.conflict`: a new record whose identifier is taken, an update
///   or a delete of a record that is not there (any more), a value to be changed that is not what
///   `before` says, a deleted record any of whose values is not. Values that an update leaves as they
///   are in `before` are neither compared nor written: two may change one record at different places.
/// - Deleted records do not give their identifiers to others while the store is open; a store whose
///   history outlasts it never lets them.
/// - NaN and infinite numbers are kept in attributes of type number. A filter finds NaN by NaN; it
///   is neither less nor greater than a number in a filter, and is sorted behind all of them. A store
///   whose form has no way to write them refuses them with `.invalidValue`.
/// - Decimals that are NaN, and days and moments outside the years 0000 to 9999, are refused with
///   `.invalidValue`, as is what does not fit the attribute; the message names entity and attribute.
///
/// - `transactions(after:touching:)` with a token before one that was deleted throws `.historyExpired`.
///
/// Run the suite of `DataStoreTesting` against it.
public protocol QueryableStore: DataStoreBatching, HistoryProviding
where Snapshot == DefaultSnapshot {
  /// What one save looks like in the history.
  associatedtype HistoryType = DefaultHistoryTransaction

  /// The records that match, in order, within limit and offset, in the layout of the entity (or of
  /// `query.attributes` when they are given).
  ///
  /// - Throws: `PersistenceError`; `.unknownEntity`, `.unknownAttribute` for names it does not know.
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]

  /// Makes the changes and keeps them, all or none.
  ///
  /// - Throws: `PersistenceError`.
  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult

  /// The identifiers of the records that match, in order.
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]

  /// The number of records that match, within limit and offset.
  func count(matching query: Query) throws -> Int

  /// The records with these identifiers, as far as they are there.
  func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]

  /// At most so many records whose identifier's text begins so, of one entity or of all.
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]

  /// The transactions with a token greater than this one, oldest first; those of one record only when
  /// an identifier is given.
  ///
  /// The snapshots of an update have one layout, which may be without the attributes that stayed as
  /// they were.
  ///
  /// A store that implements this declares `HistoryKeepingStore`.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when the store keeps no history,
  ///   `.historyExpired` when transactions after the token were deleted.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]

  /// Forgets the transactions with these tokens; records stay as they are.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when the store cannot forget just these.
  func deleteTransactions(_ tokens: Set<Int64>) throws

  /// Changes the schema and the records with it, at once and for good.
  ///
  /// A store that implements this declares `SchemaChangingStore`.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when the store cannot, or says why not.
  func apply(_ change: SchemaChange, author: String?) throws
}

extension QueryableStore {
  /// Fetches and leaves out the values.
  public func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try snapshots(matching: query).map(\.persistentIdentifier)
  }

  /// Fetches and counts.
  public func count(matching query: Query) throws -> Int {
    try snapshots(matching: query).count
  }

  /// Fetches every record of the entities concerned.
  public func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    let wanted = Set(identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for name in Set(identifiers.map(\.entityName)).sorted() where schema.entitiesByName[name] != nil
    {
      for snapshot in try snapshots(matching: Query(name))
      where wanted.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      }
    }
    return found
  }

  /// Looks at every identifier.
  public func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    var found: [PersistentIdentifier] = []
    for entity in schema.entities where entityName == nil || entity.name == entityName {
      for identifier in try identifiers(matching: Query(entity.name))
      where identifier.hasPrefix(prefix) {
        found.append(identifier)
        if found.count >= limit { return found }
      }
    }
    return found
  }

  /// Keeps no history.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    throw PersistenceError(.unsupported, "the store \(self.identifier) keeps no history")
  }

  /// Cannot forget.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    throw PersistenceError(.unsupported, "the store \(identifier) cannot forget its history")
  }

  /// Cannot change its schema.
  public func apply(_ change: SchemaChange, author: String?) throws {
    throw PersistenceError(.unsupported, "the store \(identifier) cannot change its schema")
  }
}
