import OpenSwiftData

/// One transaction of a `TableStore` that has passed all checks: perhaps a change of the schema, then
/// changes of records.
package struct TableChange: Sendable {
  /// A change of the schema, and its effect on the records.
  struct SchemaPart: Sendable {
    /// The change as requested, which is also how the history reports it.
    let change: SchemaChange
    /// The same change, written out for all entities.
    let replacement: SchemaReplacement
    /// The schema before the change.
    let former: Schema
    /// The records under the new schema, before the changes to records.
    let records: RecordTable
    /// The records after all changes.
    let changedRecords: RecordTable
    /// The records of the entities that the change removes.
    let removedRecords: [DefaultSnapshot]

    /// The schema after the change.
    var schema: Schema { replacement.schema }
    /// True if the caller gave a complete schema rather than single changes.
    var isReplacement: Bool { if case .replaceSchema = change { true } else { false } }
  }

  /// The changes to records, under the new schema and with permanent identifiers; empty if there are `newRows` and the
  /// schema does not change, or the session begins with them.
  let changes: ChangeSet
  /// Many new records, which are all that changes beside the schema.
  var newRows: NewRows?
  /// Nil if the schema does not change.
  var schema: SchemaPart?
  let author: String?
  /// False if the change only brings the schema up to date with the program; no file is created for
  /// that.
  let isSave: Bool
  /// The message of the save, if any.
  var message: String?
  /// The changes that a change of the schema combines, in their order; empty for a single one.
  var steps: [SchemaStep] = []
  /// The former values of converted fields, as in `Transaction`.
  var formerValues: [DefaultSnapshot] = []

  /// True if records change.
  var changesRecords: Bool { newRows != nil || !changes.isEmpty }

  /// The fields that the change of the schema replaces; nil if it is not one of the complete schema.
  var replacedFields: ReplacedFields? {
    guard let schema, schema.isReplacement else { return nil }
    return ReplacedFields(schema.replacement, of: schema.former, steps: steps)
  }

  /// Applies the change to the records that it was checked against.
  func apply(to table: inout RecordTable) {
    if let schema {
      table = schema.changedRecords
    } else if let newRows {
      table.append(newRows)
    } else {
      table.apply(changes)
    }
  }

  /// All changes to records, as the history returns them, with the deletion of records whose entity is removed.
  ///
  /// - Complexity: O(n) in the number of new rows.
  var allChanges: ChangeSet {
    var all = newRows?.changes ?? changes
    all.deleted += schema?.removedRecords ?? []
    return all
  }
}
