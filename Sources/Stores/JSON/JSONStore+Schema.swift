package import OpenSwiftData

extension JSONStore {
  /// Changes the schema and the records with it.
  ///
  /// A catalog of ours is saved at once. In a file of somebody else, new entities and fields are kept
  /// in memory until some record uses them; renamed and dropped fields are saved at once.
  ///
  /// - Throws: `PersistenceError` that says why the change is not possible; nothing is changed then.
  package func apply(_ change: SchemaChange, author: String?) throws {
    try writing { state in
      try checkWritable()
      if case .replaceSchema = change {
        throw PersistenceError(.unsupported, "replacing the whole schema requires a migration")
      }
      try checkNames(change, state.content)
      let former = state.content.table.schema
      var changed = state.content.table
      try changed.apply(change)
      let step = JSONSchemaStep(change, from: former, to: changed.schema, state.content)
      if state.version != nil, step.isSaved {
        let isCatalog = state.content.document.form == .catalog
        let extras = state.content.document.headerExtras
        let header =
          isCatalog
          ? JSONHeader.text(store: identifier, schema: changed.schema, keeping: extras) : nil
        _ = try save(&state, schema: changed.schema) { document, table in
          try JSONPlan(
            ChangeSet(),
            document,
            table,
            header: header,
            sectionsToCreate: step.sections,
            patchingAll: step.patch
          )
        }
        state.content.isHeaderStale = false
      }
      state.content.table = changed
      if case .renameAttribute(let entity, let from, let to) = change,
        let place = state.content.document.section(of: entity)
      {
        let rows = state.content.document.sections[place].bareCells.removeValue(forKey: from)
        state.content.document.sections[place].bareCells[to] = rows
      }
      _ = record(ChangeSet(), change, author, &state)
    }
  }

  /// Refuses what would meet something else that stands in the file under the same name.
  func checkNames(_ change: SchemaChange, _ content: JSONContent) throws {
    let document = content.document
    switch change {
    case .createEntity(let entity):
      if document.form == .catalog {
        try JSONHeader.check(Schema(Schema.Entity(entity.name)), path: configuration.path)
      }
      guard document.form != .array,
        document.form != .lines || content.table.schema.entities.isEmpty
      else {
        throw PersistenceError(
          .unsupported,
          "\(configuration.path): this format holds one entity; use saveas to make a catalog first"
        )
      }
      guard document.form == .lines || !document.foreignKeys.contains(entity.name) else {
        throw PersistenceError(
          .invalidSchema,
          "\(configuration.path): key \"\(entity.name)\" is already used for something else"
        )
      }
    case .addAttribute(_, let attribute): try checkName(attribute.name, change, document)
    case .renameAttribute(_, _, let name): try checkName(name, change, document)
    case .dropAttribute: break
    case .replaceSchema(let replacement):
      let schema = content.table.schema
      for entity in replacement.schema.entities {
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

  private func checkName(_ name: String, _ change: SchemaChange, _ document: JSONDocument) throws {
    guard let section = document.section(of: change.entityName),
      document.sections[section].foreignKeys.contains(name)
    else { return }
    throw PersistenceError(
      .invalidSchema,
      "\(configuration.path): \(change.entityName) records already have a member \"\(name)\" outside the schema"
    )
  }
}

/// What a change of the schema means for the text of the file.
private struct JSONSchemaStep {
  /// False when the text stays as it is.
  var isSaved = true
  /// Entities that get an empty array.
  var sections: [String] = []
  var patch: (entity: String, patch: JSONRecordPatch)?

  init(_ change: SchemaChange, from former: Schema, to changed: Schema, _ content: JSONContent) {
    let isCatalog = content.document.form == .catalog
    var patch = JSONRecordPatch()
    switch change {
    case .createEntity(let entity):
      isSaved = isCatalog
      sections = [entity.name]
    case .addAttribute(_, let attribute):
      // In a catalog an absent member has the default.
      isSaved = isCatalog || !attribute.defaultValue.isNull
      if !isCatalog { patch.values = [(attribute.name, attribute.defaultValue, false)] }
    case .renameAttribute(_, let from, let to): patch.renames = [(from, to)]
    case .dropAttribute(_, let name): patch.removals = [name]
    case .replaceSchema: preconditionFailure("a schema as a whole is migrated")
    }
    if isCatalog, let old = former.entitiesByName[change.entityName]?.identifierKey,
      let new = changed.entitiesByName[change.entityName]?.identifierKey, old != new
    {
      patch.renames.append((old, new))
    }
    if isSaved, !(patch.values.isEmpty && patch.renames.isEmpty && patch.removals.isEmpty) {
      self.patch = (change.entityName, patch)
    }
  }
}
