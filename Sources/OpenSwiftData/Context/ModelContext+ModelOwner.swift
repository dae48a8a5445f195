extension ModelContext: ModelOwner {
  var hashes: HashTable { container.hashes }

  func report(_ problem: PersistenceError) { self.problem = problem }
}

extension ModelState {
  /// The context, which lives as long as one of its models.
  // Only contexts own states.
  public var context: ModelContext? { owner as? ModelContext }
}

extension PersistentModel {
  /// The context it belongs to; nil before insertion and after the deletion was saved.
  public var modelContext: ModelContext? { persistentState.context }
}
