import OpenSwiftData

extension JSONStore.Session {
  /// The fields by which the records that a save changes are known; nil if they have identifiers, or if no
  /// history is kept.
  mutating func historyKeys(of change: TableChange) -> HistoryKeys? {
    guard past != nil, !content.document.format.isCatalog else { return nil }
    let changes = change.changes
    var names = Set(changes.inserted.lazy.map(\.persistentIdentifier.entityName))
    names.formUnion(changes.updated.lazy.map(\.persistentIdentifier.entityName))
    names.formUnion(changes.deleted.lazy.map(\.persistentIdentifier.entityName))
    if let rows = change.newRows?.table {
      names.formUnion(rows.schema.entities.map(\.name).filter { rows.count(of: $0) > 0 })
    }
    var keys = HistoryKeys()
    for name in names.sorted() {
      // A change of the schema may rename the fields.
      let renamed = change.schema?.records.table(of: name).map { KeyFields(of: $0) }
      let fields = renamed ?? keyFields(of: name) ?? KeyFields([], .guess)
      let updated = changes.updated.map(\.persistentIdentifier).filter { $0.entityName == name }
      keys.parts += parts(of: name, fields, updated)
    }
    return keys
  }

  /// The fields of the records of an entity, and of those that commands have named.
  private func parts(
    of entity: String,
    _ fields: KeyFields,
    _ updated: [PersistentIdentifier]
  ) -> [HistoryKeys.Part] {
    var own = HistoryKeys.Part(entity: entity, fields: fields)
    var parts: [HistoryKeys.Part] = []
    for named in matching.named where named.entityName == entity {
      let fields = KeyFields(named.fields, .identifier)
      let numbers = updated.filter(named.records.contains).compactMap(\.numberKey)
      if numbers.count == updated.count {
        own.fields = fields
      } else if !numbers.isEmpty {
        parts.append(.init(entity: entity, fields: fields, numbers: Set(numbers)))
      }
    }
    return parts + [own]
  }
}
