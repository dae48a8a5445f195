package import OpenSwiftData

/// New records whose keys are those of existing records.
///
/// If the same save deletes the existing record, the new one replaces its values: the row stays, and so do the rows that
/// refer to it. Otherwise the key is not unique.
extension ChangeSet {
  /// Takes out the new records whose identifiers are those of deleted ones.
  package func separatingReturningRecords() -> (rest: ChangeSet, returning: [DefaultSnapshot]) {
    if inserted.isEmpty || deleted.isEmpty { return (self, []) }
    let gone = Set(deleted.map(\.persistentIdentifier))
    var rest = self
    rest.inserted.removeAll { gone.contains($0.persistentIdentifier) }
    return (rest, inserted.filter { gone.contains($0.persistentIdentifier) })
  }

  /// The changes with updates for the deleted records whose keys new ones have.
  package func replacingDeleted(_ tables: [String: TableDescription]) -> ChangeSet {
    var (result, returning) = separatingReturningRecords()
    result.replaceDeleted(by: returning, tables)
    return result
  }

  /// Turns the deletions of records into updates with the values of new ones.
  ///
  /// - Complexity: O(n) in the number of deleted and new records.
  package mutating func replaceDeleted(
    by records: [DefaultSnapshot],
    _ tables: [String: TableDescription]
  ) {
    if records.isEmpty { return }
    let new = Dictionary(
      records.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var replaced: [RecordUpdate] = []
    deleted.removeAll { before in
      guard let record = new[before.persistentIdentifier] else { return false }
      let columns = tables[record.persistentIdentifier.entityName]?.columns ?? []
      replaced.append(RecordUpdate(before: before, after: record.kept(columns, before)))
      return true
    }
    updated += replaced
  }
}

extension DefaultSnapshot {
  /// A new record with the values of the deleted one that the database makes only when it inserts a row.
  fileprivate func kept(_ columns: [ColumnDescription], _ before: DefaultSnapshot)
    -> DefaultSnapshot
  {
    var after = self
    for (slot, column) in columns.enumerated() {
      let isMade = column.hasComputedDefault && after.orderedValues[slot].isNull
      if isMade || column.field.isReadOnly {
        after.orderedValues[slot] = before.orderedValues[slot]
      }
    }
    return after
  }
}
