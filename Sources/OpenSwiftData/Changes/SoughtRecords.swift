/// New records of a command that updates the record with a key or adds it: until the save, another program may add it.
package struct SoughtRecords: Sendable {
  let entityName: String
  /// The fields of the key.
  let fields: [String]
  /// The fields that the command has set; nil for those that differ from their defaults.
  let assigned: Set<String>?
  /// The numbers in the temporary identifiers of the records.
  let serials: Range<UInt64>

  /// True if the record is one of them.
  func contains(_ identifier: PersistentIdentifier) -> Bool {
    identifier.isTemporary && serials.contains(identifier.words.low)
      && identifier.entityName == entityName
  }

  /// True if the command has set the field of a new record.
  func assigns(_ field: Schema.Attribute, _ value: Value) -> Bool {
    assigned?.contains(field.name) ?? (!value.isNull && value != field.defaultValue)
  }
}

/// The cause of a conflict: others have added the records that a save was about to add.
struct TakenKeys: Error {
  /// By the new record here, the one with the same key.
  let records: [PersistentIdentifier: PersistentIdentifier]

  var error: PersistenceError {
    PersistenceError(
      .conflict,
      "another program has added records with the same keys",
      cause: self
    )
  }
}
