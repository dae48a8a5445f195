import OpenSwiftData

extension JSONStore.Session {
  /// The fields by which the records that a save inserts or updates are known; nil if they have identifiers, or if no
  /// history is kept.
  mutating func historyKeys(of change: TableChange) -> HistoryKeys? {
    guard past != nil, content.document.layout != .catalog else { return nil }
    let changes = change.changes
    var names = Set(changes.inserted.lazy.map(\.persistentIdentifier.entityName))
    names.formUnion(changes.updated.lazy.map(\.persistentIdentifier.entityName))
    if let rows = change.newRows?.table {
      names.formUnion(rows.schema.entities.map(\.name).filter { rows.count(of: $0) > 0 })
    }
    var keys = HistoryKeys()
    for name in names.sorted() {
      let updated = changes.updated.map(\.persistentIdentifier).filter { $0.entityName == name }
      // A change of the schema may rename the fields.
      let renamed = change.schema?.records.table(of: name).map { KeyFields(of: $0) }
      let fields = renamed ?? keyFields(of: name) ?? KeyFields([], .guess)
      var own = HistoryKeys.Part(entity: name, fields: fields)
      for named in matching.named where named.entityName == name {
        let fields = KeyFields(named.fields, .identifier)
        let numbers = updated.filter(named.records.contains).compactMap(\.numberKey)
        if numbers.count == updated.count, !numbers.isEmpty || updated.isEmpty {
          own.fields = fields
        } else if !numbers.isEmpty {
          keys.parts.append(.init(entity: name, fields: fields, numbers: Set(numbers)))
        }
      }
      keys.parts.append(own)
    }
    return keys
  }
}
