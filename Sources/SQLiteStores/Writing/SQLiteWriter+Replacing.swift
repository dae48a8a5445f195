import OpenSwiftData
import SQL

/// New records whose keys are those of existing records.
///
/// If the same save deletes the existing record, the new one replaces its values: the row stays, and so do the rows that
/// refer to it. Otherwise the key is not unique.
extension SQLiteWriter {
  /// The changes on top of what is stored now, with valid records.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - new: The inserted records that never existed; the others are restored.
  /// - Returns: The changes.
  /// - Throws: `PersistenceError`, with code `.conflict` for records that others have changed, or `.notUnique` for new
  ///   ones with the key of a record that stays.
  func checked(_ changes: ChangeSet, new: Set<PersistentIdentifier> = []) throws -> ChangeSet {
    let saved = try areAsStored(changes) ? changes : rebased(changes, new: new)
    var meter = WorkMeter()
    var entity: (scope: IdentifierScope, entity: Schema.Entity)?
    func check(_ record: DefaultSnapshot) throws {
      try meter.count()
      let identifier = record.persistentIdentifier
      if entity?.scope != identifier.identifierScope {
        entity = (identifier.identifierScope, try schema.entity(named: identifier.entityName))
      }
      if let entity { try validate(record, as: entity.entity) }
    }
    for record in saved.inserted { try check(record) }
    for update in saved.updated { try check(update.after) }
    return saved
  }

  /// True if the changes are those of records that are stored as they were before, so that no other program has changed
  /// them; false for new records.
  private func areAsStored(_ changes: ChangeSet) throws -> Bool {
    guard changes.inserted.isEmpty else { return false }
    return try reader.holds(changes.updated.map(\.before)) && reader.holds(changes.deleted)
  }

  /// The changes on top of what is stored now.
  private func rebased(_ changes: ChangeSet, new: Set<PersistentIdentifier>) throws -> ChangeSet {
    let records = try stored(changes)
    try checkKeys(changes, records)
    let (rest, returning) = changes.separatingReturningRecords()
    if let taken = rest.inserted.lazy.map(\.persistentIdentifier)
      .first(where: { new.contains($0) && records[$0] != nil })
    {
      throw try reader.keyError(taken, "record \(taken) already exists")
    }
    var saved = try rest.rebased(onto: records)
    replaceDeleted(by: returning, in: &saved)
    return saved
  }

  /// Validates a record; the error names it as the caller knows it.
  private func validate(_ record: DefaultSnapshot, as entity: Schema.Entity) throws {
    do {
      try schema.validate(record, as: entity)
    } catch {
      var known = record
      known.persistentIdentifier = keys.known(record.persistentIdentifier)
      try schema.validate(known)
      throw error
    }
  }

  /// The changes with updates for the deleted records whose keys new ones have.
  func replacingDeleted(_ changes: ChangeSet) -> ChangeSet {
    let (rest, returning) = changes.separatingReturningRecords()
    var result = rest
    replaceDeleted(by: returning, in: &result)
    return result
  }

  /// Turns the deletions of records into updates with the values of new ones.
  ///
  /// - Complexity: O(n) in the number of deleted and new records.
  private func replaceDeleted(by records: [DefaultSnapshot], in changes: inout ChangeSet) {
    let new = Dictionary(
      records.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var replaced: [RecordUpdate] = []
    changes.deleted.removeAll { before in
      guard let record = new[before.persistentIdentifier] else { return false }
      replaced.append(RecordUpdate(before: before, after: kept(record, before)))
      return true
    }
    changes.updated += replaced
  }

  /// A new record with the values of the deleted one that the database makes only when it inserts a row.
  private func kept(_ record: DefaultSnapshot, _ before: DefaultSnapshot) -> DefaultSnapshot {
    var after = record
    let columns = tables[record.persistentIdentifier.entityName]?.columns ?? []
    for (slot, column) in columns.enumerated() {
      let isMade = column.hasComputedDefault && after.orderedValues[slot].isNull
      if isMade || column.field.isReadOnly {
        after.orderedValues[slot] = before.orderedValues[slot]
      }
    }
    return after
  }

}

extension ChangeSet {
  /// Takes out the new records whose identifiers are those of deleted ones.
  fileprivate func separatingReturningRecords() -> (rest: ChangeSet, returning: [DefaultSnapshot]) {
    if inserted.isEmpty || deleted.isEmpty { return (self, []) }
    let gone = Set(deleted.map(\.persistentIdentifier))
    var rest = self
    rest.inserted.removeAll { gone.contains($0.persistentIdentifier) }
    return (rest, inserted.filter { gone.contains($0.persistentIdentifier) })
  }
}
