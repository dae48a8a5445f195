package import Foundation

/// The division of a fetch between the store and memory.
struct FetchPlan<T: PersistentModel> {
  /// The query for the store; without order, limit and offset if models must be filtered in memory first.
  var query: Query
  /// The predicate to evaluate on the fetched models; nil if the store's result is exact.
  var predicate: Predicate<T>?
  /// The order in which to sort them; empty if the store sorts them.
  var sort: [SortDescriptor<T>] = []
  /// The only records that can match; nil when any may.
  var identifiers: Set<PersistentIdentifier>?
  /// What every record that matches is related to; nil if that is not known.
  var related: RelatedBound?
  private let limit: Int?
  private let offset: Int

  /// True when the store's result needs no further processing.
  var isExact: Bool { predicate == nil && sort.isEmpty }

  /// Lowers the predicate and the sort descriptors.
  ///
  /// - Throws: `PersistenceError` for an unknown entity.
  init(_ descriptor: FetchDescriptor<T>, in schema: Schema) throws {
    let entity = try schema.entity(named: descriptor.entityName ?? T.entityName)
    query = Query(entity.name)
    limit = descriptor.fetchLimit
    offset = descriptor.fetchOffset ?? 0
    if let predicate = descriptor.predicate {
      let lowered = LoweredPredicate(predicate)
      query.filter = lowered.filter
      identifiers = lowered.identifiers
      related = lowered.related
      if !lowered.isExact { self.predicate = predicate }
    }
    query.sort = descriptor.sortBy.compactMap {
      SortKey($0, entity: entity) ?? SortKey($0, of: T.self)
    }
    if query.sort.count < descriptor.sortBy.count || identifiers != nil {
      query.sort = []
      sort = descriptor.sortBy
    }
    if isExact {
      query.limit = limit
      query.offset = offset
    }
  }

  /// The plan that does everything in memory, for a store that cannot filter or sort.
  func withoutStore(_ descriptor: FetchDescriptor<T>) -> FetchPlan {
    var plan = self
    plan.query = Query(query.entityName)
    plan.predicate = descriptor.predicate
    plan.sort = descriptor.sortBy
    plan.identifiers = nil
    return plan
  }

  /// The matching models among those fetched, in order, within limit and offset.
  ///
  /// - Throws: The error of the predicate, except for unwrapping nil with `!`, which does not match.
  func finish(_ models: [T], evaluating subject: (T) throws -> T = { $0 }) throws -> [T] {
    guard !isExact else { return models }
    var models = models
    if let predicate {
      models = try models.filter { try Self.evaluate(predicate, on: subject($0)) }
    }
    if !sort.isEmpty { models.sort(using: sort) }
    return Array(models[Query("", limit: limit, offset: offset).window(of: models.count)])
  }

  private static func evaluate(_ predicate: Predicate<T>, on model: T) throws -> Bool {
    do {
      return try predicate.evaluate(model)
    } catch let error as PredicateError where error == .forceUnwrapFailure {
      return false
    }
  }
}

extension LoweredPredicate {
  /// Lowers a predicate over models.
  package init<T: PersistentModel>(_ predicate: Predicate<T>) {
    let description: ModelDescription = .of(T.self)
    self.init(predicate) { keyPath in
      description.slot(of: keyPath).map { slot in
        let field = description.entity.fields[slot]
        return Property(field.name, field.type, isOptional: field.isOptional)
      }
    }
  }
}
