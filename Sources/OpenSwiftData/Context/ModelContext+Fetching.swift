import Foundation

extension ModelContext {
  func connection(for entityName: String) throws -> any StoreConnection {
    let connections = try self.connections()
    if let connection = connections.first(where: { $0.schema.entitiesByName[entityName] != nil }) {
      return connection
    }
    _ = try schema.entity(named: entityName)
    throw PersistenceError(.unknownEntity, "unknown entity \(Value.quoted(entityName))")
  }

  // MARK: Plain values

  /// The identifiers of the records that match, in order, unsaved changes included.
  ///
  /// Without sort keys, changed records keep their place and new ones come last.
  ///
  /// - Complexity: what the store needs, and O(n) when there are unsaved changes of the entity.
  public func fetchIdentifiers(matching query: Query) throws -> [PersistentIdentifier] {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.contains(entity: query.entityName) else {
      return try connection.identifiers(matching: query)
    }
    let merged = try PendingMerge(query, pending: pending, connection: connection).identifiers()
    return query.limit == nil && query.offset == 0
      ? merged : Array(merged[query.window(of: merged.count)])
  }

  /// The number of records that match, unsaved changes included.
  public func fetchCount(matching query: Query) throws -> Int {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.contains(entity: query.entityName) else {
      return try connection.count(matching: query)
    }
    return try fetchIdentifiers(matching: query).count
  }

  /// The records that match, in order, unsaved changes included, without making models of them.
  public func fetchSnapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let connection = try connection(for: query.entityName)
    try query.validate(for: connection.schema.entity(named: query.entityName))
    guard pending.contains(entity: query.entityName) else {
      return try connection.snapshots(matching: query)
    }
    let identifiers = try fetchIdentifiers(matching: query)
    let snapshots = try self.snapshots(for: identifiers)
    let layout = query.attributes.map { SnapshotLayout($0) }
    return identifiers.compactMap { identifier in
      snapshots[identifier].map { snapshot in layout.map { snapshot.arranged(as: $0) } ?? snapshot }
    }
  }

  /// The records with these identifiers as they are in this context, deleted ones not saved included.
  public func snapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    if pending.isEmpty { return try storedSnapshots(for: identifiers) }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    var stored: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let change = pending[identifier] {
        found[identifier] = change.state.snapshot
      } else {
        stored.append(identifier)
      }
    }
    if !stored.isEmpty {
      found.merge(try storedSnapshots(for: stored)) { first, _ in first }
    }
    return found
  }

  func storedSnapshots(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]
  {
    let permanent = identifiers.filter { !$0.isTemporary }
    let connections = try self.connections()
    if connections.count == 1 { return try connections[0].snapshots(for: permanent) }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for connection in connections {
      let own = permanent.filter { connection.schema.entitiesByName[$0.entityName] != nil }
      if !own.isEmpty { found.merge(try connection.snapshots(for: own)) { first, _ in first } }
    }
    return found
  }

  /// What the next save will do to a record; nil when nothing.
  public func pendingKind(of identifier: PersistentIdentifier) -> PendingKind? {
    switch pending[identifier]?.kind {
    case .inserted: .inserted
    case .updated: .updated
    case .deleted: .deleted
    case nil: nil
    }
  }

  /// What a save does to a record.
  public enum PendingKind: Hashable, Sendable {
    /// It is new.
    case inserted
    /// Its values change.
    case updated
    /// It goes.
    case deleted
  }

  /// At most so many records whose identifier begins with the text, unsaved ones included.
  public func identifiers(withPrefix prefix: String, entityName: String? = nil, limit: Int = 2)
    throws
    -> [PersistentIdentifier]
  {
    var found = unsavedIdentifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    for connection in try connections() where found.count < limit {
      found += try connection.identifiers(
        withPrefix: prefix,
        entityName: entityName,
        limit: limit - found.count
      )
    }
    return found
  }

  /// The new records whose identifier begins with the text; those begin with a `t`, but for records that
  /// came back under their own.
  private func unsavedIdentifiers(withPrefix prefix: String, entityName: String?, limit: Int)
    -> [PersistentIdentifier]
  {
    guard pending.counts.inserted > 0 else { return [] }
    let mayBeTemporary = prefix.isEmpty || prefix.hasPrefix("t")
    var found: [PersistentIdentifier] = []
    pending.forEach { state in
      guard state.pendingKind == .inserted, found.count < limit,
        mayBeTemporary || !state.identifier.isTemporary,
        entityName == nil || state.identifier.entityName == entityName,
        state.identifier.hasPrefix(prefix)
      else { return }
      found.append(state.identifier)
    }
    return found
  }

  /// The records with exactly this identifier, unsaved ones included: one of each entity at most.
  ///
  /// - Complexity: O(log n) for each entity.
  package func identifiers(exactly text: String) throws -> [PersistentIdentifier] {
    let serial =
      text.utf8.first == UInt8(ascii: "t") && text.utf8.count < 20 ? UInt64(text.dropFirst()) : nil
    var possible: [PersistentIdentifier] = []
    for connection in try connections() {
      for entity in connection.schema.entities {
        let scope = IdentifierScope(store: connection.identifier, entity: entity.name)
        possible.append(scope.identifier(parsing: text))
        guard let serial, pending.counts.inserted > 0 else { continue }
        let unsaved = IdentifierScope(store: nil, entity: entity.name)
        possible.append(unsaved.temporaryIdentifier(serial, context: number))
      }
    }
    return try snapshots(for: possible).keys.filter { $0.description == text }.sorted()
  }

  // MARK: Models

  /// The records with these identifiers, in the same order.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when one is not there.
  public func records(for identifiers: [PersistentIdentifier]) throws -> [Record] {
    let states = try states(for: identifiers)
    return identifiers.compactMap { states[$0].map { record(of: $0) } }
  }

  /// The model if this context already has it.
  public func registeredModel<T: PersistentModel>(for identifier: PersistentIdentifier) -> T? {
    registeredState(identifier).flatMap { $0.isDeleted ? nil : model(of: $0) }
  }

  /// Fetches the models that the descriptor asks for, unsaved changes included.
  ///
  /// - Throws: What the store says.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try answer(descriptor) { plan in
      try self.models(of: plan, descriptor)
    }
  }

  /// Counts the models that the descriptor asks for.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try answer(descriptor) { plan in
      guard plan.isExact else { return try self.models(of: plan, descriptor).count }
      guard try self.schema.entity(named: plan.query.entityName).subentities.isEmpty else {
        return try self.fetchedSnapshots(plan, descriptor).count
      }
      return descriptor.includePendingChanges
        ? try self.fetchCount(matching: plan.query)
        : try self.connection(for: plan.query.entityName).count(matching: plan.query)
    }
  }

  /// The identifiers of the models that the descriptor asks for, in order.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws
    -> [PersistentIdentifier]
  {
    try answer(descriptor) { plan in
      guard plan.isExact else {
        return try self.models(of: plan, descriptor).map(\.persistentModelID)
      }
      guard try self.schema.entity(named: plan.query.entityName).subentities.isEmpty else {
        return try self.fetchedSnapshots(plan, descriptor).map(\.persistentIdentifier)
      }
      return descriptor.includePendingChanges
        ? try self.fetchIdentifiers(matching: plan.query)
        : try self.connection(for: plan.query.entityName).identifiers(matching: plan.query)
    }
  }

  /// Follows the plan, and where the store refuses to filter or sort, the plan without it.
  private func answer<T: PersistentModel, Answer>(
    _ descriptor: FetchDescriptor<T>,
    _ follow: (FetchPlan<T>) throws -> Answer
  ) throws -> Answer {
    let plan = try FetchPlan(descriptor, in: schema)
    do {
      return try follow(plan)
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
      return try follow(plan.withoutStore(descriptor))
    }
  }

  private func models<T: PersistentModel>(
    of plan: FetchPlan<T>,
    _ descriptor: FetchDescriptor<T>
  ) throws -> [T] {
    let snapshots = try fetchedSnapshots(plan, descriptor)
    let models: [T] = try objects(of: snapshots)
    if plan.isExact || descriptor.includePendingChanges { return try plan.finish(models) }
    return try plan.finish(models, evaluating: storedModels(snapshots))
  }

  /// The objects of snapshots, in order.
  private func objects<T: PersistentModel>(of snapshots: [DefaultSnapshot]) throws -> [T] {
    var models: [T] = []
    models.reserveCapacity(snapshots.count)
    register(reserving: snapshots.count)
    var scope: IdentifierScope?
    var description: ModelDescription?
    // A store answers with no record twice, so nothing need be looked up where nothing is known.
    let isFresh = isWithoutModels
    for snapshot in snapshots {
      if scope != snapshot.persistentIdentifier.identifierScope {
        scope = snapshot.persistentIdentifier.identifierScope
        let entity = try schema.entity(named: snapshot.persistentIdentifier.entityName)
        description = entity.modelDescription
      }
      let arranged = description.map { $0.entity.arranged(snapshot) } ?? snapshot
      if let model: T = try registeredModel(of: arranged, description, isNew: isFresh) {
        models.append(model)
      }
    }
    return models
  }

  /// Finds for a model with unsaved changes one that is as the store has it.
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
      state.owner = self
      return self.model(of: state) ?? model
    }
  }

  private func fetchedSnapshots<T: PersistentModel>(
    _ plan: FetchPlan<T>,
    _ descriptor: FetchDescriptor<T>
  ) throws -> [DefaultSnapshot] {
    let query = plan.query
    let family = try schema.entity(named: query.entityName).family
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
    // The fields of the superentity come first in all of them, so its places hold for all.
    try SnapshotOrder(query.sort, layout: family[0].layout).sort(&all)
    return Array(all[query.window(of: all.count)])
  }

  private func snapshots<T: PersistentModel>(of query: Query, _ descriptor: FetchDescriptor<T>)
    throws -> [DefaultSnapshot]
  {
    descriptor.includePendingChanges
      ? try fetchSnapshots(matching: query)
      : try connection(for: query.entityName).snapshots(matching: query)
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
    return identifiers.compactMap { pendingKind(of: $0) == .deleted ? nil : found[$0] }
  }

  /// Fetches in batches: identifiers now, models when they are looked at.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws
    -> FetchResultsCollection<T>
  {
    FetchResultsCollection(
      identifiers: try fetchIdentifiers(descriptor),
      batchSize: max(1, batchSize),
      context: self
    )
  }

  /// As `fetchIdentifiers(_:)`; all identifiers are read at once whatever the size.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(identifiers: try fetchIdentifiers(descriptor))
  }

  /// Runs the block over the models batch by batch, so that few of them are alive at a time.
  public func enumerate<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws {
    let identifiers = try fetchIdentifiers(descriptor)
    for start in stride(from: 0, to: identifiers.count, by: max(1, batchSize)) {
      // The block may have saved: new records have other identifiers then, deleted ones are gone.
      let batch = identifiers[start..<min(start + max(1, batchSize), identifiers.count)]
        .map(resolve)
      let states = try statesPresent(among: batch)
      for identifier in batch {
        guard let state = states[identifier], !state.isDeleted,
          let model = model(of: state, as: T.self)
        else { continue }
        try block(model)
      }
    }
  }
}
