/// A store that answers queries and commits change sets.
///
/// This is the protocol to implement for a new store. It has two central requirements; everything else of `DataStore`
/// (fetch, count, identifiers, save, batch deletion) comes from extensions:
///
/// ```swift
/// final class NotebookStore: QueryableStore {
///   func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
///     try query.run(over: records.withLock { $0 }, of: schema.entity(named: query.entityName))
///   }
///   func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
///     // Check for conflicts, assign identifiers, write everything or nothing.
///   }
/// }
/// ```
///
/// <doc:WriteYourOwnStore> has the complete example. The other requirements have correct default implementations that
/// read everything; implement them if the store can be faster.
///
/// **Contract:**
/// - Calls come from any thread. Each is answered as if it were the only one.
/// - `commit` takes effect completely or not at all. If it throws, the store is unchanged. The exception is
///   `PersistenceError.Code.outcomeUnknown`: then nothing can be committed until the store is reopened, and reads
///   return the state before that commit.
/// - Records with a temporary identifier get a permanent one that was never used before, and links between records of
///   the change set are replaced accordingly. Records inserted with a permanent identifier keep it.
/// - Concurrent changes are a `.conflict`: an inserted record whose identifier exists, an update or deletion of a
///   record that does not exist, a changed value that differs from `before`, or a deleted record with any different
///   value. Values that an update does not change are neither compared nor written, so that two writers can change
///   different fields of one record.
/// - Identifiers of deleted records are not reused while the store is open; a store with permanent history never
///   reuses them.
/// - Number fields keep NaN and infinite numbers. In a filter NaN equals NaN and is neither less nor greater than any
///   number; a sort puts it last. A store that cannot represent these values rejects them with `.invalidValue`.
/// - Decimals that are NaN, dates and datetimes outside the years 0000 to 9999, and values that do not match their
///   field are rejected with `.invalidValue`; the message names entity and field.
/// - `transactions(after:touching:)` with a token before a deleted transaction throws `.historyExpired`.
///
/// Run the suite of `DataStoreTesting` to check a store.
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
    throw PersistenceError(.unsupported, "store \(self.identifier): history not supported")
  }

  /// Cannot forget.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    throw PersistenceError(.unsupported, "store \(identifier): deleting history not supported")
  }

  /// Cannot change its schema.
  public func apply(_ change: SchemaChange, author: String?) throws {
    throw PersistenceError(.unsupported, "store \(identifier): schema changes not supported")
  }
}
