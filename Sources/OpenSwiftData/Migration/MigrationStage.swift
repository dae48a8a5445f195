/// A migration stage from one version of a schema to the next.
///
/// A stage works on a copy in memory. The store saves the result of all stages in one step; if a stage
/// throws, the store is unchanged.
public enum MigrationStage: Sendable {
  /// The migration follows from the two schemas.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// Code runs before and after the migration that follows from the schemas.
  ///
  /// The first closure uses the models of the former version, the second those of the new one. Unsaved
  /// changes in their contexts are saved.
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (ModelContext) throws -> Void)?
  )
  /// Code runs with access to both the old and the new records.
  ///
  /// It receives the old records as plain values, and a context of the new version that contains the
  /// rearranged records. Unsaved changes in the context are saved.
  case transform(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @Sendable (MigrationRecords, ModelContext) throws -> Void
  )

  /// A stage whose code has access to both the old and the new records.
  ///
  /// Records keep their identifiers: `old[trip.persistentModelID]` is the old record of a trip in the new
  /// context. The code must set values that do not follow from the schemas (a required field without default,
  /// text that becomes a number); if one is missing afterwards, the migration fails with an error that names
  /// it.
  public static func custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @escaping @Sendable (_ old: MigrationRecords, _ new: ModelContext) throws -> Void
  ) -> MigrationStage {
    .transform(fromVersion: fromVersion, toVersion: toVersion, migrate: migrate)
  }
}

extension MigrationStage {
  /// The version that the stage starts from.
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
