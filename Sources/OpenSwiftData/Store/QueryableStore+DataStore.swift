extension QueryableStore {
  /// Fetches through `snapshots(matching:)`.
  ///
  /// - Throws: `DataStoreError` when predicate or order cannot be lowered, or the error of the store.
  public func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try snapshots(matching: request.query(in: schema))
    )
  }

  /// Counts through `count(matching:)`.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try count(matching: request.query(in: schema))
  }

  /// Finds identifiers through `identifiers(matching:)`.
  public func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> [PersistentIdentifier]
  {
    try identifiers(matching: request.query(in: schema))
  }

  /// Saves through `commit(_:author:)`; reads the previous values of the records from the store.
  public func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let touched = (request.updated + request.deleted).map(\.persistentIdentifier)
    let present = touched.isEmpty ? [:] : try snapshots(for: touched)
    let changes = ChangeSet(
      inserted: request.inserted,
      updated: try request.updated.map { after in
        guard let before = present[after.persistentIdentifier] else {
          throw PersistenceError(
            .unknownRecord,
            "store \(identifier): record \(after.persistentIdentifier) not found"
          )
        }
        return RecordUpdate(before: before, after: after)
      },
      deleted: request.deleted.compactMap { present[$0.persistentIdentifier] }
    )
    let result = try commit(changes, author: request.editingState.author)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: result.remappedIdentifiers,
      snapshotsToReregister: Dictionary(
        result.reregistered.map { ($0.persistentIdentifier, $0) },
        uniquingKeysWith: { _, last in last }
      ),
      historyToken: result.token.map { DefaultHistoryToken([identifier: $0]) }
    )
  }

  /// Deletes the records matching the predicate in one commit.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` when the predicate cannot be lowered, or the error of
  ///   the store.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    var query = try request.descriptor.query(in: schema)
    let entity = try schema.entity(named: query.entityName)
    let queries = (request.includeSubclasses ? entity.family : [entity]).map { part in
      query.entityName = part.name
      return query
    }
    _ = try delete(matching: queries, author: request.editingState.author)
  }

  /// Deletes every record of every entity in one commit.
  public func erase() throws {
    _ = try delete(matching: schema.entities.map { Query($0.name) }, author: nil)
  }
}
