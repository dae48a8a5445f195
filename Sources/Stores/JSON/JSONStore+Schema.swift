package import OpenSwiftData

extension JSONStore {
  /// The schema in the header of a catalog; other files have none and are never migrated.
  package var storedSchema: Schema? {
    withSession { $0.content.document.format.isCatalog ? $0.content.table.schema : nil }
  }

  package var isReadOnly: Bool { configuration.isReadOnly }

  package var isUnwritten: Bool {
    withSession { session in
      session.version == nil && !configuration.isReadOnly
        && !session.content.table.schema.entities.isEmpty
    }
  }

  package var keepsSchema: Bool { withSession { $0.content.document.format.isCatalog } }

  /// Rejects names that the file already uses for something else.
  package func checkNames(_ change: SchemaChange, _ session: Session) throws {
    try checkNames(change, session.content)
  }

  private func checkNames(_ change: SchemaChange, _ content: JSONContent) throws {
    let document = content.document
    switch change {
    case .createEntity(let entity):
      if document.format.isCatalog {
        try JSONHeader.check(Schema(Schema.Entity(entity.name)), path: configuration.path)
      }
      guard
        !document.format.hasOneEntity
          || document.format.isFlat && content.table.schema.entities.isEmpty
      else {
        throw oneEntityOnly
      }
      guard document.format.isFlat || !document.foreignKeys.contains(entity.name) else {
        throw PersistenceError(
          .invalidSchema,
          "\(configuration.path): key \"\(entity.name)\" is already used for something else"
        )
      }
    case .addAttribute(_, let attribute): try checkName(attribute.name, change, document)
    case .renameAttribute(_, let former, let name):
      try checkNameField(former, document)
      try checkName(name, change, document)
    case .dropAttribute(let entity, let name):
      try checkNameField(name, document)
      let fields = content.table.schema.entitiesByName[entity]?.fields ?? []
      try checkHasColumn(entity, fields.map(\.name).filter { $0 != name }, content)
    case .replaceSchema(let replacement):
      let schema = content.table.schema
      if document.format.hasOneEntity, replacement.schema.entities.count > 1 {
        throw oneEntityOnly
      }
      for entity in replacement.schema.entities {
        try checkHasColumn(entity.name, entity.fields.map(\.name), content)
        guard let origins = replacement.origins[entity.name] else {
          if schema.entitiesByName[entity.name] == nil {
            try checkNames(.createEntity(entity), content)
          }
          continue
        }
        for field in entity.fields where origins[field.name] != field.name {
          try checkName(field.name, .addAttribute(entity: entity.name, field), document)
        }
      }
    }
  }

  /// Refuses to change the field with the names of records, without which they have no place.
  private func checkNameField(_ name: String, _ document: JSONDocument) throws {
    guard case .json(.named) = document.format, name == JSONLayout.nameField else { return }
    throw PersistenceError(
      .unsupported,
      "\(configuration.path): the field \"\(name)\" is the name of each record in the file"
    )
  }

  /// Refuses to remove the last column of separated values: without one, records would be empty lines.
  private func checkHasColumn(_ entity: String, _ names: [String], _ content: JSONContent) throws {
    guard content.document.format.isSeparated, names.isEmpty,
      content.table.table(of: entity)?.liveCount ?? 0 > 0
    else { return }
    throw PersistenceError(
      .unsupported,
      "\(configuration.path): the records would be empty lines without a column; add another field first, or delete "
        + "the records and save"
    )
  }

  private var oneEntityOnly: PersistenceError {
    PersistenceError(
      .unsupported,
      "\(configuration.path): this format holds one entity; use saveas to make a catalog first"
    )
  }

  private func checkName(_ name: String, _ change: SchemaChange, _ document: JSONDocument) throws {
    if let dialect = document.format.dialect, dialect.header == nil, !dialect.columns.isEmpty,
      name != DelimitedDialect.name(ofColumn: dialect.columns.count)
    {
      throw PersistenceError(
        .unsupported,
        "\(configuration.path): the file has no header line, so it cannot keep names of columns; "
          + "use saveas to make a file with one"
      )
    }
    guard let section = document.section(of: change.entityName),
      document.sections[section].foreignKeys.contains(name)
    else { return }
    throw PersistenceError(
      .invalidSchema,
      "\(configuration.path): \(change.entityName) records already have a member \"\(name)\" outside the schema"
    )
  }
}
