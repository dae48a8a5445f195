package import OpenSwiftData

extension ChangeSet {
  /// True if the tables keep exactly what these changes write, so that nothing has to be read afterwards.
  ///
  /// - Throws: `Interruption.Stopped`.
  package func isKept(by tables: [String: TableDescription]) throws -> Bool {
    guard inserted.isEmpty, deleted.isEmpty else { return false }
    var meter = WorkMeter()
    var plain: (scope: IdentifierScope, slots: [Int], columns: [ColumnDescription])?
    for update in updated {
      try meter.count()
      let (scope, slots) = (update.persistentIdentifier.identifierScope, update.changedSlots)
      if plain?.scope != scope || plain?.slots != slots {
        guard let table = tables[update.persistentIdentifier.entityName],
          table.isPlainUpdate(of: slots)
        else { return false }
        plain = (scope, slots, slots.map { table.columns[$0] })
      }
      for (place, slot) in slots.enumerated() {
        let isKept = plain?.columns[place].keeps(update.after.orderedValues[slot])
        if isKept != true { return false }
      }
    }
    return true
  }
}

extension ColumnDescription {
  /// True if the column has the same value after it was stored.
  fileprivate func keeps(_ value: Value) -> Bool {
    guard let stored = stored(value), kept(stored) == stored else { return false }
    // The database loses the sign of zero.
    if case .real(let number) = stored, number.isZero, number.sign == .minus { return false }
    return form.value(of: stored) == value
  }
}
