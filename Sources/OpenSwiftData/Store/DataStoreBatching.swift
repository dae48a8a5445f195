public import Foundation

/// A store that deletes all records that a predicate finds, without handing them out first.
///
/// The default fetches and saves, so that a store may say it deletes in batches before it can do better.
public protocol DataStoreBatching: DataStore {
  /// Deletes what the request asks for, at once and for good.
  ///
  /// - Throws: `DataStoreError` to have the context fetch and delete, or what went wrong.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// A deletion of many records on its way from a context to a store.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: @unchecked Sendable {
  // Unchecked as in `FetchDescriptor`: predicates are immutable, but their type does not say so.

  /// Which context asks.
  public let editingState: EditingState
  /// Which records; nil for all.
  public let predicate: Predicate<T>?
  /// True when records of subclasses are meant as well.
  public let includeSubclasses: Bool
  /// The entity, for models that do not name it by their type.
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
