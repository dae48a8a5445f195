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
  // Unchecked as in SwiftData itself: key paths and predicates are immutable, but not declared Sendable.

  /// Selects the models; nil for all.
  public var predicate: Predicate<T>?
  /// The sort order.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models.
  public var fetchLimit: Int?
  /// The number of models to skip at the start.
  public var fetchOffset: Int?
  /// True to include unsaved changes of the context.
  public var includePendingChanges = true
  /// The properties that will be read; a hint without effect, because fetched models have all values.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships that will be followed; their records are read with one request for each.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []
  /// The entity, for models whose type does not determine it.
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
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` when a part cannot be expressed
  ///   this way; `PersistenceError` for an unknown entity.
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

/// A filter as a `Predicate` expression, for APIs that take predicates.
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

  /// Throws an error: filters are written as text, not archived.
  public init(from decoder: any Decoder) throws {
    throw PersistenceError(.unsupported, "a filter cannot be decoded")
  }

  /// Throws an error: filters are written as text, not archived.
  public func encode(to encoder: any Encoder) throws {
    throw PersistenceError(.unsupported, "a filter cannot be encoded")
  }
}

extension Filter {
  /// The predicate that is true for the models that match the filter.
  public func predicate<T: PersistentModel>(for type: T.Type = T.self) -> Predicate<T> {
    Predicate<T> { variable in FilterExpression(self, variable) }
  }
}
