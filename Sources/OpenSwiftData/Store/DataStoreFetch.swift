/// A context's fetch request to a store.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The context that makes the request.
  public let editingState: EditingState
  /// The description of the fetch.
  public let descriptor: FetchDescriptor<T>
  /// The query, if the context has already lowered the descriptor.
  private let walked: Query?
  private let schema: Schema?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - descriptor: The description of the fetch.
  ///   - editingState: The context that makes the request.
  ///   - schema: The schema in which `query` looks up the entity; by default that of the model class.
  public init(
    descriptor: FetchDescriptor<T>,
    editingState: EditingState = EditingState(),
    schema: Schema? = nil
  ) {
    self.descriptor = descriptor
    self.editingState = editingState
    self.schema = schema
    walked = nil
  }

  init(descriptor: FetchDescriptor<T>, editingState: EditingState, walked: Query) {
    self.descriptor = descriptor
    self.editingState = editingState
    self.walked = walked
    schema = nil
  }

  /// The request as plain values: the predicate as a `Filter`, the order as sort keys.
  ///
  /// A store that works with a `Filter` rather than a predicate begins with:
  ///
  /// ```swift
  /// let query = try request.query
  /// ```
  ///
  /// If this throws, the store passes the error on, and the context filters or sorts.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` when the predicate or the order
  ///   cannot be expressed this way; `PersistenceError` when the schema does not contain the entity.
  public var query: Query {
    get throws {
      if let walked { return walked }
      return try descriptor.query(in: schema ?? Schema([T.self]))
    }
  }

  /// The request as plain values, with the names of the schema.
  ///
  /// - Throws: As `query`.
  public func query(in schema: Schema) throws -> Query {
    if let walked { return walked }
    return try descriptor.query(in: schema)
  }
}

/// The result of a fetch.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// The description of the fetch.
  public let descriptor: FetchDescriptor<ModelType>
  /// The records found, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// Further records that the found ones refer to.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  public init(
    descriptor: FetchDescriptor<ModelType>,
    fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
