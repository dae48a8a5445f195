public import OpenSwiftData

/// Makes a class a persistent model: its stored properties become the attributes and relationships of
/// an entity with the name of the class.
///
/// The class may be final or not, of any access, nested, or a subclass of another model class. Every
/// stored property without `@Transient` must be a `var` of a type that stores support: numbers, text,
/// dates and the like, anything `Codable`, models, arrays of models, and optionals of these. A class
/// whose properties all have initial values needs no initializer.
@attached(
  member,
  conformances: PersistentModel,
  names: named(_$model),
  named(_$state),
  named(_$firstSlot),
  named(_$KeyPaths),
  named(_$keyPaths),
  named(_$metadata),
  named(persistentState),
  named(schemaMetadata),
  named(init),
  named(access),
  named(withMutation),
  named(_SwiftDataNoType)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// Declares how an attribute of a model is stored.
///
/// - Parameters:
///   - options: Rules and hints, such as `.unique`.
///   - originalName: The name of the attribute in older stores.
///   - hashModifier: Distinguishes versions of a declaration that have the same shape.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributePropertyMacro")

/// Declares how a stored property of a model refers to other models.
///
/// Name the inverse on one side only: the compiler reports a circular reference if both sides name each
/// other.
///
/// - Parameters:
///   - options: Rules, such as `.unique`.
///   - deleteRule: What happens to the other side when the model is deleted.
///   - minimumModelCount: The minimum number of models; zero and nil set no limit.
///   - maximumModelCount: The maximum number of models; zero and nil set no limit.
///   - originalName: The name of the relationship in older stores.
///   - inverse: The key path of the inverse relationship.
///   - hashModifier: Distinguishes versions of a declaration that have the same shape.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option...,
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0,
  originalName: String? = nil,
  inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

/// Keeps a stored property of a model out of the store; it needs a default value.
///
/// Its changes are observed, unless it is lazy, weak or has observers or another wrapper.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "SwiftDataMacros", type: "TransientPropertyMacro")

/// Makes the property read and write one slot of the model's values; `@Model` adds it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ slot: Int, mayInherit: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// Makes changes of a transient property observable; `@Model` adds it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _ObservedTransient() =
  #externalMacro(module: "SwiftDataMacros", type: "ObservedTransientMacro")

/// Declares the properties whose combined values must be unique among the models of a class.
///
/// - Parameters:
///   - constraints: The properties of each constraint.
///   - policy: What happens when two models have the same values.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(
  _ constraints: [PartialKeyPath<T>]...,
  policy: Schema.UniquePolicy = .upsert
) = #externalMacro(module: "SwiftDataMacros", type: "ConstraintMacro")

/// Declares the properties of a model by which its records are looked up.
///
/// - Parameter indices: The properties of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "ConstraintMacro")

/// Declares the properties of a model by which its records are looked up, and the kind of each index.
///
/// - Parameter indices: The kind and the properties of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "ConstraintMacro")
