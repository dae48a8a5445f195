import OpenSwiftData
import SQL
import Stores

/// A change of the schema of a database of our own, and of its tables.
struct OwnTableChange {
  private let database: OwnDatabase
  let replacement: SchemaReplacement
  /// The fields that it converts.
  let replaced: ReplacedFields
  /// Their former values.
  var formerValues: [DefaultSnapshot] = []
  /// The change with its steps, as the history keeps it.
  let bytes: [UInt8]

  init(_ change: SchemaChange, steps: [SchemaStep], of database: OwnDatabase) throws {
    let schema = database.schema
    _ = try schema.applying(change)
    self.database = database
    if case .replaceSchema(let whole) = change {
      replacement = whole
    } else {
      replacement = try SchemaStep.replacement(
        SchemaStep(change).map { [$0] } ?? [],
        from: schema
      )
    }
    replaced = ReplacedFields(replacement, of: schema, steps: steps)
    bytes = database.reader.codec.encode(change, steps: steps)
  }

  /// Checks that records have values in new required fields without a default.
  func checkRequiredValues() throws {
    for table in database.ordered {
      let origins = replacement.origins[table.entity.name]
      for column in table.columns
      where !column.field.isOptional && column.field.defaultValue.isNull
        && origins?[column.field.name] == nil
      {
        let sql = try table.select(
          [],
          where: "\(column.name.quotedName) IS NULL",
          limit: 1
        )
        guard let row = try database.connection.rows(sql).first,
          let identifier = table.key.identifier(row, in: table.scope)
        else { continue }
        throw PersistenceError(
          .invalidValue,
          "\(table.entity.name).\(column.field.name): a value is required (record \(identifier))"
        )
      }
    }
  }

  /// Creates the indexes: afterward, because only the changes of records may make values unique.
  func createIndexes() throws { try database.createIndexes() }

  /// Gives each table the columns of the new schema, by a copy if they differ.
  func rebuild() throws {
    let (connection, store) = (database.connection, database.identifier)
    let own = OwnTables(replacement.schema, store: store)
    var kept: Set<String> = []
    var renamed: [(from: String, to: String)] = []
    connection.releaseStatements()
    for (place, table) in own.ordered.enumerated() {
      let origins = replacement.origins[table.entity.name]
      let old = origins == nil ? nil : database.tables[table.entity.name]
      let names = table.entity.fields.map(\.name)
      if let old, old.name == table.name, names.allSatisfy({ origins?[$0] == $0 }),
        own.creation(of: table)
          == OwnTables(database.schema, store: store).creation(of: old)
      {
        kept.insert(old.name)
        continue
      }
      let name = "catalog_new_\(place)"
      for statement in own.creation(of: table, as: name) { try connection.run(statement) }
      renamed.append((name, table.name))
      if let old, let origins { try copy(old, to: table, named: name, origins) }
    }
    for table in database.ordered where !kept.contains(table.name) {
      try connection.run("DROP TABLE main.\(table.name.quotedName)")
    }
    for (from, to) in renamed {
      try connection.run(
        "ALTER TABLE main.\(from.quotedName) RENAME TO \(to.quotedName)"
      )
    }
    database.use(replacement.schema)
  }

  private func copy(
    _ old: TableDescription,
    to new: TableDescription,
    named name: String,
    _ origins: [String: String]
  ) throws {
    var sources: [SQLText] = [SQLText(old.keyColumns[0])]
    for column in new.columns {
      if let origin = origins[column.field.name], let slot = old.entity.layout.slot(of: origin) {
        sources.append(SQLText(old.columns[slot].name.quotedName))
      } else {
        sources.append("\(column.form.stored(column.field.defaultValue) ?? .null)")
      }
    }
    try database.connection.run(
      "INSERT INTO main.\(name.quotedName) (\(new.selection(Array(new.columns.indices)))) SELECT "
        + .joined(sources, by: ", ") + " FROM \(old.source)"
    )
  }
}
