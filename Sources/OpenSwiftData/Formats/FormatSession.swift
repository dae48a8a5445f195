import Foundation

/// The records of a ``FormatStore`` at one moment, with their history.
struct FormatSession<Format: StoreFormat>: Sendable {
  var records: StoredRecords
  /// Stored records of entities that the schema does not have; they are written again as they are.
  var foreign: [DefaultSnapshot] = []
  var history: SessionHistory
  /// The version of what was last loaded or written; nil if it is not known.
  var version: Format.Version?
  /// False until something is stored.
  var isStored = false
  /// The identifiers of the records that were deleted since the store was opened, for formats that choose keys.
  var retired: Set<PersistentIdentifier> = []
  /// Why the store accepts no more saves.
  var failure: PersistenceError?

  /// Replaces the records by those that another program stored.
  ///
  /// - Returns: What changed; nil if nothing did.
  /// - Throws: `PersistenceError`; nothing is changed then.
  mutating func adopt(_ contents: FormatContents, version: Format.Version?) throws -> StoreChange? {
    let former = records
    try take(contents)
    self.version = version
    guard records.schema == former.schema else {
      let replacement = SchemaReplacement(of: former.schema, by: records.schema)
      note(ChangeSet(), schemaChange: .replaceSchema(replacement), from: former.schema)
      return StoreChange(isIncomplete: true, isSchemaChanged: true)
    }
    let changes = records.changes(since: former)
    guard !changes.isEmpty else { return nil }
    retire(changes.deleted)
    note(changes)
    return StoreChange(changes)
  }

  /// Replaces the records by those that were loaded, without a note in the history.
  ///
  /// - Throws: `PersistenceError`; nothing is changed then.
  mutating func take(_ contents: FormatContents) throws {
    records = try records.reloaded(contents.records, schema: contents.schema)
    foreign = contents.records.filter {
      records.schema.entitiesByName[$0.persistentIdentifier.entityName] == nil
    }
    isStored = true
  }

  /// Adds a change of another program to the history.
  private mutating func note(
    _ changes: ChangeSet,
    schemaChange: SchemaChange? = nil,
    from former: Schema? = nil
  ) {
    _ = history.append(
      changes,
      schemaChange: schemaChange,
      formerSchema: former,
      author: nil,
      isExternal: true,
      id: UUID(),
      at: Date()
    )
  }

  /// Remembers the identifiers of deleted records, which are not given to new ones.
  mutating func retire(_ deleted: [DefaultSnapshot]) {
    for record in deleted where record.persistentIdentifier.recordKey == nil {
      retired.insert(record.persistentIdentifier)
    }
  }

  /// Gives new records the keys that the format chooses for them; others keep their temporary identifiers.
  func keyed(_ changes: ChangeSet, by format: Format, for storeIdentifier: String) throws
    -> (changes: ChangeSet, identifiers: [PersistentIdentifier: PersistentIdentifier])
  {
    var taken = retired
    var chosen: [PersistentIdentifier: PersistentIdentifier] = [:]
    for record in changes.inserted where record.persistentIdentifier.isTemporary {
      var last: String?
      var attempt = 1
      while let text = format.keyText(for: record, attempt: attempt), text != last {
        let identifier = try PersistentIdentifier.identifier(
          for: storeIdentifier,
          entityName: record.persistentIdentifier.entityName,
          keyText: text
        )
        if !records.contains(identifier), taken.insert(identifier).inserted {
          chosen[record.persistentIdentifier] = identifier
          break
        }
        last = text
        attempt += 1
      }
    }
    return (changes.remapped(chosen), chosen)
  }
}

extension SchemaReplacement {
  /// The replacement of a schema that another program made, with fields matched by their names.
  init(of former: Schema, by schema: Schema) {
    var origins: [String: [String: String]] = [:]
    for entity in schema.entities {
      guard let old = former.entitiesByName[entity.name] else { continue }
      origins[entity.name] = [:]
      for field in entity.fields {
        let origin = [field.name, field.originalName].first {
          old.fieldsByName[$0]?.type == field.type
        }
        origins[entity.name]?[field.name] = origin
      }
    }
    self.init(schema: schema, origins: origins)
  }
}
