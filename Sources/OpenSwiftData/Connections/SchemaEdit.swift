/// A change of the schema as a step that can be taken back and done again.
///
/// Knows what goes with a field, so that undo brings it back. Confined to the thread of its context.
final class SchemaEdit: @unchecked Sendable {
  // Unchecked because undo steps are declared Sendable; only the context that made it uses it.

  /// What is done.
  let step: SchemaStep
  /// What takes it back.
  let inverse: SchemaStep
  /// What went when the field was dropped last.
  var dropped: DroppedValues?
  /// Unsaved deletions of records of an entity that was removed again.
  var forgotten: [PendingChange] = []

  /// Describes a step on a schema from before it.
  ///
  /// - Throws: `PersistenceError` when it is not possible there.
  init(_ step: SchemaStep, in schema: Schema) throws {
    self.step = step
    inverse = try step.inverse(in: schema)
  }
}

/// The values of a field that is dropped.
struct DroppedValues {
  /// Values of the store and here, of a record with unsaved changes.
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
