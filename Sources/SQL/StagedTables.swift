package import OpenSwiftData

/// The tables of a database of our own as they would be after a change of the schema: queries of the present ones.
package struct StagedTables: Sendable {
  /// The schema after the change.
  package let schema: Schema
  /// The tables in the order of the schema.
  package let ordered: [TableDescription]
  /// The tables by entity.
  package let tables: [String: TableDescription]

  /// Describes the tables after a replacement of the schema.
  ///
  /// - Parameters:
  ///   - replacement: The change.
  ///   - present: The tables by entity.
  ///   - store: The identifier of the store.
  package init(
    _ replacement: SchemaReplacement,
    of present: [String: TableDescription],
    store: String
  ) {
    let ordered = OwnTables(replacement.schema, store: store).ordered.map { table in
      let name = table.entity.name
      var table = table
      table.source = Self.source(
        of: table,
        from: replacement.origins[name] == nil ? nil : present[name],
        replacement.origins[name] ?? [:]
      )
      return table
    }
    self.init(schema: replacement.schema, ordered)
  }

  /// Uses tables as they are.
  package init(schema: Schema, _ tables: [TableDescription]) {
    self.schema = schema
    ordered = tables
    self.tables = Dictionary(tables.map { ($0.entity.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// The rows of a table, as they follow `FROM`; none for a new one.
  private static func source(
    of table: TableDescription,
    from old: TableDescription?,
    _ origins: [String: String]
  ) -> String {
    guard let old else {
      let names = table.keyColumns + table.columns.map(\.name.quotedName)
      return "(SELECT " + names.map { "NULL AS \($0)" }.joined(separator: ", ") + " WHERE 0)"
    }
    let columns = table.columns.map { column in
      let slot = origins[column.field.name].flatMap { old.entity.layout.slot(of: $0) }
      let content = slot.map { old.columns[$0].name.quotedName } ?? literal(ofDefault: column)
      return "\(content) AS \(column.name.quotedName)"
    }
    let all = ["\(old.keyColumns[0]) AS \(table.keyColumns[0])"] + columns
    return "(SELECT " + all.joined(separator: ", ") + " FROM \(old.source))"
  }

  private static func literal(ofDefault column: ColumnDescription) -> String {
    let value = column.form.stored(column.field.defaultValue) ?? .null
    // The text of a statement ends at a NUL.
    if case .text(let text) = value, text.utf8.contains(0) {
      return SQLValue.damagedText(Array(text.utf8)).literal
    }
    return value.literal
  }
}
