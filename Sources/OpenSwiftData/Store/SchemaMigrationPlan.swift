/// The versions of a schema and the stages that migrate records between them.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, in any order; their numbers determine which is newer.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages from each version to the next, in any order.
  ///
  /// A version without a stage is followed by the next one, if that follows from the two schemas. Without any stages, the
  /// migration follows from the schema of the store and the requested one. A stage to an older version is never used.
  static var stages: [MigrationStage] { get }
}
