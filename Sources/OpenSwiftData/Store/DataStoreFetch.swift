/// A fetch on its way from a context to a store.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// Which context asks.
  public let editingState: EditingState
  /// What it asks for.
  public let descriptor: FetchDescriptor<T>
  /// The request as a context walked it already.
  private let walked: Query?
  private let schema: Schema?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - descriptor: What is asked for.
  ///   - editingState: Which context asks.
  ///   - schema: Where `query` looks the entity up; by default the model class says it.
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

  /// The request as plain values: the predicate walked into a `Filter`, the order into sort keys.
  ///
  /// A store that can do with a `Filter` more than with a predicate begins so:
  ///
  /// ```swift
  /// let query = try request.query
  /// ```
  ///
  /// and leaves the rest to the context by letting the error through.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` when the predicate or the
  ///   order cannot be expressed so; `PersistenceError` when the schema does not know the entity.
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

/// What a store found.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// What was asked for.
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
