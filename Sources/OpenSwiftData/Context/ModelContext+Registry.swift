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
      if let state = state(identifier) {
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

  /// True when the context knows no record and lookups can be skipped.
  var isWithoutModels: Bool { registry.isEmpty && pending.isEmpty }

  /// The registered object for a snapshot; nil if it is of another class.
  ///
  /// The object is refreshed if it has no unsaved changes.
  ///
  /// The lookup is skipped if the record is known to be new in this context.
  func registeredModel<T: PersistentModel>(
    of snapshot: DefaultSnapshot,
    _ description: ModelDescription?,
    isNew: Bool
  ) throws -> T? {
    guard let description, ObjectIdentifier(description.type) == ObjectIdentifier(T.self),
      isNew || state(snapshot.persistentIdentifier) == nil
    else { return model(of: try register(snapshot)) }
    let state = ModelState(description, snapshot)
    state.owner = self
    let model = T(persistentState: state)
    state.model = model
    registry.register(state)
    return model
  }

  /// The registered state for a snapshot, refreshed if it has no unsaved changes.
  func register(_ snapshot: DefaultSnapshot) throws -> ModelState {
    if let state = state(snapshot.persistentIdentifier) {
      if !state.isDirty {
        state.replaceValues(state.entity.arranged(snapshot).orderedValues)
        state.isDeleted = false
      }
      return state
    }
    let entity = try schema.entity(named: snapshot.persistentIdentifier.entityName)
    let state = ModelState(entity: entity, snapshot: entity.arranged(snapshot))
    state.owner = self
    registry.register(state)
    return state
  }

  func registeredState(_ identifier: PersistentIdentifier) -> ModelState? { state(identifier) }

  /// The state of a record that this context knows; new records are found among the changes.
  func state(_ identifier: PersistentIdentifier) -> ModelState? {
    if identifier.isTemporary, let change = pending[identifier] { return change.state }
    return registry[identifier]
  }

  /// The identifiers of all records whose state or model is still referenced.
  var registeredIdentifiers: [PersistentIdentifier] { registry.states.map(\.identifier) }

  /// The object of the state; nil if it is of another class.
  func model<T: PersistentModel>(of state: ModelState, as type: T.Type = T.self) -> T? {
    if let model = (state.model ?? pending[state]?.model) as? T { return model }
    if state.description == nil || type == Record.self { return T(persistentState: state) }
    return anyModel(of: state) as? T
  }

  /// The object of the state.
  func anyModel(of state: ModelState) -> any PersistentModel {
    if let model = state.model ?? pending[state]?.model { return model }
    guard let description = state.description else { return Record(persistentState: state) }
    func make<T: PersistentModel>(_ type: T.Type) -> any PersistentModel {
      let model = T(persistentState: state)
      state.attach(model)
      if registry[state.identifier] == nil { registry.register(state) }
      return model
    }
    return make(description.type)
  }

  func record(of state: ModelState) -> Record {
    ((state.model ?? pending[state]?.model) as? Record) ?? Record(persistentState: state)
  }

  /// The models with these identifiers, in order; identifiers without a record are skipped.
  func modelsPresent(for identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    var models: [any PersistentModel] = []
    models.reserveCapacity(identifiers.count)
    let missing = identifiers.filter { state($0) == nil }
    // Held until all models exist, because nothing else references a state that was just read.
    let read = missing.isEmpty ? [:] : present(missing)
    for identifier in identifiers {
      guard let state = state(identifier), !state.isDeleted else { continue }
      models.append(anyModel(of: state))
    }
    withExtendedLifetime(read) {}
    return models
  }

  /// The state of a record, read if necessary; nil if the record does not exist.
  func statePresent(for identifier: PersistentIdentifier) -> ModelState? {
    state(identifier) ?? present([identifier])[identifier]
  }

  private func present(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: ModelState]
  {
    // The caller is reading links, so a merge must not change them while their list is built.
    let isHeld = merging.isHeld
    merging.isHeld = true
    defer { merging.isHeld = isHeld }
    do {
      return try statesPresent(among: identifiers)
    } catch {
      problem = PersistenceError(
        .inaccessible,
        "cannot read related records: \(error)",
        cause: error
      )
      return [:]
    }
  }

  /// Registers a state under its permanent identifier.
  func reRegister(
    _ state: ModelState,
    _ model: (any PersistentModel)?,
    as identifier: PersistentIdentifier
  ) {
    if let model { state.attach(any: model) }
    registry.register(state, as: identifier)
  }

  func register(reserving count: Int) { registry.reserve(count) }

  func forget(_ state: ModelState) {
    registry.remove(state.identifier)
    state.owner = nil
  }

  /// The stores, after adopting the schemas that have changed since the last call.
  func connections() throws -> [any StoreConnection] {
    try enter()
    if knownConnections.isEmpty {
      knownConnections = container.connections(for: editingState)
        .map { container.isTyped ? $0 : StagedConnection($0) }
    }
    let connections = knownConnections
    let schemas = connections.map(\.schema)
    guard !schemas.elementsEqual(knownSchemas, by: ===) else { return connections }
    let isFirst = knownSchemas.isEmpty
    knownSchemas = schemas
    if !isFirst { adopt(schemas) }
    return connections
  }

  /// Rearranges the records of entities that changed.
  ///
  /// Does nothing if a store has reloaded its file and only has new objects for an equal schema. Undo steps
  /// stay valid because each contains the layout of its values.
  func adopt(_ schemas: [Schema]) {
    for state in registry.states + pending.all(.inserted).map(\.state) {
      let name = state.entity.name
      guard let entity = schemas.lazy.compactMap({ $0.entitiesByName[name] }).first,
        entity != state.entity
      else { continue }
      pending.arrange(state, for: entity)
      state.orderedValues = entity.fitted(state.snapshot)
      state.entity = entity
    }
  }
}
