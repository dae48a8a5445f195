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
/// A store that reads and writes everything is easier to write as a ``StoreFormat``. For others there are parts:
/// `assigningIdentifiers(for:)` and `rebased(onto:)` of ``ChangeSet``, `divided(supportsOrder:where:)` of ``Query``,
/// `lookup(_:among:attributes:)` and `validate(_:)` of ``Schema``, and ``StoredRecords``.
///
/// <doc:WriteYourOwnStore> has complete examples. The other requirements have correct default implementations that
/// read everything; implement them if the store can be faster. What only some stores can do has a protocol of its own:
/// ``HistoryKeepingStore``, ``SchemaChangingStore``, ``MigratableStore``, ``MaintainableStore``, ``ChangeFeedingStore``.
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
/// - A container checks what a store returns: each record has the layout of its entity or of the query, values of the
///   kinds of their fields, and for models the required values. Anything else is an error with the code `.storeViolation`
///   that names the store, the record and the field.
///
/// Run the suite of `DataStoreTesting` to check a store.
public protocol QueryableStore: DataStoreBatching where Snapshot == DefaultSnapshot {
  /// The records that match, in order, within limit and offset.
  ///
  /// Their layout is that of the entity, or of `query.attributes` if given.
  ///
  /// - Throws: `PersistenceError`, with code `.unknownEntity` or `.unknownAttribute` for unknown names.
  func snapshots(matching query: Query) throws -> [DefaultSnapshot]

  /// Commits all changes or none.
  ///
  /// - Throws: `PersistenceError`.
  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult

  /// Calls the body with the records that match, one after the other and in order, within limit and offset.
  ///
  /// Exports and copies read all records with it. A store that holds more records than fit into memory implements
  /// it by reading some at a time. The records are those that existed when the call began. The body does not
  /// call the store.
  ///
  /// - Throws: As `snapshots(matching:)`, and what the body throws, which ends the call.
  func forEachSnapshot(matching query: Query, _ body: (DefaultSnapshot) throws -> Void) throws

  /// The identifiers of the records that match, in order.
  func identifiers(matching query: Query) throws -> [PersistentIdentifier]

  /// The number of records that match, within limit and offset.
  func count(matching query: Query) throws -> Int

  /// The records that match, in order, to be read by their positions.
  ///
  /// - Throws: As `snapshots(matching:)`.
  func listing(matching query: Query) throws -> any Listing

  /// How often each value of an attribute occurs in the records that match, in no particular order.
  ///
  /// Missing values are counted as null. Limit and offset are ignored.
  ///
  /// - Throws: As `snapshots(matching:)`.
  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int]

  /// Count, extremes and sums of the values of an attribute in the records that match.
  ///
  /// Limit and offset are ignored. Sums of number fields add the values in the order of the store.
  ///
  /// - Throws: As `snapshots(matching:)`.
  func summary(of attribute: String, matching query: Query) throws -> ValueSummary

  /// Deletes all records that match one of the queries, in one commit.
  ///
  /// It is for programs that use the store directly. A context has to know the records that it deletes: for undo, for
  /// delete rules and for its unsaved changes. So `delete where` of the program reads them, and deletes them by a save.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: As `snapshots(matching:)` and `commit(_:author:)`.
  func delete(matching queries: [Query], author: String?) throws -> Int

  /// The existing records with these identifiers.
  ///
  /// Their layout is that of their entity, or `attributes` if given, as with `query.attributes`. With no
  /// attributes at all, the result only tells which records exist.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute` for a name that the entity of an identifier does
  ///   not have, even if the record does not exist.
  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]

  /// The records whose identifier begins with the text, up to the limit, of one entity or of all.
  ///
  /// All entities need not include those whose records are the rows of a query, such as a view.
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
}

extension QueryableStore {
  /// Fetches all records, then calls the body with each.
  public func forEachSnapshot(
    matching query: Query,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    for snapshot in try snapshots(matching: query) { try body(snapshot) }
  }

  /// Fetches the records and returns their identifiers.
  public func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try snapshots(matching: query).map(\.persistentIdentifier)
  }

  /// Fetches the records and counts them.
  public func count(matching query: Query) throws -> Int {
    try snapshots(matching: query).count
  }

  /// Fetches all identifiers, and the records when they are read.
  public func listing(matching query: Query) throws -> any Listing {
    IdentifierListing(try identifiers(matching: query)) { [self] in
      try snapshots(for: $0, attributes: $1)
    }
  }

  /// Fetches the attribute of all records, and counts its values.
  public func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try snapshots(matching: query.countingValues(of: attribute)).firstValueCounts
  }

  /// Reads the attribute of one record after the other.
  public func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    var summary = ValueSummary()
    var meter = WorkMeter()
    let query = Query(query.entityName, filter: query.filter, attributes: [attribute])
    try forEachSnapshot(matching: query) { snapshot in
      try meter.count()
      summary.add(snapshot.orderedValues[0])
    }
    return summary
  }

  /// Fetches the records and commits their deletion.
  public func delete(matching queries: [Query], author: String?) throws -> Int {
    var changes = ChangeSet()
    var found: Set<PersistentIdentifier> = []
    for query in queries {
      for snapshot in try snapshots(matching: query)
      where found.insert(snapshot.persistentIdentifier).inserted {
        changes.deleted.append(snapshot)
      }
    }
    if !changes.isEmpty { _ = try commit(changes, author: author) }
    return changes.deleted.count
  }

  /// The existing records with these identifiers, in the layouts of their entities.
  public func snapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try snapshots(for: identifiers, attributes: nil)
  }

  /// Fetches all records of the entities of the identifiers.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let wanted = Set(identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for name in Set(identifiers.map(\.entityName)).sorted() where schema.entitiesByName[name] != nil
    {
      for snapshot in try snapshots(matching: Query(name, attributes: attributes))
      where wanted.contains(snapshot.persistentIdentifier) {
        found[snapshot.persistentIdentifier] = snapshot
      }
    }
    return found
  }

  /// Scans all identifiers.
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
}
