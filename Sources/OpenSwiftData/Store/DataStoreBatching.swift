public import Foundation

/// A store that deletes all records matching a predicate without fetching them first.
///
/// The default implementation fetches and saves, so a store can conform before it has a faster way.
public protocol DataStoreBatching: DataStore {
  /// Deletes the matching records immediately; the deletion cannot be undone.
  ///
  /// - Throws: `DataStoreError` to make the context fetch and delete, or any other error.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// A context's request to a store to delete many records.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: @unchecked Sendable {
  // Unchecked as in `FetchDescriptor`: predicates are immutable, but their type does not say so.

  /// The context that makes the request.
  public let editingState: EditingState
  /// Selects the records; nil for all.
  public let predicate: Predicate<T>?
  /// True to include records of subclasses.
  public let includeSubclasses: Bool
  /// The entity, for models whose type does not determine it.
  public let entityName: String?

  /// Creates a request.
  public init(
    predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true,
    editingState: EditingState = EditingState(),
    entityName: String? = nil
  ) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
    self.entityName = entityName
  }

  /// The fetch that finds the same records.
  public var descriptor: FetchDescriptor<T> {
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.entityName = entityName
    return descriptor
  }
}
