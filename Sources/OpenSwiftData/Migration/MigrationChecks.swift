/// Checks records against a new schema; every error names entity and field.
struct MigrationChecks {
  let schema: Schema

  /// Checks all records.
  ///
  /// - Throws: `PersistenceError`: `.invalidSchema` for a missing value, `.notUnique`, or `.invalidValue` for
  ///   a value that no field of its type can hold.
  /// - Complexity: O(n) in the values.
  func check(_ records: MigrationRecords) throws {
    for entity in schema.entities {
      let snapshots = records[entity.name]
      for (slot, field) in entity.fields.enumerated() {
        for snapshot in snapshots {
          try check(snapshot.orderedValues[slot], field, entity, snapshot.persistentIdentifier)
        }
        if field.isUnique { try checkUnique(snapshots, slot, "\(entity.name).\(field.name)") }
      }
    }
  }

  private func check(
    _ value: Value,
    _ field: Schema.Attribute,
    _ entity: Schema.Entity,
    _ identifier: PersistentIdentifier
  ) throws {
    let name = "\(entity.name).\(field.name)"
    if value.isNull, !field.isOptional { throw Self.missing(name, identifier) }
    guard field.accepts(value), value.brokenRule == nil else {
      throw PersistenceError(
        .invalidValue,
        "\(name): \(Value.quoted(value.text)) "
          + "\(value.brokenRule ?? "is not a valid \(field.type)") (record \(identifier))"
      )
    }
  }

  /// Checks that the values of a unique field are unique.
  func checkUnique(_ snapshots: [DefaultSnapshot], _ slot: Int, _ name: String) throws {
    var seen: [Value: PersistentIdentifier] = [:]
    for snapshot in snapshots where !snapshot.orderedValues[slot].isNull {
      let value = snapshot.orderedValues[slot]
      guard let other = seen.updateValue(snapshot.persistentIdentifier, forKey: value) else {
        continue
      }
      throw PersistenceError(
        .notUnique,
        "\(name): must be unique; records \(other) and \(snapshot.persistentIdentifier) both "
          + "have \(value.inWords)"
      )
    }
  }

  static func missing(_ name: String, _ identifier: PersistentIdentifier) -> PersistenceError {
    PersistenceError(
      .invalidSchema,
      "\(name): now required, but record \(identifier) has no value; add a default, "
        + "make it optional, or fill it in a migration stage"
    )
  }

  static func lossy(
    _ name: String,
    _ origin: Schema.Attribute,
    _ field: Schema.Attribute,
    _ value: Value,
    _ identifier: PersistentIdentifier
  ) -> PersistenceError {
    PersistenceError(
      .invalidSchema,
      "\(name): \(Value.quoted(value.text)) (\(origin.type)) cannot be converted to "
        + "\(field.type) (record \(identifier)); convert it in a migration stage"
    )
  }
}
