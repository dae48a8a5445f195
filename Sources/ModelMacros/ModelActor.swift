import OpenSwiftData

/// Gives an actor its own context: the properties `modelExecutor` and `modelContainer`, the conformance
/// to `ModelActor`, and `init(modelContainer:)` unless the actor declares one.
@attached(
  member,
  names: named(modelExecutor),
  named(modelContainer),
  named(init)
)
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "SwiftDataMacros", type: "PersistentModelActorMacro")
