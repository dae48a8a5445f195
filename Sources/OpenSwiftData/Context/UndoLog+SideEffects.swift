extension UndoLog {
  /// Adds what the database changed by itself in a save to the steps that caused it.
  ///
  /// - Complexity: O(n) in the changes of the steps if there is anything to add.
  func add(_ effects: SideEffects) {
    guard isEnabled, !effects.isEmpty else { return }
    var open = UndoChanges.byCause(effects)
    func take(_ step: inout UndoStep, isUndone: Bool) {
      for identifier in step.identifiers {
        guard let changes = open.removeValue(forKey: identifier) else { continue }
        for change in isUndone ? changes.inverse : changes { step.changes.append(change) }
      }
    }
    forEachStep { step, isUndone in
      if !open.isEmpty { take(&step, isUndone: isUndone) }
    }
    if let remark = effects.remark { noteUnrestorable(remark) }
  }
}

extension UndoChanges {
  /// The changes of a database by the record that caused them.
  fileprivate static func byCause(_ effects: SideEffects) -> [PersistentIdentifier: UndoChanges] {
    let changes = effects.restorable
    var found: [PersistentIdentifier: UndoChanges] = [:]
    func add(_ change: UndoStep.Change) {
      guard let identifier = change.identifier, let cause = effects.causes[identifier] else {
        return
      }
      found[cause, default: UndoChanges()].append(change)
    }
    for snapshot in changes.inserted { add(.insert(snapshot)) }
    for update in changes.updated { for change in update.undoChanges { add(change) } }
    for snapshot in changes.deleted { add(.delete(snapshot)) }
    return found
  }
}

extension RecordUpdate {
  /// The changed values, one change each.
  var undoChanges: [UndoStep.Change] {
    changedSlots.map { slot in
      .update(
        persistentIdentifier,
        after.layout,
        slot: slot,
        old: before.orderedValues[slot],
        new: after.orderedValues[slot]
      )
    }
  }
}
