public import Foundation

/// An error with which a store leaves a request to the context.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store does not support the operation.
  case unsupportedFeature
  /// The context must fetch without the predicate and filter in memory.
  case preferInMemoryFilter
  /// The context must fetch without the order and sort in memory.
  case preferInMemorySort
  /// The predicate cannot be used.
  case invalidPredicate
}

extension DataStoreError: LocalizedError {
  /// The reason, as a sentence without the name of the store.
  public var errorDescription: String? {
    switch self {
    case .unsupportedFeature: "the store does not support this request"
    case .preferInMemoryFilter: "the store cannot filter; fetch without the predicate"
    case .preferInMemorySort: "the store cannot sort; fetch without the sort order"
    case .invalidPredicate: "the store does not support this predicate"
    }
  }
}
