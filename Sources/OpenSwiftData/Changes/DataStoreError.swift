public import Foundation

/// What a store may answer instead of doing what it was asked.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store cannot do it at all.
  case unsupportedFeature
  /// The context shall fetch without the predicate and filter itself.
  case preferInMemoryFilter
  /// The context shall fetch without the order and sort itself.
  case preferInMemorySort
  /// The predicate cannot be used.
  case invalidPredicate
}

extension DataStoreError: LocalizedError {
  /// What the store cannot do, as a sentence without its name.
  public var errorDescription: String? {
    switch self {
    case .unsupportedFeature: "the store does not support this request"
    case .preferInMemoryFilter: "the store cannot filter; fetch without the predicate"
    case .preferInMemorySort: "the store cannot sort; fetch without the sort order"
    case .invalidPredicate: "the store does not support this predicate"
    }
  }
}
