extension ModelContext: ModelOwner {
  var hashes: HashTable { container.hashes }

  func report(_ problem: PersistenceError) { self.problem = problem }
}

extension ModelState {
  /// The context, which stays alive as long as one of its models.
  public var context: ModelContext? { owner as? ModelContext }
}

extension PersistentModel {
  /// The context that the model belongs to; nil before insertion and after its deletion was saved.
  public var modelContext: ModelContext? { persistentState.context }
}
