/// The way from one version of a schema to the next.
///
/// Whatever a stage does, it does to a copy in memory. The store gets the outcome of all stages in one
/// step; when one of them throws, the store is as it was.
public enum MigrationStage: Sendable {
  /// Everything follows from the two schemas.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// Code runs before and after that: the first sees the models of the former version, the second those
  /// of the new one. What they leave unsaved in their contexts is saved.
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (ModelContext) throws -> Void)?
  )
  /// Code runs that sees old and new together: the records as they were as plain values, and a context
  /// of the new version, in which they are already arranged. What it leaves unsaved is saved.
  case transform(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @Sendable (MigrationRecords, ModelContext) throws -> Void
  )

  /// A stage whose code sees old and new together.
  ///
  /// Records keep their identifiers: `old[trip.persistentModelID]` is what a trip of the new context was
  /// before. Values that cannot follow from the schemas alone (a required field without default, text
  /// that becomes a number) are for the code to set; what is missing after it is refused by name.
  public static func custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @escaping @Sendable (_ old: MigrationRecords, _ new: ModelContext) throws -> Void
  ) -> MigrationStage {
    .transform(fromVersion: fromVersion, toVersion: toVersion, migrate: migrate)
  }
}

extension MigrationStage {
  /// The version that the stage begins with.
  var origin: any VersionedSchema.Type {
    switch self {
    case .lightweight(let from, _), .custom(let from, _, _, _), .transform(let from, _, _): from
    }
  }

  /// The version that it leads to.
  var destination: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let to), .custom(_, let to, _, _), .transform(_, let to, _): to
    }
  }

  /// True when code of the program runs.
  var runsCode: Bool {
    switch self {
    case .lightweight: false
    case .custom(_, _, let before, let after): before != nil || after != nil
    case .transform: true
    }
  }
}
