/// A schema as one version of a program had it.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The version.
  static var versionIdentifier: Schema.Version { get }
}

/// The versions of a schema, oldest first.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
}
