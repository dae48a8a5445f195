/// The versions of other programs in resolved conflicts, so that undo leads back to them.
///
/// The steps that made the unsaved changes began with the values before those of the other programs. An undo of these
/// steps has to restore the later ones, whichever side was kept: the former values are in no store any more.
struct OvertakingVersions {
  private struct Cell: Hashable {
    let identifier: PersistentIdentifier
    let field: String
  }

  /// The values before and after the changes of others.
  private var values: [Cell: (former: Value, theirs: Value)] = [:]
  /// Records that were deleted here.
  private var deleted: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// Records that others have deleted, with the values here and the former ones.
  private var restored: [PersistentIdentifier: (mine: DefaultSnapshot, former: [Value])] = [:]

  /// The versions of others of records that were restored here as well.
  private var met: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// The values after the change here, of records that others have added before a save would have added them.
  private var joined: [PersistentIdentifier: DefaultSnapshot] = [:]

  /// All these records.
  private var identifiers: Set<PersistentIdentifier> = []

  var isEmpty: Bool { values.isEmpty && deleted.isEmpty && restored.isEmpty && met.isEmpty }

  /// Adds a value that was changed here and elsewhere.
  mutating func add(_ state: ModelState, _ slot: Int, former: Value, theirs: Value) {
    let cell = Cell(identifier: state.identifier, field: state.entity.layout.names[slot])
    values[cell] = (former, theirs)
    identifiers.insert(state.identifier)
  }

  /// Adds a record that was deleted here and changed elsewhere.
  mutating func add(deleted state: ModelState, theirs: [Value]) {
    identifiers.insert(state.identifier)
    deleted[state.identifier] = state.snapshot(with: theirs)
  }

  /// Adds a record that was restored here and elsewhere.
  mutating func add(met state: ModelState, theirs: [Value]) {
    identifiers.insert(state.identifier)
    met[state.identifier] = state.snapshot(with: theirs)
  }

  /// Adds a record that others have added, and that has got the values of a new one here.
  mutating func add(joined state: ModelState, theirs: [Value]) {
    add(met: state, theirs: theirs)
    joined[state.identifier] = state.snapshot
  }

  /// Adds a record that was changed here and deleted elsewhere.
  mutating func add(restored state: ModelState, former: [Value]) {
    identifiers.insert(state.identifier)
    restored[state.identifier] = (state.snapshot, former)
  }

  /// Puts the versions into a step; the later steps come first.
  fileprivate mutating func put(
    into step: inout UndoStep,
    _ resolve: (PersistentIdentifier) -> PersistentIdentifier
  ) {
    let isConcerned = step.changes.contains { change in
      change.identifier.map { identifiers.contains(resolve($0)) } ?? false
    }
    if !isConcerned { return }
    var changes = Array(step.changes)
    var isChanged = false
    let atEnd = restored
    for place in changes.indices.reversed() {
      guard let recorded = changes[place].identifier else { continue }
      let identifier = resolve(recorded)
      switch changes[place] {
      case .update(_, let layout, let slot, let old, let new):
        let cell = Cell(identifier: identifier, field: layout.names[slot])
        if let value = values[cell], old == value.former {
          values[cell] = nil
          changes[place] = .update(recorded, layout, slot: slot, old: value.theirs, new: new)
          isChanged = true
        }
        restored[identifier]?.mine.take(old, as: cell.field)
      case .delete:
        guard let theirs = deleted.removeValue(forKey: identifier) else { continue }
        changes[place] = .delete(theirs)
        isChanged = true
      case .insert(let snapshot):
        guard let theirs = met.removeValue(forKey: identifier) else { continue }
        let after = joined[identifier] ?? snapshot.arranged(as: theirs.layout)
        let update = RecordUpdate(before: theirs, after: after)
        changes.replaceSubrange(place...place, with: update.undoChanges)
        isChanged = true
      case .schema: break
      }
    }
    // The first step that changed a deleted record is the one that restores it.
    let begun = atEnd.keys.filter { identifier in
      restored[identifier].map { $0.mine.orderedValues == $0.former } ?? false
    }
    if !begun.isEmpty {
      changes.removeAll { change in
        if case .update(let identifier, _, _, _, _) = change {
          begun.contains(resolve(identifier))
        } else {
          false
        }
      }
      for identifier in begun.sorted() {
        restored[identifier] = nil
        if let mine = atEnd[identifier]?.mine { changes.append(.insert(mine)) }
      }
      isChanged = true
    }
    if isChanged { step.changes = UndoChanges(changes) }
  }
}

extension UndoLog {
  /// Lets the unsaved steps begin with the versions of others, which were saved after them.
  ///
  /// - Complexity: O(n) in the changes of the steps back to those of the records.
  func begin(
    with versions: OvertakingVersions,
    resolve: (PersistentIdentifier) -> PersistentIdentifier
  ) {
    var open = versions
    forEachStep { step, isUndone in
      if !isUndone, !open.isEmpty { open.put(into: &step, resolve) }
    }
  }
}

extension DefaultSnapshot {
  fileprivate mutating func take(_ value: Value, as name: String) {
    if let slot = layout.slot(of: name) { orderedValues[slot] = value }
  }
}
