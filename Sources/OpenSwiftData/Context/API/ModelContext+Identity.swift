extension ModelContext {
  /// The model with this identifier.
  ///
  /// Never traps. If the record does not exist or cannot be read, the returned model belongs to no context,
  /// and its `isDeleted` is true.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    let identifier = resolve(persistentModelID)
    do {
      if let state = try fetching.statesPresent(among: [identifier])[identifier] {
        return registry.anyModel(of: state)
      }
    } catch {
      // This call cannot throw; `isDeleted` reports the failure.
    }
    return missingModel(identifier)
  }

  /// The model with this identifier; nil when it does not exist or is of another class.
  ///
  /// - Throws: The store's error if it cannot be read.
  public func existingModel<T: PersistentModel>(
    for persistentModelID: PersistentIdentifier,
    as type: T.Type = T.self
  ) throws -> T? {
    let identifier = resolve(persistentModelID)
    guard let state = try fetching.statesPresent(among: [identifier])[identifier], !state.isDeleted
    else {
      return nil
    }
    return registry.model(of: state, as: type)
  }

  private func missingModel(_ identifier: PersistentIdentifier) -> any PersistentModel {
    func make<T: PersistentModel>(_ type: T.Type) -> any PersistentModel {
      missingModel(identifier) as T
    }
    return schema.entitiesByName[identifier.entityName]?.modelType.map { make($0) }
      ?? missingModel(identifier) as Record
  }

  /// A placeholder for a record that does not exist; its `isDeleted` is true.
  func missingModel<T: PersistentModel>(_ identifier: PersistentIdentifier) -> T {
    let state: ModelState
    if T.self == Record.self {
      let entity = schema.entitiesByName[identifier.entityName]
      state = ModelState(entity: entity ?? Schema.Entity(identifier.entityName))
    } else {
      state = ModelState(for: T.self)
    }
    state.identifier = identifier
    state.isDeleted = true
    return T(persistentState: state)
  }
}
