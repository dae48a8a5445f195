extension ModelContext: ModelOwner {
  var hashes: HashTable { container.hashes }

  func setValue(_ value: Value, at slot: Int, of state: ModelState) {
    tracker.setValue(value, at: slot, of: state)
  }

  func modelsPresent(for identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    fetching.modelsPresent(for: identifiers)
  }

  func statePresent(for identifier: PersistentIdentifier) -> ModelState? {
    fetching.statePresent(for: identifier)
  }

  func noteProblem(of state: ModelState) { tracker.noteProblem(of: state) }

  func report(_ problem: PersistenceError) { tracker.report(problem) }
}

extension ModelState {
  /// The context, which stays alive as long as one of its models.
  public var context: ModelContext? { owner as? ModelContext }
}

extension PersistentModel {
  /// The context that the model belongs to; nil before insertion and after its deletion was saved.
  ///
  /// A model that was never saved has nothing to save when it is deleted: nil from then on.
  public var modelContext: ModelContext? {
    let state = persistentState
    return state.isDeleted && state.identifier.isTemporary ? nil : state.context
  }
}
