extension DataStore {
  /// The name of the configuration.
  public var identifier: String { configuration.name }

  /// The schema of the configuration; a container sets its own there if it is nil.
  public var schema: Schema { configuration.schema ?? Schema() }

  /// Fetches and counts; filters in memory if the store does not.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` when the predicate cannot be lowered, or the error of
  ///   `fetch`.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fallback(request).count
  }

  /// Fetches and returns the identifiers; filters and sorts in memory if the store does not.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` when predicate or order cannot
  ///   be lowered, or the error of `fetch`.
  public func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> [PersistentIdentifier]
  {
    try fallback(request).map(\.persistentIdentifier)
  }

  private func fallback<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> [DefaultSnapshot]
  {
    try PlainFetch(self, state: request.editingState)
      .snapshots(of: T.self, matching: request.query(in: schema))
  }

  /// Fetches all records of all entities and deletes them with one save.
  ///
  /// - Throws: The error of `fetch` or `save`.
  public func erase() throws {
    let fetch = PlainFetch(self, state: EditingState())
    let all = try schema.entities.flatMap { try fetch.all(of: $0).map(\.original) }
    guard !all.isEmpty else { return }
    _ = try save(DataStoreSaveChangesRequest(deleted: all, editingState: EditingState()))
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

extension DataStoreBatching {
  /// Fetches the matching records and deletes them with one save.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` when the predicate cannot be lowered, or the error of
  ///   `fetch` or `save`.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let fetch = PlainFetch(self, state: request.editingState)
    let query = try request.descriptor.query(in: schema)
    let entity = try schema.entity(named: query.entityName)
    for part in request.includeSubclasses ? entity.family : [entity] {
      var query = query
      query.entityName = part.name
      let found = try fetch.records(of: part, matching: query).map(\.original)
      guard !found.isEmpty else { continue }
      _ = try save(
        DataStoreSaveChangesRequest(deleted: found, editingState: request.editingState)
      )
    }
  }
}
