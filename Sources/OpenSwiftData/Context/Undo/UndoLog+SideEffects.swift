extension UndoLog {
  /// Adds what the database changed by itself in a save to the steps that caused it.
  ///
  /// - Parameters:
  ///   - effects: What the database changed.
  ///   - resolve: Gives records that were new their permanent identifiers.
  /// - Complexity: O(n) in the changes of the steps if there is anything to add.
  func add(_ effects: SideEffects, _ resolve: (PersistentIdentifier) -> PersistentIdentifier) {
    guard isEnabled else { return }
    takeStored(effects.rewritten + effects.triggeredUpdates, resolve)
    guard !effects.isEmpty else { return }
    var open = UndoChanges.byCause(effects)
    func take(_ step: inout UndoStep, isUndone: Bool) {
      for identifier in step.identifiers {
        guard let changes = open.removeValue(forKey: resolve(identifier)) else { continue }
        for change in isUndone ? changes.inverse : changes { step.changes.append(change) }
      }
    }
    forEachStep { step, isUndone in
      if !open.isEmpty { take(&step, isUndone: isUndone) }
    }
    if let remark = effects.remark { noteUnrestorable(remark) }
  }

  /// Takes the values that records have instead of those that the steps gave them: an undo or redo finds the values that
  /// it expects then, and a redo restores the record that was saved.
  private func takeStored(
    _ updates: [RecordUpdate],
    _ resolve: (PersistentIdentifier) -> PersistentIdentifier
  ) {
    if updates.isEmpty { return }
    let stored = StoredValues(updates)
    var open = stored
    forEachStep { step, isUndone in
      if !isUndone { step.changes = step.changes.ending(with: &open, resolve) }
    }
    open = stored
    forEachStep { step, isUndone in
      if isUndone { step.changes = step.changes.inverse.ending(with: &open, resolve).inverse }
    }
  }
}

/// Values that records have instead of those that were written.
private struct StoredValues {
  private struct Cell: Hashable {
    let identifier: PersistentIdentifier
    let field: String
  }

  private var values: [Cell: (value: Value, layout: SnapshotLayout)] = [:]
  private var identifiers: Set<PersistentIdentifier> = []

  init(_ updates: [RecordUpdate]) {
    for update in updates {
      identifiers.insert(update.persistentIdentifier)
      for slot in update.changedSlots {
        let cell = Cell(
          identifier: update.persistentIdentifier,
          field: update.after.layout.names[slot]
        )
        values[cell] = (update.after.orderedValues[slot], update.after.layout)
      }
    }
  }

  func concern(_ identifier: PersistentIdentifier) -> Bool { identifiers.contains(identifier) }

  /// Takes the value of a field out; nil if there is none.
  mutating func take(_ identifier: PersistentIdentifier, _ layout: SnapshotLayout, _ slot: Int)
    -> Value?
  {
    let known = values.removeValue(forKey: Cell(identifier: identifier, field: layout.names[slot]))
    // Values of a step are in the forms of its time.
    return known.flatMap { $0.layout.hasForms(of: layout) ? $0.value : nil }
  }
}

extension UndoChanges {
  /// The changes with the values that records have after them.
  fileprivate func ending(
    with open: inout StoredValues,
    _ resolve: (PersistentIdentifier) -> PersistentIdentifier
  ) -> UndoChanges {
    let isConcerned = contains { $0.identifier.map { open.concern(resolve($0)) } ?? false }
    if !isConcerned { return self }
    var changes = Array(self)
    for place in changes.indices.reversed() {
      switch changes[place] {
      case .update(let identifier, let layout, let slot, let old, _):
        guard let value = open.take(resolve(identifier), layout, slot) else { continue }
        changes[place] = .update(identifier, layout, slot: slot, old: old, new: value)
      case .insert(var snapshot):
        let identifier = resolve(snapshot.persistentIdentifier)
        for slot in snapshot.orderedValues.indices {
          guard let value = open.take(identifier, snapshot.layout, slot) else { continue }
          snapshot.orderedValues[slot] = value
        }
        changes[place] = .insert(snapshot)
      case .delete, .schema: break
      }
    }
    var result = UndoChanges()
    for change in changes { result.append(change) }
    return result
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
