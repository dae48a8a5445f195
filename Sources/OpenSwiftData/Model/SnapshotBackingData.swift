/// Values for creating a snapshot of a store's own type, in no context.
struct SnapshotBackingData<Model: PersistentModel>: BackingData {
  let state: ModelState

  init(_ state: ModelState) { self.state = state }

  init(for modelClass: Model.Type) { state = ModelState(for: modelClass) }

  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }
}

extension DefaultSnapshot {
  /// The values in the form that the initializer of a snapshot takes.
  func backingData(of entity: Schema.Entity, modelType: any PersistentModel.Type)
    -> any BackingData
  {
    func open<T: PersistentModel>(_ type: T.Type) -> any BackingData {
      SnapshotBackingData<T>(detachedState(of: entity, type: type))
    }
    return open(modelType)
  }

  /// The values as a model state in no context.
  func detachedState<T: PersistentModel>(of entity: Schema.Entity, type: T.Type) -> ModelState {
    let own =
      T.self == Record.self ? entity : (ModelDescription.of(type) as ModelDescription).entity
    return ModelState(entity: own, snapshot: own.arranged(self))
  }
}
