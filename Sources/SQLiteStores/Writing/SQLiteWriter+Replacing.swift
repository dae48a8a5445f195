import OpenSwiftData
import SQL

/// The check of a save against what is stored now.
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
      throw try table(taken.entityName).keyError("record \(taken) already exists")
    }
    var saved = try rest.rebased(onto: records)
    saved.replaceDeleted(by: returning, tables)
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
}
