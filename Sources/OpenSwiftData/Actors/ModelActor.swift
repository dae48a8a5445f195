/// An actor with its own context, for work on models off the main thread.
///
/// The macro `@ModelActor` adds the requirements and an initializer. Models must not leave the actor; pass
/// their identifiers.
public protocol ModelActor: Actor {
  /// The container that the actor uses.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor of the actor, which has its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The context of the actor.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The executor of the actor: the model executor.
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

  /// The model with this identifier; nil if it does not exist or is of another class.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    // A model that cannot be read counts as missing; fetching it throws the error.
    try? modelContext.existingModel(for: id, as: type)
  }

  private nonisolated static func unowned<E: SerialExecutor>(_ executor: E) -> UnownedSerialExecutor
  {
    executor.asUnownedSerialExecutor()
  }
}
