import OpenSwiftData
import SQL

/// New records whose keys are those of existing records.
///
/// If the same save deletes the existing record, the new one replaces its values: the row stays, and so do the rows that
/// refer to it. Otherwise the key is not unique.
extension SQLiteSession {
  /// The changes on top of what is stored now, with valid records.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - new: The inserted records that never existed; the others are restored.
  /// - Returns: The changes.
  /// - Throws: `PersistenceError`, with code `.conflict` for records that others have changed, or `.notUnique` for new
  ///   ones with the key of a record that stays.
  func checked(_ changes: ChangeSet, new: Set<PersistentIdentifier> = []) throws -> ChangeSet {
    let records = try stored(changes)
    let (rest, returning) = changes.separatingReturningRecords()
    if let taken = rest.inserted.lazy.map(\.persistentIdentifier)
      .first(where: { new.contains($0) && records[$0] != nil })
    {
      throw try keyError(taken, "record \(taken) already exists")
    }
    var saved = try rest.rebased(onto: records)
    for record in returning { replaceDeleted(by: record, in: &saved) }
    for record in saved.inserted + saved.updated.map(\.after) { try schema.validate(record) }
    return saved
  }

  /// The changes with updates for the deleted records whose keys new ones have.
  func replacingDeleted(_ changes: ChangeSet) -> ChangeSet {
    let (rest, returning) = changes.separatingReturningRecords()
    var result = rest
    for record in returning { replaceDeleted(by: record, in: &result) }
    return result
  }

  /// Turns the deletion of a record into an update with the values of a new one.
  private func replaceDeleted(by record: DefaultSnapshot, in changes: inout ChangeSet) {
    let identifier = record.persistentIdentifier
    guard let place = changes.deleted.firstIndex(where: { $0.persistentIdentifier == identifier })
    else { return }
    let before = changes.deleted.remove(at: place)
    var after = record
    for (slot, column) in (tables[identifier.entityName]?.columns ?? []).enumerated() {
      // The database makes these values, and only when it inserts a row.
      let isMade = column.hasComputedDefault && after.orderedValues[slot].isNull
      if isMade || column.field.isReadOnly {
        after.orderedValues[slot] = before.orderedValues[slot]
      }
    }
    changes.updated.append(RecordUpdate(before: before, after: after))
  }

  /// Refuses new records with the same key.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - map: The permanent identifiers of new records.
  /// - Throws: `PersistenceError` with code `.notUnique`.
  func checkKeysDiffer(
    _ changes: ChangeSet,
    _ map: [PersistentIdentifier: PersistentIdentifier]
  ) throws {
    guard Set(map.values).count < map.count else { return }
    var owners: [PersistentIdentifier: PersistentIdentifier] = [:]
    for temporary in changes.inserted.lazy.map(\.persistentIdentifier) {
      guard let identifier = map[temporary],
        let other = owners.updateValue(temporary, forKey: identifier)
      else { continue }
      throw try keyError(
        identifier,
        "records \(other) and \(temporary) would both have \(Value.quoted(identifier.description))"
      )
    }
  }

  /// The error of a key that is not unique.
  private func keyError(_ identifier: PersistentIdentifier, _ reason: String) throws
    -> PersistenceError
  {
    let table = try table(identifier.entityName)
    let names = table.columns.filter { $0.keyPart != nil }
      .map { "\(table.entity.name).\($0.field.name)" }
    return PersistenceError(
      .notUnique,
      names.joined(separator: " and ")
        + ": must be unique\(names.count > 1 ? " in combination" : ""); \(reason)"
    )
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
