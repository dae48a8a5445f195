public import Foundation

/// Describes which models to fetch, in which order, and how many.
///
/// ```swift
/// var newest = FetchDescriptor<Novel>(
///   predicate: #Predicate { $0.pages < 200 },
///   sortBy: [SortDescriptor(\.year, order: .reverse)]
/// )
/// newest.fetchLimit = 10
/// let novels = try context.fetch(newest)
/// let count = try context.fetchCount(newest)
/// ```
///
/// The store evaluates what it can of the predicate and the order; the rest is evaluated in memory. Unsaved changes
/// of the context are included unless `includePendingChanges` is false.
///
/// **Threads.** A descriptor is a value, and can be created anywhere.
///
/// **Errors.** The fetch throws, not the descriptor: `.invalidFilter` for a pattern that cannot be used, and
/// the errors of the store.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // Unchecked as in SwiftData itself: key paths and predicates are immutable, but their types do not
  // say so.

  /// Which models; nil for all.
  public var predicate: Predicate<T>?
  /// In which order.
  public var sortBy: [SortDescriptor<T>]
  /// How many at the most.
  public var fetchLimit: Int?
  /// How many of the first to leave out.
  public var fetchOffset: Int?
  /// True when unsaved changes of the context count.
  public var includePendingChanges = true
  /// The properties that will be looked at, a hint that changes nothing: a fetched model has all its
  /// values.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships that will be followed, a hint that changes nothing: the store has them at hand.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []
  /// The entity, for models that do not name it by their type.
  public var entityName: String?

  /// Creates a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension FetchDescriptor where T == Record {
  /// Creates a descriptor for records of the entity.
  public init(
    entityName: String,
    filter: Filter = .all,
    sortBy: [SortDescriptor<Record>] = []
  ) {
    self.init(predicate: filter == .all ? nil : filter.predicate(), sortBy: sortBy)
    self.entityName = entityName
  }
}

extension FetchDescriptor {
  /// The descriptor as plain values.
  ///
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` when a part cannot be
  ///   expressed so; `PersistenceError` for an unknown entity.
  package func query(in schema: Schema) throws -> Query {
    let plan = try FetchPlan(self, in: schema)
    if plan.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !plan.sort.isEmpty { throw DataStoreError.preferInMemorySort }
    return plan.query
  }
}

extension SortKey {
  /// The key for a descriptor over `Record[sortable:]`; nil for any other.
  init?<T>(_ descriptor: SortDescriptor<T>, entity: Schema.Entity) {
    let names = entity.fields.lazy.map(\.name)
    guard let keyPath = descriptor.keyPath,
      let name = names.first(where: { keyPath == \Record[sortable: $0] as AnyKeyPath })
    else { return nil }
    self.init(name, isDescending: descriptor.order == .reverse)
  }
}

extension FilterExpression: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    guard case .model? = scope.terms[variable.key]?.alternatives.first?.leaf else {
      return .unknown
    }
    return PredicateTerm(PredicateCondition(filter))
  }
}

/// A filter as an expression of `Predicate`, so that filters go wherever predicates go.
public struct FilterExpression<T: PersistentModel>: StandardPredicateExpression, Codable, Sendable {
  /// The filter.
  public let filter: Filter
  let variable: PredicateExpressions.Variable<T>

  init(_ filter: Filter, _ variable: PredicateExpressions.Variable<T>) {
    self.filter = filter
    self.variable = variable
  }

  /// Tests the model that is bound to the variable.
  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let state = try variable.evaluate(bindings).persistentState
    return try BoundFilter(filter, layout: state.entity.layout).matches(state.orderedValues)
  }

  /// Refuses: filters are written as text, not archived.
  public init(from decoder: any Decoder) throws {
    throw PersistenceError(.unsupported, "a filter cannot be decoded")
  }

  /// Refuses: filters are written as text, not archived.
  public func encode(to encoder: any Encoder) throws {
    throw PersistenceError(.unsupported, "a filter cannot be encoded")
  }
}

extension Filter {
  /// The predicate that holds for the models that the filter wants.
  public func predicate<T: PersistentModel>(for type: T.Type = T.self) -> Predicate<T> {
    Predicate<T> { variable in FilterExpression(self, variable) }
  }
}
