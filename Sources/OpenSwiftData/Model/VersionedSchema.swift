/// A schema as one version of a program had it.
///
/// The entity of a model is named after its class without those around it: `SchemaV1.Trip` and a
/// `Trip` outside of any version mean the same records.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The version.
  static var versionIdentifier: Schema.Version { get }
}
