/// The one object for each state, and the one state for each record.
extension ModelRegistry {
  /// Registers the state of a record that was read from the store.
  func add(_ state: ModelState) {
    state.owner = owner
    register(state)
  }

  /// Registers a state under its permanent identifier instead of its temporary one, with its object.
  func register(
    _ state: ModelState,
    _ model: (any PersistentModel)?,
    as identifier: PersistentIdentifier
  ) {
    if let model { state.attach(any: model) }
    register(state, as: identifier)
  }

  /// The registered state for a snapshot, refreshed if it has no unsaved changes; nil if there is none.
  func refreshed(_ snapshot: DefaultSnapshot) -> ModelState? {
    guard let state = self[snapshot.persistentIdentifier] else { return nil }
    if !state.isDirty {
      state.replaceValues(state.entity.arranged(snapshot).orderedValues)
      state.isDeleted = false
    }
    return state
  }

  /// Creates and registers the object of a record that is not registered yet.
  func makeModel<T: PersistentModel>(_ description: ModelDescription, _ snapshot: DefaultSnapshot)
    -> T
  {
    let state = ModelState(description, snapshot)
    state.owner = owner
    let model = T(persistentState: state)
    state.model = model
    register(state)
    return model
  }

  /// The object of the state; nil if it is of another class.
  func model<T: PersistentModel>(of state: ModelState, as type: T.Type = T.self) -> T? {
    if let model = state.knownModel as? T { return model }
    if state.description == nil || type == Record.self { return T(persistentState: state) }
    return anyModel(of: state) as? T
  }

  /// The object of the state.
  func anyModel(of state: ModelState) -> any PersistentModel {
    if let model = state.knownModel { return model }
    guard let description = state.description else { return Record(persistentState: state) }
    func make<T: PersistentModel>(_ type: T.Type) -> any PersistentModel {
      let model = T(persistentState: state)
      state.attach(model)
      if self[state.identifier] == nil { register(state) }
      return model
    }
    return make(description.type)
  }

  /// The record object of the state.
  func record(of state: ModelState) -> Record {
    (state.knownModel as? Record) ?? Record(persistentState: state)
  }

  /// The object that unsaved changes keep alive; never nil for model classes.
  func objectToHold(of state: ModelState) -> (any PersistentModel)? {
    state.description == nil ? state.model : anyModel(of: state)
  }
}

extension ModelState {
  /// The object of the state while it is referenced or held by an unsaved change.
  fileprivate var knownModel: (any PersistentModel)? {
    model ?? (isDirty ? heldModel : nil)
  }
}
