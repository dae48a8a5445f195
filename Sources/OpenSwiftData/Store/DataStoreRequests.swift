/// A fetch on its way from a context to a store.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// Which context asks.
  public let editingState: EditingState
  /// What it asks for.
  public let descriptor: FetchDescriptor<T>

  /// Creates a request.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState = EditingState()) {
    self.descriptor = descriptor
    self.editingState = editingState
  }

  /// The request as plain values.
  ///
  /// - Throws: `DataStoreError` when the predicate or the order cannot be expressed so, or
  ///   `PersistenceError` when the schema does not know the entity.
  public func query(in schema: Schema) throws -> Query {
    try descriptor.query(in: schema)
  }
}

/// What a store found.
public struct DataStoreFetchResult<T: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
  /// What was asked for.
  public let descriptor: FetchDescriptor<T>
  /// The records found, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// Further records that the found ones refer to.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  public init(
    descriptor: FetchDescriptor<T>,
    fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// Changes on their way from a context to a store.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// Which context saves.
  public let editingState: EditingState
  /// New records.
  public let inserted: [SnapshotType]
  /// Records whose values changed, with all their values.
  public let updated: [SnapshotType]
  /// Records that go.
  public let deleted: [SnapshotType]

  /// Creates a request.
  public init(
    inserted: [SnapshotType] = [],
    updated: [SnapshotType] = [],
    deleted: [SnapshotType] = [],
    editingState: EditingState = EditingState()
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// What a store answers to a save.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The store that answers.
  public let storeIdentifier: String
  /// The permanent identifier of each record that came with a temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Records whose values the store changed while saving.
  public let snapshotsToReregister: [PersistentIdentifier: T]

  /// Creates a result.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}

extension QueryableStore {
  /// Fetches through `snapshots(matching:)`.
  ///
  /// - Throws: `DataStoreError` when predicate or order cannot be lowered; what the store throws.
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

  /// Saves through `commit(_:author:)`; what the records held before is read from the store.
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
            "the record \(after.persistentIdentifier) is not in the store \(identifier)"
          )
        }
        return RecordUpdate(before: before, after: after)
      },
      deleted: request.deleted.compactMap { present[$0.persistentIdentifier] }
    )
    let result = try commit(changes, author: request.editingState.author)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: result.remappedIdentifiers
    )
  }

  /// Deletes every record of every entity in one commit.
  public func erase() throws {
    var changes = ChangeSet()
    for entity in schema.entities { changes.deleted += try snapshots(matching: Query(entity.name)) }
    _ = try commit(changes, author: nil)
  }
}
