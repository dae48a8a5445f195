import OpenSwiftData

/// Checks that unique attributes have no duplicate values, in the table and in the changes.
struct UniqueValidator {
  let table: RecordTable
  let changes: ChangeSet
  /// The names of the records in messages.
  var names: RecordNames = [:]

  /// - Throws: `PersistenceError` with code `.notUnique` that names both records and the value.
  /// - Complexity: O(n) in the new values of unique attributes; nothing when there are none.
  func validate() throws {
    for (place, entityTable) in table.tables.enumerated() {
      let slots = entityTable.entity.fields.indices.filter {
        entityTable.entity.fields[$0].isUnique
      }
      let constraints = entityTable.constraintIndexes
      if !slots.isEmpty || !constraints.isEmpty { try validate(slots, constraints, place) }
    }
  }

  private func validate(_ slots: [Int], _ constraints: [ConstraintIndex], _ place: Int) throws {
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
    for constraint in constraints {
      let moved = updated.filter { update in
        constraint.slots.contains {
          update.before.orderedValues[$0] != update.after.orderedValues[$0]
        }
      }
      let freedRows = deletedRows.union(rows(of: moved.map(\.persistentIdentifier), place))
      try validate(constraint, inserted + moved.compactMap { present($0, place) }, freedRows, place)
    }
  }

  /// The record after the change: values that an update does not contain come from the table.
  private func present(_ update: RecordUpdate, _ place: Int) -> DefaultSnapshot? {
    guard let row = table.tables[place].row(of: update.persistentIdentifier) else { return nil }
    var snapshot = table.tables[place].snapshot(at: row)
    for slot in update.changedSlots {
      snapshot.orderedValues[slot] = update.after.orderedValues[slot]
    }
    return snapshot
  }

  private func validate(
    _ constraint: ConstraintIndex,
    _ changed: [DefaultSnapshot],
    _ freedRows: Set<Int>,
    _ place: Int
  ) throws {
    var seen: [[Value]: PersistentIdentifier] = [:]
    for snapshot in changed {
      guard let key = constraint.key(of: snapshot.orderedValues) else { continue }
      let identifier = snapshot.persistentIdentifier
      let row = table.tables[place].row(holding: key, constraint) { !freedRows.contains($0) }
      let holder =
        seen.updateValue(identifier, forKey: key) ?? row.map { table.tables[place].keys[$0] }
      guard let holder else { continue }
      let entity = table.tables[place].entity.name
      let names = constraint.names.map { "\(entity).\($0)" }.joined(separator: " and ")
      throw PersistenceError(
        .notUnique,
        "\(names): must be unique\(key.count > 1 ? " in combination" : ""); records \(name(holder)) and \(name(identifier)) would both have "
          + key.map { Value.quoted($0.text) }.joined(separator: ", ")
      )
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
      "\(entity.name).\(entity.fields[slot].name): must be unique; records \(name(holder)) and \(name(other)) would both have \(Value.quoted(value.text))"
    )
  }

  private func name(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    names[identifier] ?? identifier
  }
}
