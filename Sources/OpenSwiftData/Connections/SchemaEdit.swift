/// A change of the schema that can be undone and redone.
///
/// Keeps the values of a dropped field so that undo can restore them. Confined to the thread of its context.
final class SchemaEdit: @unchecked Sendable {
  // Unchecked because undo steps are declared Sendable; only the context that made it uses it.

  /// The step.
  let step: SchemaStep
  /// The step that undoes it.
  let inverse: SchemaStep
  /// The values removed when the field was last dropped, by whether the inverse step has dropped it.
  var dropped: [Bool: DroppedValues] = [:]
  /// Unsaved deletions of records of a removed entity.
  var forgotten: [PendingChange] = []

  /// Creates an edit from a step and the schema before it.
  ///
  /// - Throws: `PersistenceError` when the step does not apply to the schema.
  init(_ step: SchemaStep, in schema: Schema) throws {
    self.step = step
    inverse = try step.inverse(in: schema)
  }
}

/// The values of a dropped field.
struct DroppedValues {
  /// The stored and the current value of a record with unsaved changes.
  struct Pending {
    /// Nil for a new record.
    let original: Value?
    let value: Value
  }

  let name: String
  /// The records of the store as they were; nil when the field was never saved.
  let records: (any RecordReading)?
  let pending: [PersistentIdentifier: Pending]
}
