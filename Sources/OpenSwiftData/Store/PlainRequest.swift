import Foundation

/// What a store that may do less is asked for, and less still after it said what it cannot do.
struct PlainRequest {
  private(set) var asked: Query

  init(_ wanted: Query) {
    asked = wanted
    asked.attributes = nil
    // The first so many, of which the context cuts off the beginning: the same whether the store
    // knows limits or not. Behind an order the store might cut before it sorts, which cannot be seen.
    let end = wanted.limit.map { $0.addingReportingOverflow(wanted.offset) }
    asked.offset = 0
    asked.limit = wanted.sort.isEmpty ? end.flatMap { $0.overflow ? nil : $0.partialValue } : nil
  }

  mutating func dropLimit() { asked.limit = nil }

  /// Takes away what the store says it cannot do; false when it is not in the request.
  mutating func relax(after error: DataStoreError) -> Bool {
    let former = asked
    asked.limit = nil
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

extension FetchDescriptor {
  /// The descriptor that asks for the same as a query.
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
  /// The value that a sort key looks at, for descriptors that are made of keys.
  subscript(sortKey key: SortKey) -> SortableValue {
    let state = persistentState
    return SortableValue(
      state.entity.layout.slot(of: key.attribute).map { state.orderedValues[$0] } ?? .null
    )
  }
}
