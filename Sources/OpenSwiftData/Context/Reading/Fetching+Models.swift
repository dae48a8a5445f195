/// Descriptors and the objects that they ask for; `ModelContext+Fetching.swift` says what each function promises.
extension Fetching {
  func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try answer(descriptor) { plan in
      try models(of: plan, descriptor)
    }
  }

  func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try answer(descriptor) { plan in
      guard plan.isExact else { return try models(of: plan, descriptor).count }
      guard try stores.schema.entity(named: plan.query.entityName).orderedSubentities.isEmpty else {
        return try fetchedSnapshots(plan, descriptor).count
      }
      return descriptor.includePendingChanges
        ? try fetchCount(matching: plan.query)
        : try connection(for: plan.query.entityName).count(matching: plan.query)
    }
  }

  func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws
    -> [PersistentIdentifier]
  {
    try answer(descriptor) { plan in
      guard plan.isExact else {
        return try models(of: plan, descriptor).map(\.persistentModelID)
      }
      guard try stores.schema.entity(named: plan.query.entityName).orderedSubentities.isEmpty else {
        return try fetchedSnapshots(plan, descriptor).map(\.persistentIdentifier)
      }
      return descriptor.includePendingChanges
        ? try fetchIdentifiers(matching: plan.query)
        : try connection(for: plan.query.entityName).identifiers(matching: plan.query)
    }
  }

  /// Runs the plan; if the store cannot filter or sort, runs the plan without that part.
  private func answer<T: PersistentModel, Answer>(
    _ descriptor: FetchDescriptor<T>,
    _ follow: (FetchPlan<T>) throws -> Answer
  ) throws -> Answer {
    var plan = try FetchPlan(descriptor, in: stores.schema)
    try narrow(&plan, descriptor)
    do {
      return try follow(plan)
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
      return try follow(plan.withoutStore(descriptor))
    }
  }

  /// The number of related records above which a fetch does not ask for those that refer to them.
  private static var relatedLimit: Int { 1000 }

  /// Finds the few related records that a predicate names, so that the store looks only at records that refer to them.
  private func narrow<T: PersistentModel>(
    _ plan: inout FetchPlan<T>,
    _ descriptor: FetchDescriptor<T>
  ) throws {
    guard plan.identifiers == nil, let bound = plan.related,
      let filter = try filter(of: bound, includesPending: descriptor.includePendingChanges)
    else { return }
    plan.query.filter = .conjunction([plan.query.filter, filter])
  }

  /// A filter that every record within a bound matches; nil if it takes reading too much to find one.
  private func filter(of bound: RelatedBound, includesPending: Bool) throws -> Filter? {
    switch bound {
    case .filter(let filter): return filter
    case .related(let condition):
      return try filter(of: condition, includesPending: includesPending)
    case .all(let parts):
      return .conjunction(
        try parts.compactMap { try filter(of: $0, includesPending: includesPending) }
      )
    case .any(let parts):
      var filters: [Filter] = []
      for part in parts {
        guard let filter = try filter(of: part, includesPending: includesPending) else {
          return nil
        }
        filters.append(filter)
      }
      return .disjunction(filters)
    }
  }

  /// The filter for the records that refer to one of the few others with a condition.
  ///
  /// Nil if there are many, or for a store that reads everything anyway.
  private func filter(of condition: RelatedCondition, includesPending: Bool) throws -> Filter? {
    var found: [PersistentIdentifier] = []
    for entity in try stores.schema.entity(named: condition.destination).family {
      guard includesPending || !pending.mayContain(entity: entity.name),
        try !connection(for: entity.name).looksUpByScanning
      else { return nil }
      found += try fetchIdentifiers(
        matching: Query(entity.name, filter: condition.filter, limit: Self.relatedLimit + 1)
      )
      if found.count > Self.relatedLimit { return nil }
    }
    // A store does not know the identifiers of new records.
    guard !found.contains(where: \.isTemporary) else { return nil }
    return .isIn(condition.field, found.map { .link($0) })
  }

  private func models<T: PersistentModel>(
    of plan: FetchPlan<T>,
    _ descriptor: FetchDescriptor<T>
  ) throws -> [T] {
    let snapshots = try fetchedSnapshots(plan, descriptor)
    let models: [T] = try objects(of: snapshots)
    try prepareFollowing(snapshots, descriptor)
    if plan.isExact || descriptor.includePendingChanges { return try plan.finish(models) }
    return try plan.finish(models, evaluating: storedModels(snapshots))
  }

  /// The objects for snapshots, in order.
  private func objects<T: PersistentModel>(of snapshots: [DefaultSnapshot]) throws -> [T] {
    var models: [T] = []
    models.reserveCapacity(snapshots.count)
    registry.reserve(snapshots.count)
    var scope: IdentifierScope?
    var description: ModelDescription?
    // A store never returns a record twice, so an empty registry needs no lookups.
    let isFresh = registry.isWithoutModels
    for snapshot in snapshots {
      if scope != snapshot.persistentIdentifier.identifierScope {
        scope = snapshot.persistentIdentifier.identifierScope
        let entity = try stores.schema.entity(named: snapshot.persistentIdentifier.entityName)
        description = entity.modelDescription
      }
      let arranged = description.map { $0.entity.arranged(snapshot) } ?? snapshot
      if let model: T = try object(of: arranged, description, isNew: isFresh) {
        models.append(model)
      }
    }
    return models
  }

  /// The object for a snapshot, refreshed if it has no unsaved changes; nil if it is of another class.
  ///
  /// The lookup is skipped if the record is known to be new in this context.
  private func object<T: PersistentModel>(
    of snapshot: DefaultSnapshot,
    _ description: ModelDescription?,
    isNew: Bool
  ) throws -> T? {
    guard let description, ObjectIdentifier(description.type) == ObjectIdentifier(T.self),
      isNew || registry[snapshot.persistentIdentifier] == nil
    else { return registry.model(of: try register(snapshot)) }
    return registry.makeModel(description, snapshot)
  }

  /// Returns a function that maps a model with unsaved changes to one with the values of the store.
  private func storedModels<T: PersistentModel>(_ snapshots: [DefaultSnapshot]) -> (T) throws -> T {
    let changed = snapshots.filter { pending[$0.persistentIdentifier] != nil }
    let byIdentifier = Dictionary(
      changed.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    return { model in
      guard let snapshot = byIdentifier[model.persistentModelID] else { return model }
      let entity = model.persistentState.entity
      let state = ModelState(entity: entity, snapshot: entity.arranged(snapshot))
      state.owner = self.registry.owner
      return self.registry.model(of: state) ?? model
    }
  }

  private func fetchedSnapshots<T: PersistentModel>(
    _ plan: FetchPlan<T>,
    _ descriptor: FetchDescriptor<T>
  ) throws -> [DefaultSnapshot] {
    let query = plan.query
    let family = try stores.schema.entity(named: query.entityName).family
    if let identifiers = plan.identifiers {
      let names = Set(family.map(\.name))
      return try snapshots(
        of: identifiers.filter { names.contains($0.entityName) }.sorted(),
        descriptor.includePendingChanges
      )
    }
    guard family.count > 1 else { return try snapshots(of: query, descriptor) }
    var all: [DefaultSnapshot] = []
    for entity in family {
      var part = query
      part.entityName = entity.name
      part.limit = nil
      part.offset = 0
      all += try snapshots(of: part, descriptor)
    }
    // The fields of the superentity come first in every layout, so its slots are valid for all of them.
    try SnapshotOrder(query.sort, layout: family[0].layout).sort(&all)
    return Array(all[query.window(of: all.count)])
  }

  private func snapshots<T: PersistentModel>(of query: Query, _ descriptor: FetchDescriptor<T>)
    throws -> [DefaultSnapshot]
  {
    let connection = try connection(for: query.entityName)
    let isWhole = descriptor.includePendingChanges && pending.mayContain(entity: query.entityName)
    if connection.looksUpByScanning, !isWhole,
      try stores.schema.entity(named: query.entityName).modelType == T.self
    {
      var request = FetchDescriptor<T>(query)
      request.relationshipKeyPathsForPrefetching = descriptor.relationshipKeyPathsForPrefetching
      request.propertiesToFetch = descriptor.propertiesToFetch
      var others: [DefaultSnapshot] = []
      let snapshots = try connection.snapshots(matching: query, of: request, related: &others)
      related.add(others)
      return snapshots
    }
    return descriptor.includePendingChanges
      ? try fetchSnapshots(matching: query) : try connection.snapshots(matching: query)
  }

  private func snapshots(
    of identifiers: [PersistentIdentifier],
    _ includePendingChanges: Bool
  ) throws -> [DefaultSnapshot] {
    guard includePendingChanges else {
      let stored = try storedSnapshots(for: identifiers)
      return identifiers.compactMap { stored[$0] }
    }
    let found = try snapshots(for: identifiers)
    return identifiers.compactMap { pending.kind(of: $0) == .deleted ? nil : found[$0] }
  }
}
