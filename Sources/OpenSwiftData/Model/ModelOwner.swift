/// What the state of a model asks of the context that it belongs to.
///
/// Models come before contexts in the order of the library's folders; this is all that they know of one.
protocol ModelOwner: AnyObject {
  /// The numbers that objects fed to hashers.
  var hashes: HashTable { get }

  /// Makes a model, and all that it refers to, part of the context.
  func insert<T: PersistentModel>(_ model: T)

  /// Changes a value of one of the owner's states and tracks the change.
  func setValue(_ value: Value, at slot: Int, of state: ModelState)

  /// The models with these identifiers, read if need be; those that are not there are left out.
  func modelsPresent(for identifiers: [PersistentIdentifier]) -> [any PersistentModel]

  /// The state of a record, read if need be; nil when it is not there.
  func statePresent(for identifier: PersistentIdentifier) -> ModelState?

  /// Makes the next save look at `problems` of the state.
  func noteProblem(of state: ModelState)

  /// Keeps what cannot be thrown where it happened; the next save throws it.
  func report(_ problem: PersistenceError)
}
