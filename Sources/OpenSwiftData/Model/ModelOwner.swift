/// The interface of a context for the states of its models.
///
/// Model code does not depend on contexts and uses only this protocol.
protocol ModelOwner: AnyObject {
  /// The hash numbers of objects.
  var hashes: HashTable { get }

  /// Inserts a model and all models that it refers to into the context.
  func insert<T: PersistentModel>(_ model: T)

  /// Changes a value of one of the owner's states and tracks the change.
  func setValue(_ value: Value, at slot: Int, of state: ModelState)

  /// The models with these identifiers, read if necessary; identifiers without a record are skipped.
  func modelsPresent(for identifiers: [PersistentIdentifier]) -> [any PersistentModel]

  /// The state of a record, read if necessary; nil if it does not exist.
  func statePresent(for identifier: PersistentIdentifier) -> ModelState?

  /// Makes the next save check the `problems` of the state.
  func noteProblem(of state: ModelState)

  /// Keeps an error that cannot be thrown where it occurred; the next save throws it.
  func report(_ problem: PersistenceError)
}
