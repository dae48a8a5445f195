/// An actor with a context of its own, for work on models off the main thread.
///
/// The macro `@ModelActor` writes the requirements and an initialiser. Models do not leave the actor; pass
/// their identifiers.
public protocol ModelActor: Actor {
  /// The container that the actor works on.
  nonisolated var modelContainer: ModelContainer { get }
  /// What runs the jobs of the actor and has its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The context of the actor.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// What runs the jobs of the actor: the model executor.
  ///
  /// - Precondition: The model executor is serial.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialExecutor else {
      preconditionFailure(
        "the model executor of \(Self.self) does not run its jobs one by one; use a SerialModelExecutor"
      )
    }
    return Self.unowned(executor)
  }

  /// The model with this identifier; nil when there is none, or when it is of another class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    // A model that cannot be read is not there for now; fetching it says why.
    try? modelContext.existingModel(for: id, as: type)
  }

  private nonisolated static func unowned<E: SerialExecutor>(_ executor: E) -> UnownedSerialExecutor
  {
    executor.asUnownedSerialExecutor()
  }
}
