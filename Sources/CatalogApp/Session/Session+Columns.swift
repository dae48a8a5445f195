import OpenSwiftData

/// Columns of the table that are not fields.
extension Session {
  /// The column for a field or a path; nil for a name that is neither.
  ///
  /// - Throws: As `path(_:of:)`.
  func column(_ name: String, of entity: Schema.Entity) throws -> TableColumn? {
    if entity.fieldsByName[name] != nil { return TableColumn(name) }
    return try path(name, of: entity).map {
      TableColumn(name, path: TableColumn.Path(field: $0.field, type: $0.type))
    }
  }

  /// The titles of records; those without a title, and those that do not exist, are missing.
  ///
  /// - Throws: The error of a store that cannot be read.
  func titles(of records: [PersistentIdentifier]) throws -> [PersistentIdentifier: String] {
    var titles: [PersistentIdentifier: String] = [:]
    for (record, snapshot) in try context.snapshots(for: records) {
      guard let entity = context.schema.entitiesByName[record.entityName] else { continue }
      let title = RecordTitle.text(of: snapshot.orderedValues, in: entity)
      if !title.isEmpty { titles[record] = title }
    }
    return titles
  }
}
