import Foundation

/// What a store that may do less is asked for, and less still after it said what it cannot do.
struct PlainRequest {
  private(set) var asked: Query

  /// Asks for everything, with limit and offset as far as the store is not known to mistake them.
  init(_ wanted: Query, _ habits: PlainHabits) {
    asked = wanted
    asked.attributes = nil
    if !wanted.sort.isEmpty, habits.cutsBehindOrder == false { dropLimit() }
    if habits.knowsOffset == false { dropOffset() }
  }

  /// True when the store may have left out records.
  var isCut: Bool { asked.limit != nil || asked.offset > 0 }

  /// What is left to be cut off the answer to what was asked.
  func remaining(of wanted: Query) -> Query {
    var rest = wanted
    rest.offset -= asked.offset
    return rest
  }

  mutating func dropLimit() {
    asked.limit = nil
    asked.offset = 0
  }

  /// Asks for the first so many instead, of which the context cuts off the beginning.
  mutating func dropOffset() {
    let end = asked.limit.map { $0.addingReportingOverflow(asked.offset) }
    asked.offset = 0
    asked.limit = end.flatMap { $0.overflow ? nil : $0.partialValue }
  }

  /// Takes away what the store says it cannot do; false when it is not in the request.
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

/// What was learned about a store that does not say what it knows.
final class PlainHabits {
  /// True when it leaves out the first records as asked; nil until that was seen.
  var knowsOffset: Bool?
  /// True when it sorts, and then cuts; nil until that was seen.
  var cutsBehindOrder: Bool?
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
