/// The versions of a schema, and how records get from one to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, in any order: their numbers tell which is newer.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The ways from each version to the next, in any order.
  ///
  /// Without any, everything follows from the schema of the store and the wanted one. A stage that leads
  /// back to an older version is never taken.
  static var stages: [MigrationStage] { get }
}
