import OpenSwiftData

/// Columns of the table that are not fields.
extension Session {
  /// The column for a field or a path; nil for a name that is neither.
  ///
  /// - Throws: As `path(_:of:)`.
  func column(_ name: String, of entity: Schema.Entity) throws -> TableColumn? {
    if entity.fieldsByName[name] != nil { return TableColumn(name) }
    if case .computed(let path)? = computedPaths(of: entity).first(where: { $0.name == name }) {
      return TableColumn(name, expression: path.expression)
    }
    return try path(name, of: entity).map {
      TableColumn(name, path: TableColumn.Path(field: $0.fields.first ?? "", type: $0.type))
    }
  }

  /// The column that a person means, in any case and with shortened names: a field, a column of the table, or a path; nil
  /// for a name that is none of them.
  ///
  /// - Throws: As `path(_:of:)`.
  func column(typed text: String, of entity: Schema.Entity) throws -> TableColumn? {
    let name =
      entity.fieldName(typed: text) ?? origin.nameOfColumn(typed: text, of: entity)
      ?? ColumnArrangement.name(typed: text, among: computedPaths(of: entity).map(\.name))
      ?? FieldPath(typed: text, of: entity, in: context.schema)?.name
    return try column(name ?? text, of: entity)
  }

  /// The same, which must be there.
  ///
  /// - Throws: As `path(_:of:)`, and `CommandError` that names the nearest field.
  func requireColumn(_ text: String, of entity: Schema.Entity) throws -> TableColumn {
    if let column = try column(typed: text, of: entity) { return column }
    let names = entity.fields.map(\.name)
    throw CommandError(
      Suggestion.message("no field", text, among: names),
      code: .unknownField
    )
  }
}

extension CommandOrigin {
  /// The name of the column of the table that a person means; nil if there is none.
  func nameOfColumn(typed text: String, of entity: Schema.Entity) -> String? {
    guard let screen, screen.entityName == entity.name else { return nil }
    return ColumnArrangement.name(typed: text, among: screen.columns)
  }
}

extension ModelContext {
  /// The titles of records; those without a title, and those that do not exist, are missing.
  ///
  /// - Throws: The error of a store that cannot be read.
  func titles(of records: [PersistentIdentifier]) throws -> [PersistentIdentifier: String] {
    var titles: [PersistentIdentifier: String] = [:]
    for (record, snapshot) in try snapshots(for: records) {
      guard let entity = schema.entitiesByName[record.entityName] else { continue }
      let title = RecordTitle.text(of: snapshot.orderedValues, in: entity)
      if !title.isEmpty { titles[record] = title }
    }
    return titles
  }
}
