import OpenSwiftData

/// One transaction of a `TableStore` that has passed all checks: perhaps a change of the schema, then
/// changes of records.
package struct TableChange: Sendable {
  /// What happens to the schema, and what that makes of the records.
  struct SchemaPart: Sendable {
    /// The change as it was asked for, and as the history tells it.
    let change: SchemaChange
    /// The same change, spelled out for all entities.
    let replacement: SchemaReplacement
    /// The schema before it.
    let former: Schema
    /// The records under the new schema, before the changes of records.
    let records: RecordTable
    /// The records after all changes.
    let changedRecords: RecordTable

    /// The schema after the change.
    var schema: Schema { replacement.schema }
    /// True when it was asked for as a schema as a whole.
    var isReplacement: Bool { if case .replaceSchema = change { true } else { false } }
  }

  /// The changes of records, under the new schema and with permanent identifiers.
  let changes: ChangeSet
  /// Nil when the schema stays.
  var schema: SchemaPart?
  let author: String?
  /// False when the schema alone is to follow the program: that is no reason to make a file.
  let isSave: Bool

  /// Makes the change in the records it was checked against.
  func apply(to table: inout RecordTable) {
    if let schema { table = schema.changedRecords } else { table.apply(changes) }
  }
}
