/// The schema of one version of a program.
///
/// The entity of a model has the name of its class without enclosing types: `SchemaV1.Trip` and a `Trip`
/// outside of any version refer to the same records.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The version.
  static var versionIdentifier: Schema.Version { get }
}
