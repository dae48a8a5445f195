/// Settling what was changed both here and elsewhere.
///
/// A save that meets such a record throws `.conflict`, with all conflicts in the error, and writes
/// nothing. The unsaved changes stay as they are until each conflict is resolved; then the save goes
/// through. `saveWithoutConflicts()` saves what is not concerned before that.
extension ModelContext {
  /// The records that keep the next save from being made, in the order in which they were changed here.
  ///
  /// What others saved at other attributes is merged and is no conflict. The context takes what it
  /// returns as seen: `resolveConflict` settles against these versions and no later ones.
  ///
  /// - Throws: What the store says when it cannot be read.
  /// - Complexity: O(n) in the number of changed records, which are read from the store.
  public func conflicts() throws -> [RecordConflict] {
    let found = try openConflicts()
    noteSeen(found)
    return found
  }

  /// The conflicts as they are now, which nobody is shown.
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

  /// Notes the versions that may be resolved from now on.
  func noteSeen(_ conflicts: [RecordConflict]) {
    merging.seen = Dictionary(
      conflicts.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Takes the conflicts that made a save fail as seen.
  func noteConflictsOfFailedSave() -> [RecordConflict] {
    // What cannot be read counts as not seen, so that nothing of it is resolved.
    let conflicts = (try? openConflicts()) ?? []
    noteSeen(conflicts)
    return conflicts
  }

  /// Settles the conflict of a record; one that has none stays as it is.
  ///
  /// Only what was seen is resolved: what the last `conflicts()` returned, or what the last save failed
  /// for. Where the store has another version by now, the conflict stays, so that nothing is written
  /// over what nobody looked at; `conflicts()` then returns that version.
  ///
  /// The result is unsaved like any other change: mine is what the next save writes over theirs, theirs
  /// is taken over here. A record that one side deleted is kept or deleted as a whole, whatever
  /// attributes are named.
  ///
  /// - Parameters:
  ///   - identifier: The record.
  ///   - side: Whose version wins.
  ///   - names: The attributes that are resolved; nil for all.
  /// - Returns: True when all that was meant is resolved; false when others have saved another version
  ///   since this one was seen.
  /// - Throws: `PersistenceError` with code `.unknownAttribute`; what the store says when it cannot be
  ///   read. Nothing has changed then.
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
    try whenAllowed("resolve a conflict") {
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
    noteChange()
    return conflict.kind != .changed || seen.isSuperset(of: meant)
  }

  private func values(_ snapshot: DefaultSnapshot?, of state: ModelState) -> [Value]? {
    snapshot.map { state.entity.arranged($0).orderedValues }
  }

  /// Values were changed on both sides.
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
      if side == .theirs { setValue(theirs[slot], at: slot, of: state) }
      base[slot] = theirs[slot]
    }
    pending.rebase(state, on: base)
  }

  /// Notes the values that somebody saw who changed them, where the context has others by now.
  ///
  /// What was saved meanwhile is then a conflict like any other.
  package func note(seen values: [Int: Value], of state: ModelState) {
    guard let change = pending[state], change.kind == .updated else { return }
    var base = change.original
    for (slot, value) in values where state.orderedValues[slot] != base[slot] { base[slot] = value }
    guard base != change.original else { return }
    pending.rebase(state, on: base)
    merging.conflicting.insert(state.identifier)
  }

  /// The record was changed here and deleted elsewhere.
  private func settleDeletion(of change: PendingChange, _ side: RecordConflict.Side) {
    let state = change.state
    switch side {
    case .mine:
      pending.set(.init(state: state, kind: .inserted, original: [], model: change.model))
    case .theirs:
      pending.remove(state)
      state.isDeleted = true
      forget(state)
    }
  }

  /// The record was deleted here and changed elsewhere.
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
