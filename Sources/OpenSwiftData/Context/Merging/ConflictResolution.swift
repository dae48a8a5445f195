/// Finds conflicts between unsaved changes and changes saved elsewhere, and resolves them.
struct ConflictResolution {
  let stores: ContextStores
  let merging: Merging
  let pending: PendingChanges
  let registry: ModelRegistry
  let tracker: ChangeTracker
  let undoLog: UndoLog
  let remapping: Remapping
  let surroundings: ContextSurroundings
  let confinement: ContextConfinement

  /// The current conflicts, in the order in which the records were changed here.
  ///
  /// - Throws: The store's error if it cannot be read.
  func conflicts() throws -> [RecordConflict] {
    _ = try merging.meetReturnedRecords()
    let changes = pending.all.filter { $0.kind != .inserted }
    let added = try conflictsWithAdded()
    guard !changes.isEmpty else { return added }
    let stored = try merging.storedSnapshots(for: changes.map(\.state.identifier))
    let doubts = try Doubts(stores, changes, stored, merging)
    let found = changes.compactMap { change in
      conflict(of: change, stored[change.state.identifier], doubts)
    }
    let known = Set(found.map(\.persistentIdentifier))
    return found + added.filter { !known.contains($0.persistentIdentifier) }
  }

  /// The doubts about which records of the store the changed ones are, with the records that they may be.
  private struct Doubts {
    let doubts: [PersistentIdentifier: RecordDoubt]
    let candidates: [PersistentIdentifier: DefaultSnapshot]
    /// The records of links that both sides have set and that may mean different ones.
    let targets: Set<PersistentIdentifier>

    init(
      _ stores: ContextStores,
      _ changes: [PendingChange],
      _ stored: [PersistentIdentifier: DefaultSnapshot],
      _ merging: Merging
    ) throws {
      doubts = try stores.doubts(about: changes, stored)
      targets = try stores.doubtfulTargets(of: changes, stored)
      let wanted = doubts.values.compactMap(\.candidate)
      candidates = wanted.isEmpty ? [:] : try merging.storedSnapshots(for: wanted)
    }
  }

  private func conflict(of change: PendingChange, _ stored: DefaultSnapshot?, _ doubts: Doubts)
    -> RecordConflict?
  {
    let state = change.state
    let doubt = doubts.doubts[state.identifier]
    let candidate = doubt?.candidate.flatMap { doubts.candidates[$0] }
    let theirs = values(stored, of: state)
    return RecordConflict(
      change,
      theirs: theirs,
      read: stores.readSlots(of: change, theirs: theirs, doubting: doubts.targets),
      doubt: doubt,
      candidate: values(candidate, of: state)
    )
  }

  // MARK: The same key

  /// The conflicts of new records, and of records with a new key, with records of the same key that were added
  /// elsewhere.
  ///
  /// - Complexity: O(n) in the number of changes, and in that of the added records if any change brings a key.
  func conflictsWithAdded() throws -> [RecordConflict] {
    var found: [RecordConflict] = []
    if pending.isEmpty { return [] }
    for store in stores.matchingStores where store.hasNewcomers {
      for (entity, changes) in pending.bringingKeys({ store.keyFields(of: $0) ?? [] }) {
        let fields = store.keyFields(of: entity) ?? []
        let added = store.newcomers(of: entity, withKeys: Set(changes.map(\.key)))
        if added.isEmpty { continue }
        let stored = try merging.storedSnapshots(for: Array(added.values))
        for (change, key) in changes {
          guard let other = added[key], let snapshot = stored[other],
            merging.kept[change.state.identifier] != other, pending[other] == nil,
            stores.sought.containing(change.state.identifier) == nil
          else { continue }
          found.append(RecordConflict(change, added: snapshot, key: fields))
        }
      }
    }
    return found
  }

  /// The conflicts that made a save fail, which are marked as seen.
  func conflictsOfFailedSave() -> [RecordConflict] {
    // Records that cannot be read count as not seen, so their conflicts cannot be resolved.
    let conflicts = (try? conflicts()) ?? []
    merging.noteSeen(conflicts)
    return conflicts
  }

  /// Resolves conflicts as `ModelContext.resolveConflict(of:keeping:attributes:)` does; can be stopped while it reads
  /// the records.
  ///
  /// - Returns: The number of conflicts that are not resolved.
  func resolve(
    _ identifiers: [PersistentIdentifier],
    keeping side: RecordConflict.Side,
    attributes names: Set<String>?
  ) throws -> Int {
    var stored: [PersistentIdentifier: DefaultSnapshot] = [:]
    let further =
      side == .theirs ? pending.consequences.records(concernedBy: identifiers) : []
    try (identifiers + further).forEachBatch { batch in
      stored.merge(try merging.storedSnapshots(for: Array(batch))) { $1 }
    }
    let versions = try versions(of: identifiers, stored)
    if side == .mine {
      try checkDeletions(of: identifiers, versions)
      try checkLinks(of: identifiers, versions)
    }
    // Each merge looks at all records in conflict.
    var overtaken = OvertakingVersions()
    return try merging.withoutMerging {
      try Interruption.ignored {
        defer { undoLog.begin(with: overtaken) { $0.isTemporary ? remapping[$0] ?? $0 : $0 } }
        return try identifiers.count {
          try !resolve($0, versions, keeping: side, attributes: names, &overtaken)
        }
      }
    }
  }

  /// What the stores have of records in conflict.
  private struct Versions {
    let stored: [PersistentIdentifier: DefaultSnapshot]
    let doubts: Doubts
    /// Their conflicts with records of the same keys that were added elsewhere.
    let added: [PersistentIdentifier: RecordConflict]
  }

  private func versions(
    of identifiers: [PersistentIdentifier],
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> Versions {
    Versions(
      stored: stored,
      doubts: try Doubts(stores, identifiers.compactMap { pending[$0] }, stored, merging),
      added: Dictionary(
        try conflictsWithAdded().map { ($0.persistentIdentifier, $0) },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }

  /// Refuses to keep deletions of records that may be other ones now.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`.
  private func checkDeletions(of identifiers: [PersistentIdentifier], _ versions: Versions) throws {
    for identifier in identifiers where pending[identifier]?.kind == .deleted {
      guard let doubt = versions.doubts.doubts[identifier], let other = doubt.candidate,
        versions.doubts.candidates[other] != nil
      else { continue }
      throw PersistenceError(
        .conflict,
        "\(identifier.entityName) record \(identifier): \(doubt.reason); delete record \(other) instead, or "
          + "keep their version"
      )
    }
  }

  /// Refuses to keep links that both sides have set if they mean different records: the stored one is theirs.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`.
  private func checkLinks(of identifiers: [PersistentIdentifier], _ versions: Versions) throws {
    let targets = versions.doubts.targets
    if targets.isEmpty { return }
    for identifier in identifiers {
      guard let change = pending[identifier] else { continue }
      let state = change.state
      let theirs = values(versions.stored[identifier], of: state)
      let shared = stores.readSlots(of: change, theirs: theirs, doubting: targets)
        .first { slots in slots.read.count == 1 && slots.read == slots.dependents }
      guard let slot = shared?.read.first,
        let target = state.orderedValues[slot].linkedIdentifiers.first(where: targets.contains)
      else { continue }
      throw PersistenceError(
        .conflict,
        "\(identifier.entityName) record \(identifier): \(state.entity.layout.names[slot]) is \(target) for both, "
          + "but that is another record now; give the field another value, or keep their version"
      )
    }
  }

  /// Resolves the conflict of a record with its stored version, or else with an added record.
  private func resolve(
    _ identifier: PersistentIdentifier,
    _ versions: Versions,
    keeping side: RecordConflict.Side,
    attributes names: Set<String>?,
    _ overtaken: inout OvertakingVersions
  ) throws -> Bool {
    guard let change = pending[identifier] else { return true }
    let state = change.state
    for name in (names ?? []).sorted() { _ = try state.entity.attribute(named: name) }
    let stored = versions.stored[identifier]
    let theirs = values(stored, of: state)
    guard let conflict = conflict(of: change, stored, versions.doubts) else {
      return try resolve(versions.added[identifier], side)
    }
    let meant = conflict.differences.map(\.name).filter { names?.contains($0) ?? true }
    if conflict.kind == .changed, meant.isEmpty { return true }
    let seen = conflict.attributes(seenIn: merging.seen[identifier])
    guard let seen else { return false }
    try confinement.whenAllowed("resolve a conflict") {
      switch (change.kind, theirs) {
      case (.updated, let theirs?):
        // Which record it is decides about all values.
        let names = conflict.doubt == nil ? names.map(seen.intersection) : nil
        resolve(
          change,
          theirs,
          side,
          names ?? seen,
          isOther: conflict.doubt != nil,
          doubting: versions.doubts.targets,
          &overtaken
        )
      case (.updated, nil): resolveDeletion(of: change, side, &overtaken)
      case (_, let theirs?):
        resolveDeletion(of: change, theirs, side, &overtaken)
        if side == .theirs { dropConsequences(of: identifier, versions.stored) }
      case (_, nil): resolveDeletionInDoubt(of: change)
      }
    }
    let rest = pending[identifier].flatMap {
      RecordConflict(
        $0,
        theirs: theirs,
        read: stores.readSlots(of: $0, theirs: theirs, doubting: versions.doubts.targets)
      )
    }
    if rest == nil {
      merging.noteResolved(identifier)
      if change.kind == .deleted, theirs == nil { merging.noteDeletedByOthers(identifier) }
    }
    surroundings.noteChange()
    return conflict.kind != .changed || seen.isSuperset(of: meant)
  }

  /// Resolves the conflict of a record with one of the same key that was added elsewhere, if there is one.
  ///
  /// - Returns: False if the user has not seen the other record.
  private func resolve(_ conflict: RecordConflict?, _ side: RecordConflict.Side) throws -> Bool {
    guard let conflict else { return true }
    let identifier = conflict.persistentIdentifier
    guard conflict.attributes(seenIn: merging.seen[identifier]) != nil else { return false }
    guard let change = pending[identifier], let other = conflict.doubt?.candidate else {
      return true
    }
    try confinement.whenAllowed("resolve a conflict") {
      switch side {
      case .mine: merging.keep(identifier, beside: other)
      case .theirs: tracker.discard(change)
      }
      surroundings.noteChange()
    }
    return true
  }

  /// Drops the deletion of a record that the store does not have any more, or has under another identifier.
  private func resolveDeletionInDoubt(of change: PendingChange) {
    pending.remove(change.state)
    change.state.isDeleted = true
    registry.forget(change.state)
  }

  /// Makes values that were saved while the user changed others conflicts, as `ModelContext.note(seen:of:)` does.
  func note(seen values: [Int: Value], of state: ModelState) {
    guard let change = pending[state], change.kind != .inserted else { return }
    var base = change.original
    for (slot, value) in values
    where change.kind == .deleted || state.orderedValues[slot] != base[slot] {
      base[slot] = value
    }
    guard base != change.original else { return }
    pending.rebase(state, on: base)
    merging.noteConflict(of: state.identifier)
  }

  /// Makes a record whose deletion was undone a conflict if another program has deleted it, too.
  func noteRestored(_ state: ModelState) {
    guard pending[state]?.kind == .inserted, merging.takeDeletionByOthers(of: state.identifier)
    else { return }
    pending.set(
      .init(state: state, kind: .updated, original: state.orderedValues, model: state.model)
    )
  }

  /// The records that undoing their deletions has restored here and that another program has deleted.
  var restored: Set<PersistentIdentifier> {
    merging.gone.filter { pending[$0]?.restoresDeleted ?? false }
  }

  /// Discards a record that undoing its deletion has restored here and that another program has deleted.
  ///
  /// - Returns: False if the change is any other; nothing is done then.
  func discardRestored(_ change: PendingChange) -> Bool {
    let state = change.state
    guard change.restoresDeleted, merging.gone.contains(state.identifier) else { return false }
    undoLog.record(.delete(state.snapshot))
    pending.remove(state)
    state.isDeleted = true
    registry.forget(state)
    merging.noteDeletedByOthers(state.identifier)
    surroundings.noteChange()
    return true
  }

  /// Restores changes whose conflicts were resolved, and the conflicts with them.
  func restore(_ former: FormerConflicts) {
    for former in former.changes {
      let (change, state) = (former.change, former.change.state)
      if state.orderedValues != former.values { state.replaceValues(former.values) }
      state.isDeleted = change.kind == .deleted
      state.owner = registry.owner
      registry.register(state)
      pending.set(change)
    }
    merging.restore(former)
    // A save ends the step that resolved them.
    undoLog.restoreSteps(former.undoable, redoable: former.redoable)
    surroundings.noteChange()
  }

  private func values(_ snapshot: DefaultSnapshot?, of state: ModelState) -> [Value]? {
    snapshot.map { state.entity.arranged($0).orderedValues }
  }

  /// Resolves a conflict between values that were changed on both sides.
  private func resolve(
    _ change: PendingChange,
    _ theirs: [Value],
    _ side: RecordConflict.Side,
    _ names: Set<String>,
    isOther: Bool,
    doubting targets: Set<PersistentIdentifier>,
    _ overtaken: inout OvertakingVersions
  ) {
    let state = change.state
    let read = stores.readSlots(of: change, theirs: theirs, doubting: targets)
    let (before, mine) = (state.original, state.orderedValues)
    let result = Rebase(
      base: before,
      mine: mine,
      theirs: theirs,
      undecided: state.undecidedSlots,
      read: read,
      isOther: isOther
    )
    var (decided, onlyRead): ([Int], [Int]) = ([], [])
    let isMet = !state.undecided.isEmpty
    var base = result.base
    if result.values != state.orderedValues { state.replaceValues(result.values) }
    for slot in result.conflictingSlots
    where names.contains(state.entity.layout.names[slot]) {
      if !isOther, mine[slot] == before[slot] {
        // A value that was only read has no version of mine, to which an undo could lead back.
        onlyRead.append(slot)
      } else {
        if side == .theirs { tracker.setValue(theirs[slot], at: slot, of: state) }
        overtaken.add(state, slot, former: base[slot], theirs: theirs[slot])
      }
      base[slot] = theirs[slot]
      decided.append(slot)
    }
    if !onlyRead.isEmpty {
      var values = state.orderedValues
      for slot in onlyRead { values[slot] = theirs[slot] }
      state.replaceValues(values)
    }
    if isOther { base = theirs }
    if isMet {
      overtaken.add(met: state, theirs: theirs)
      state.undecided = state.names(of: state.undecidedSlots.subtracting(decided))
    }
    pending.rebase(state, on: base)
  }

  /// Resolves the conflict of a record that was changed here and deleted elsewhere.
  private func resolveDeletion(
    of change: PendingChange,
    _ side: RecordConflict.Side,
    _ overtaken: inout OvertakingVersions
  ) {
    let state = change.state
    switch side {
    case .mine:
      overtaken.add(restored: state, former: change.original)
      pending.set(.init(state: state, kind: .inserted, original: [], model: change.model))
    case .theirs:
      pending.remove(state)
      state.isDeleted = true
      registry.forget(state)
    }
  }

  /// Resolves the conflict of a record that was deleted here and changed elsewhere.
  private func resolveDeletion(
    of change: PendingChange,
    _ theirs: [Value],
    _ side: RecordConflict.Side,
    _ overtaken: inout OvertakingVersions
  ) {
    let state = change.state
    overtaken.add(deleted: state, theirs: theirs)
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

extension PendingChange {
  /// True for a record that `noteRestored(_:)` has found deleted by another program: no value of it differs.
  fileprivate var restoresDeleted: Bool { kind == .updated && original == state.orderedValues }
}
