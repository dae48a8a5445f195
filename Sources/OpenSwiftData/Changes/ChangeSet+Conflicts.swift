extension ChangeSet {
  /// Checks the changes against what is stored, and applies them to it.
  ///
  /// For stores that read the records of a save before they write it, from a database or a server:
  ///
  /// ```swift
  /// let touched = changes.updated.map(\.persistentIdentifier) + changes.deleted.map(\.persistentIdentifier)
  /// let changes = try changes.rebased(onto: snapshots(for: touched))
  /// ```
  ///
  /// Concurrent changes are conflicts as in the contract of ``QueryableStore``: a new record that exists, a changed or
  /// deleted record that does not exist, a changed value that differs from `before`, or a deleted record with any
  /// different value.
  ///
  /// - Parameter stored: The stored records with the identifiers of the changes, in the layouts of their entities.
  /// - Returns: The same changes. An update begins with the stored values, and keeps those that it does not change.
  /// - Throws: `PersistenceError` with code `.conflict`, or `.invalidValue` for a record without the fields of its
  ///   entity.
  /// - Complexity: O(n) in the number of values.
  public func rebased(onto stored: [PersistentIdentifier: DefaultSnapshot]) throws -> ChangeSet {
    try rebased { stored[$0] }
  }

  /// The same for records that are looked up.
  func rebased(_ stored: (PersistentIdentifier) -> DefaultSnapshot?) throws -> ChangeSet {
    func existing(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
      guard let record = stored(identifier) else {
        throw PersistenceError(
          .conflict,
          "\(identifier.entityName) record \(identifier) no longer exists"
        )
      }
      return record
    }
    var meter = WorkMeter()
    for place in inserted.indices {
      try meter.count()
      let identifier = inserted[place].persistentIdentifier
      guard stored(identifier) == nil else {
        throw PersistenceError(.conflict, "record \(identifier) already exists")
      }
    }
    var rebased = self
    rebased.updated = try updated.map {
      try meter.count()
      return try $0.rebased(onto: existing($0.persistentIdentifier))
    }
    for record in deleted {
      try meter.count()
      guard try existing(record.persistentIdentifier) == record else {
        throw RecordUpdate.changedMeanwhile(record.persistentIdentifier)
      }
    }
    return rebased
  }
}

extension RecordUpdate {
  /// The update of the stored record, which may have other values where this update changes nothing.
  fileprivate func rebased(onto stored: DefaultSnapshot) throws -> RecordUpdate {
    guard before.layout == stored.layout, after.layout == stored.layout else {
      throw PersistenceError(
        .invalidValue,
        "record \(persistentIdentifier) does not have the fields of its entity"
      )
    }
    if stored == before { return self }
    var result = RecordUpdate(before: stored, after: stored)
    for slot in changedSlots {
      guard stored.orderedValues[slot] == before.orderedValues[slot] else {
        throw PersistenceError(
          .conflict,
          "\(persistentIdentifier.entityName).\(stored.layout.names[slot]): changed by another program to "
            + "\(Value.quoted(stored.orderedValues[slot].text)) (record \(persistentIdentifier))"
        )
      }
      result.after.orderedValues[slot] = after.orderedValues[slot]
    }
    return result
  }

  fileprivate static func changedMeanwhile(_ identifier: PersistentIdentifier) -> PersistenceError {
    PersistenceError(.conflict, "record \(identifier) was changed by another program")
  }
}
