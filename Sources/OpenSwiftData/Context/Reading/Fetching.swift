/// Reads records from the stores, as they are with the unsaved changes of the context.
///
/// Before it reads, it merges what other contexts have saved. Records get one state each, which is registered
/// while it is referenced.
final class Fetching {
  let stores: ContextStores
  let pending: PendingChanges
  let registry: ModelRegistry
  let tracker: ChangeTracker
  let merging: Merging
  let related: RelatedRecords
  /// The records that a command has read by their identifiers; nil while no command runs.
  var held: HeldRecords?

  init(
    _ stores: ContextStores,
    _ pending: PendingChanges,
    _ registry: ModelRegistry,
    _ tracker: ChangeTracker,
    _ merging: Merging,
    _ related: RelatedRecords
  ) {
    self.related = related
    self.stores = stores
    self.pending = pending
    self.registry = registry
    self.tracker = tracker
    self.merging = merging
  }

  /// The connections to the stores, after merging the changes of other contexts.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func connections() throws -> [any StoreConnection] {
    try merging.enter()
    return stores.open()
  }

  /// The connection to the store of the entity, after merging the changes of other contexts.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity` or `.wrongThread`.
  func connection(for entityName: String) throws -> any StoreConnection {
    try merging.enter()
    return try stores.connection(for: entityName)
  }

  /// The stored records with these identifiers, without unsaved changes; temporary identifiers are skipped.
  func storedSnapshots(
    for identifiers: [PersistentIdentifier],
    _ attributes: [String]? = nil
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try merging.storedSnapshots(for: identifiers, attributes)
  }

  /// The stored records with many identifiers, as `storedSnapshots(for:_:)` returns them; can be stopped.
  func storedSnapshots(inBatches identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
    snapshots.reserveCapacity(identifiers.count)
    try identifiers.forEachBatch { batch in
      snapshots.merge(try storedSnapshots(for: Array(batch))) { first, _ in first }
    }
    return snapshots
  }

  // MARK: States

  /// The states of records, taken from the registry or read from the store and registered.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when a record is in neither.
  func states(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier: ModelState]
  {
    let states = try statesPresent(among: identifiers)
    for identifier in identifiers where states[identifier] == nil {
      throw PersistenceError(
        .unknownRecord,
        "\(identifier.entityName) record \(identifier) no longer exists"
      )
    }
    return states
  }

  /// The states of many records, as `states(for:)` returns them; can be stopped.
  func states(inBatches identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: ModelState]
  {
    let counter = WorkCounter("reading", of: identifiers.count)
    var states: [PersistentIdentifier: ModelState] = [:]
    states.reserveCapacity(identifiers.count)
    try identifiers.forEachBatch { batch in
      states.merge(try self.states(for: Array(batch))) { first, _ in first }
      try counter.add(batch.count)
    }
    return states
  }

  /// The states of different records of one entity, in order.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when one does not exist.
  func states(inOrder identifiers: [PersistentIdentifier]) throws -> [ModelState] {
    if identifiers.count == 1, let state = registry[identifiers[0]] { return [state] }
    let known = identifiers.map { registry[$0] }
    let missing = zip(identifiers, known).filter { $1 == nil }.map(\.0)
    guard let first = missing.first else { return known.compactMap { $0 } }
    let connection = try connection(for: first.entityName)
    let read = try connection.page(for: missing.filter { !$0.isTemporary }, attributes: nil)
      .snapshots
    // `states(for:)` throws for the missing record.
    guard read.count == missing.count else {
      let states = try states(for: identifiers)
      return identifiers.compactMap { states[$0] }
    }
    var next = 0
    return try known.map { state in
      if let state { return state }
      defer { next += 1 }
      return try register(read[next])
    }
  }

  /// The states of the records that still exist.
  func statesPresent(among identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: ModelState]
  {
    try statesPresent(among: identifiers) { Array(try storedSnapshots(for: $0).values) }
  }

  private func statesPresent(
    among identifiers: [PersistentIdentifier],
    read: ([PersistentIdentifier]) throws -> [DefaultSnapshot]
  ) throws -> [PersistentIdentifier: ModelState] {
    var states: [PersistentIdentifier: ModelState] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let state = registry[identifier] {
        states[identifier] = state
      } else {
        missing.append(identifier)
      }
    }
    guard !missing.isEmpty else { return states }
    for snapshot in try read(missing) {
      states[snapshot.persistentIdentifier] = try register(snapshot)
    }
    return states
  }

  /// The registered state for a snapshot, refreshed if it has no unsaved changes.
  func register(_ snapshot: DefaultSnapshot) throws -> ModelState {
    if let state = registry.refreshed(snapshot) { return state }
    let entity = try stores.schema.entity(named: snapshot.persistentIdentifier.entityName)
    let state = ModelState(entity: entity, snapshot: entity.arranged(snapshot))
    registry.add(state)
    return state
  }

}

// MARK: Related records

extension Fetching {
  /// The models with these identifiers, in order; identifiers without a record are skipped.
  func modelsPresent(for identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    var models: [any PersistentModel] = []
    models.reserveCapacity(identifiers.count)
    let missing = identifiers.filter { registry[$0] == nil }
    // Held until all models exist, because nothing else references a state that was just read.
    let read = missing.isEmpty ? [:] : present(missing)
    for identifier in identifiers {
      guard let state = registry[identifier], !state.isDeleted else { continue }
      models.append(registry.anyModel(of: state))
    }
    withExtendedLifetime(read) {}
    return models
  }

  /// The state of a record, read if necessary; nil if the record does not exist.
  func statePresent(for identifier: PersistentIdentifier) -> ModelState? {
    registry[identifier] ?? present([identifier])[identifier]
  }

  private func present(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: ModelState]
  {
    do {
      // The caller is reading links, so a merge must not change them while their list is built.
      return try merging.withoutMerging {
        try statesPresent(among: identifiers, read: relatedSnapshots)
      }
    } catch {
      tracker.report(
        PersistenceError(.inaccessible, "cannot read related records: \(error)", cause: error)
      )
      return [:]
    }
  }

  /// The stored records with these identifiers, read together with those that other fetched models refer to
  /// if the store would read all of them for each.
  private func relatedSnapshots(_ identifiers: [PersistentIdentifier]) throws -> [DefaultSnapshot] {
    guard stores.looksUpByScanning || !related.isEmpty else {
      return Array(try storedSnapshots(for: identifiers).values)
    }
    return try related.records(for: identifiers, schema: stores.schema) {
      try storedSnapshots(for: $0)
    }
  }

  /// Prepares following the relationships of fetched models.
  ///
  /// - Throws: The error of the store, for relationships to prefetch.
  func prepareFollowing<T: PersistentModel>(
    _ snapshots: [DefaultSnapshot],
    _ descriptor: FetchDescriptor<T>
  ) throws {
    let isScanning = stores.looksUpByScanning
    let keyPaths = descriptor.relationshipKeyPathsForPrefetching
    guard isScanning || !keyPaths.isEmpty else { return }
    for (name, found) in Dictionary(grouping: snapshots, by: \.persistentIdentifier.entityName) {
      let entity = try stores.schema.entity(named: name)
      if isScanning { related.noteFetched(found, of: entity) }
      let slots = keyPaths.compactMap { entity.modelDescription?.slot(ofInherited: $0) }
        .filter { entity.fields[$0].type.destination != nil }
      guard !slots.isEmpty else { continue }
      try related.prefetch(slots, of: found.map(entity.arranged), schema: stores.schema) {
        try storedSnapshots(for: $0)
      }
    }
  }
}
