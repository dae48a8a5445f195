import Foundation

/// The request to a store with limited features, reduced further after each `DataStoreError`.
struct PlainRequest {
  private(set) var asked: Query

  /// Creates the full request, with limit and offset unless the store is known to apply them incorrectly.
  init(_ wanted: Query, _ features: ObservedFeatures) {
    asked = wanted
    asked.attributes = nil
    if !features.appliesLimit { dropLimit() }
    if !wanted.sort.isEmpty, features.limitsAfterSorting == false { dropLimit() }
    if features.appliesOffset == false { dropOffset() }
  }

  /// True when the store may have omitted records.
  var isCut: Bool { asked.limit != nil || asked.offset > 0 }

  /// The limit and offset still to be applied to the result.
  func remaining(of wanted: Query) -> Query {
    var rest = wanted
    rest.offset -= asked.offset
    return rest
  }

  mutating func dropLimit() {
    asked.limit = nil
    asked.offset = 0
  }

  /// Replaces the offset by a larger limit; the context then skips the first records.
  mutating func dropOffset() {
    let end = asked.limit.map { $0.addingReportingOverflow(asked.offset) }
    asked.offset = 0
    asked.limit = end.flatMap { $0.overflow ? nil : $0.partialValue }
  }

  /// Removes the part that the store cannot handle; false if the request does not contain it.
  mutating func relax(after error: DataStoreError) -> Bool {
    let former = asked
    dropLimit()
    switch error {
    case .preferInMemoryFilter where asked.filter != .all: asked.filter = .all
    case .preferInMemorySort where !asked.sort.isEmpty: asked.sort = []
    case .invalidPredicate: return false
    case .unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort:
      asked.filter = .all
      asked.sort = []
    }
    return asked != former
  }
}

/// The observed behavior of a store that does not declare its features.
final class ObservedFeatures {
  /// False if it has returned more records than a limit allows.
  var appliesLimit = true
  /// True if it applies the offset; nil until observed.
  var appliesOffset: Bool?
  /// True if it sorts before it applies the limit; nil until observed.
  var limitsAfterSorting: Bool?
}

extension FetchDescriptor {
  /// Creates the descriptor equivalent to a query.
  init(_ query: Query) {
    self.init(
      predicate: query.filter == .all ? nil : query.filter.predicate(),
      sortBy: query.sort.map { key in
        SortDescriptor(\T[sortKey: key], order: key.isDescending ? .reverse : .forward)
      }
    )
    entityName = query.entityName
  }
}

extension PersistentModel {
  /// The value of a sort key, for descriptors created from sort keys.
  subscript(sortKey key: SortKey) -> SortableValue {
    let state = persistentState
    return SortableValue(
      state.entity.layout.slot(of: key.attribute).map { state.orderedValues[$0] } ?? .null
    )
  }
}
