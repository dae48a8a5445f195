/// The registry of one object per record, and its stores.
extension ModelContext {
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

  /// The states of the records that still exist.
  func statesPresent(among identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: ModelState]
  {
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
    for snapshot in try storedSnapshots(for: missing).values {
      states[snapshot.persistentIdentifier] = try register(snapshot)
    }
    return states
  }

  /// The registered state for a snapshot, refreshed if it has no unsaved changes.
  func register(_ snapshot: DefaultSnapshot) throws -> ModelState {
    if let state = registry.refreshed(snapshot) { return state }
    let entity = try schema.entity(named: snapshot.persistentIdentifier.entityName)
    let state = ModelState(entity: entity, snapshot: entity.arranged(snapshot))
    registry.add(state)
    return state
  }

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
      return try merging.withoutMerging { try statesPresent(among: identifiers) }
    } catch {
      tracker.report(
        PersistenceError(.inaccessible, "cannot read related records: \(error)", cause: error)
      )
      return [:]
    }
  }

  /// The connections to the stores, after merging the changes of other contexts.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  func connections() throws -> [any StoreConnection] {
    try merging.enter()
    return stores.open()
  }
}
