/// Resolving conflicts between unsaved changes and changes saved elsewhere.
///
/// A save that finds such a record throws `.conflict`, lists all conflicts in the error and writes nothing.
/// The unsaved changes stay as they are until each conflict is resolved; then the save succeeds.
/// `saveWithoutConflicts()` saves the other records before that.
extension ModelContext {
  /// The records whose conflicts prevent the next save, in the order in which they were changed here.
  ///
  /// Changes saved elsewhere to other attributes are merged and cause no conflict. The context marks the
  /// returned versions as seen: `resolveConflict` resolves against these versions, not later ones.
  ///
  /// - Throws: The store's error if it cannot be read.
  /// - Complexity: O(n) in the number of changed records, which are read from the store.
  public func conflicts() throws -> [RecordConflict] {
    let found = try openConflicts()
    noteSeen(found)
    return found
  }

  /// The current conflicts, without marking them as seen.
  ///
  /// - Throws: As `conflicts()`.
  /// - Complexity: As `conflicts()`.
  package func openConflicts() throws -> [RecordConflict] {
    _ = try meetReturnedRecords()
    let changes = pending.all.filter { $0.kind != .inserted }
    guard !changes.isEmpty else { return [] }
    let stored = try storedSnapshots(for: changes.map(\.state.identifier))
    return changes.compactMap { change in
      RecordConflict(change, theirs: values(stored[change.state.identifier], of: change.state))
    }
  }

  /// Records the versions that may be resolved from now on.
  func noteSeen(_ conflicts: [RecordConflict]) {
    merging.seen = Dictionary(
      conflicts.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Marks the conflicts that made a save fail as seen.
  func noteConflictsOfFailedSave() -> [RecordConflict] {
    // Records that cannot be read count as not seen, so their conflicts cannot be resolved.
    let conflicts = (try? openConflicts()) ?? []
    noteSeen(conflicts)
    return conflicts
  }

  /// Resolves the conflict of a record; a record without a conflict stays as it is.
  ///
  /// Only versions that were seen can be resolved: those that the last `conflicts()` returned or that made
  /// the last save fail. If the store has a newer version, the conflict stays and no unseen value is
  /// overwritten; `conflicts()` then returns the newer version.
  ///
  /// The result is an unsaved change like any other: with `mine`, the next save overwrites their version;
  /// with `theirs`, the context takes their version. A record that one side deleted is kept or deleted as a
  /// whole, whichever attributes are named.
  ///
  /// - Parameters:
  ///   - identifier: The record.
  ///   - side: The version that wins.
  ///   - names: The attributes to resolve; nil for all.
  /// - Returns: True when the conflict is resolved; false when the store has a newer version than the one
  ///   that was seen.
  /// - Throws: `PersistenceError` with code `.unknownAttribute`, or the store's error if it cannot be read.
  ///   Nothing has changed then.
  @discardableResult
  public func resolveConflict(
    of identifier: PersistentIdentifier,
    keeping side: RecordConflict.Side,
    attributes names: Set<String>? = nil
  ) throws -> Bool {
    let identifier = resolve(identifier)
    guard let change = pending[identifier], change.kind != .inserted else { return true }
    let state = change.state
    for name in (names ?? []).sorted() { _ = try state.entity.attribute(named: name) }
    let stored = try storedSnapshots(for: [identifier])[identifier]
    let theirs = values(stored, of: state)
    guard let conflict = RecordConflict(change, theirs: theirs) else { return true }
    let meant = conflict.differences.map(\.name).filter { names?.contains($0) ?? true }
    if conflict.kind == .changed, meant.isEmpty { return true }
    let seen = conflict.attributes(seenIn: merging.seen[identifier])
    guard let seen else { return false }
    try confinement.whenAllowed("resolve a conflict") {
      switch (change.kind, theirs) {
      case (.updated, let theirs?):
        resolve(state, theirs, side, names.map(seen.intersection) ?? seen)
      case (.updated, nil): settleDeletion(of: change, side)
      case (_, let theirs?): settleDeletion(of: change, theirs, side)
      case (_, nil): break
      }
    }
    if pending[identifier].flatMap({ RecordConflict($0, theirs: theirs) }) == nil {
      merging.conflicting.remove(identifier)
    }
    surroundings.noteChange()
    return conflict.kind != .changed || seen.isSuperset(of: meant)
  }

  private func values(_ snapshot: DefaultSnapshot?, of state: ModelState) -> [Value]? {
    snapshot.map { state.entity.arranged($0).orderedValues }
  }

  /// Resolves a conflict between values that were changed on both sides.
  private func resolve(
    _ state: ModelState,
    _ theirs: [Value],
    _ side: RecordConflict.Side,
    _ names: Set<String>
  ) {
    let result = Rebase(base: state.original, mine: state.orderedValues, theirs: theirs)
    var base = result.base
    if result.values != state.orderedValues { state.replaceValues(result.values) }
    for slot in result.conflictingSlots
    where names.contains(state.entity.layout.names[slot]) {
      if side == .theirs { tracker.setValue(theirs[slot], at: slot, of: state) }
      base[slot] = theirs[slot]
    }
    pending.rebase(state, on: base)
  }

  /// Records the values that the user saw before changing them, where the context now has different ones.
  ///
  /// A change that was saved in between then becomes a conflict like any other.
  package func note(seen values: [Int: Value], of state: ModelState) {
    guard let change = pending[state], change.kind == .updated else { return }
    var base = change.original
    for (slot, value) in values where state.orderedValues[slot] != base[slot] { base[slot] = value }
    guard base != change.original else { return }
    pending.rebase(state, on: base)
    merging.conflicting.insert(state.identifier)
  }

  /// Resolves the conflict of a record that was changed here and deleted elsewhere.
  private func settleDeletion(of change: PendingChange, _ side: RecordConflict.Side) {
    let state = change.state
    switch side {
    case .mine:
      pending.set(.init(state: state, kind: .inserted, original: [], model: change.model))
    case .theirs:
      pending.remove(state)
      state.isDeleted = true
      registry.forget(state)
    }
  }

  /// Resolves the conflict of a record that was deleted here and changed elsewhere.
  private func settleDeletion(
    of change: PendingChange,
    _ theirs: [Value],
    _ side: RecordConflict.Side
  ) {
    let state = change.state
    switch side {
    case .mine:
      pending.set(.init(state: state, kind: .deleted, original: theirs, model: change.model))
    case .theirs:
      pending.remove(state)
      state.replaceValues(theirs)
      state.isDeleted = false
      undoLog.record(.insert(state.snapshot))
    }
  }
}
