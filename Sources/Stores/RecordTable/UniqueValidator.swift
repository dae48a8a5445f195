import OpenSwiftData

/// Checks that the values of unique attributes stay different, in the table and in the changes.
struct UniqueValidator {
  let table: RecordTable
  let changes: ChangeSet

  /// - Throws: `PersistenceError` with code `.notUnique` that names both records and the value.
  /// - Complexity: O(n) in the new values of unique attributes; nothing when there are none.
  func validate() throws {
    for (place, entityTable) in table.tables.enumerated() {
      let slots = entityTable.entity.fields.indices.filter {
        entityTable.entity.fields[$0].isUnique
      }
      if !slots.isEmpty { try validate(slots, place) }
    }
  }

  private func validate(_ slots: [Int], _ place: Int) throws {
    let entity = table.tables[place].entity
    let inserted = changes.inserted.filter { $0.persistentIdentifier.entityName == entity.name }
    let updated = changes.updated.filter { $0.persistentIdentifier.entityName == entity.name }
    if inserted.isEmpty, updated.isEmpty { return }
    let deletedRows = rows(of: changes.deleted.map(\.persistentIdentifier), place)
    for slot in slots {
      let moved = updated.filter { $0.before.orderedValues[slot] != $0.after.orderedValues[slot] }
      let freedRows = deletedRows.union(rows(of: moved.map(\.persistentIdentifier), place))
      var seen: [Value: PersistentIdentifier] = [:]
      for snapshot in inserted + moved.map(\.after) {
        let value = snapshot.orderedValues[slot]
        if value.isNull { continue }
        let identifier = snapshot.persistentIdentifier
        if let other = seen.updateValue(identifier, forKey: value) {
          throw notUnique(entity, slot, value, other, identifier)
        }
        let row = table.tables[place].row(holding: value, slot: slot) { !freedRows.contains($0) }
        if let row {
          throw notUnique(entity, slot, value, table.tables[place].keys[row], identifier)
        }
      }
    }
  }

  private func rows(of identifiers: [PersistentIdentifier], _ place: Int) -> Set<Int> {
    Set(identifiers.compactMap { table.tables[place].row(of: $0) })
  }

  private func notUnique(
    _ entity: Schema.Entity,
    _ slot: Int,
    _ value: Value,
    _ holder: PersistentIdentifier,
    _ other: PersistentIdentifier
  ) -> PersistenceError {
    PersistenceError(
      .notUnique,
      "\(entity.name).\(entity.fields[slot].name) must be unique, but the records \(holder) and \(other) would both have \(Value.quoted(value.text))"
    )
  }
}
