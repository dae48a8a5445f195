/// Applies undo steps and their inverses to the records of a context.
///
/// Steps keep the identifiers and layouts of the time when they were recorded; they are converted here.
struct UndoReplay {
  let stores: ContextStores
  let undoLog: UndoLog
  let remapping: Remapping
  let tracker: ChangeTracker
  let merging: Merging
  let fetching: Fetching
  let uniqueness: Uniqueness
  let schemaStaging: SchemaStaging
  let conflictResolution: ConflictResolution

  /// Undoes the last step; with `skippingMissing` without the changes of records that no longer exist.
  func undo(skippingMissing: Bool = false) throws -> UndoStep? {
    _ = try fetching.connections()
    let number = undoLog.undoable.count
    let isRecording = undoLog.isRecording
    guard var step = undoLog.takeUndo() else { return nil }
    defer { tracker.pending.beginStep(after: undoLog.undoable.count) }
    do {
      if isRecording || !discard(step, number: number) {
        step = try replay(step, isInverse: true, skippingMissing)
      }
    } catch {
      _ = undoLog.takeRedo()
      throw error
    }
    if step.isPartial { undoLog.replaceUndone(with: step) }
    stores.readSets.renew()
    stores.readLinkedRecords()
    merging.mergeChanges()
    return resolved(step)
  }

  /// Redoes the last step that was undone; with `skippingMissing` without the changes of records that no longer exist.
  func redo(skippingMissing: Bool = false) throws -> UndoStep? {
    _ = try fetching.connections()
    guard var step = undoLog.takeRedo() else { return nil }
    defer { tracker.pending.beginStep(after: undoLog.undoable.count) }
    do {
      step = try replay(step, isInverse: false, skippingMissing)
    } catch {
      _ = undoLog.takeUndo()
      throw error
    }
    if step.isPartial { undoLog.replaceRedone(with: step) }
    stores.readSets.renew()
    stores.readLinkedRecords()
    merging.mergeChanges()
    return resolved(step)
  }

  /// True if the step is applied, stopped and discarded by blocks of records.
  private func isLarge(_ step: UndoStep) -> Bool {
    step.changes.count > 2 * UndoChanges.partSize && hasRecordsOnly(step)
  }

  /// True if the step changes only records, and none that are objects.
  private func hasRecordsOnly(_ step: UndoStep) -> Bool {
    !step.changes.changesSchema && !stores.isTyped
  }

  /// Discards the unsaved changes of the last step, if they are packed and separate from all others.
  ///
  /// - Returns: False if nothing was done.
  /// - Complexity: O(b + k) for b blocks and k changes that are not packed.
  private func discard(_ step: UndoStep, number: Int) -> Bool {
    step.changes.count >= PendingChanges.leastPacked && hasRecordsOnly(step)
      && merging.conflicting.isEmpty && tracker.pending.reopenLastStep(number: number)
      && tracker.discardStep(forgetting: false)
  }

  /// Applies a step or its inverse, if wanted without the changes of records that no longer exist.
  ///
  /// - Returns: The step as it was applied.
  private func replay(_ step: UndoStep, isInverse: Bool, _ skippingMissing: Bool) throws -> UndoStep
  {
    do {
      return step.leavingOut(try replay(step, isInverse: isInverse))
    } catch let error as PersistenceError where skippingMissing && error.code == .unknownRecord {
      let applied = isInverse ? step.inverse : step
      let missing = try missingRecords(of: applied)
      if missing.isEmpty { throw error }
      let names = Set(missing)
      var rest = applied
      rest.changes = UndoChanges(
        applied.changes.lazy.filter { change in
          if case .insert = change { return true }
          return change.identifier.map { !names.contains(resolve($0)) } ?? true
        }
      )
      if isInverse { rest = rest.inverse }
      rest.missing = missing
      rest.doubt =
        try stores.doubts(aboutSaved: [missing[0]])[missing[0]]
        ?? stores.doubts(about: [missing[0]])[missing[0]]
      if rest.changes.isEmpty { return rest }
      return rest.leavingOut(try replay(rest, isInverse: isInverse))
    }
  }

  /// The records that a step updates or deletes and that do not exist, or are other ones now, in order.
  private func missingRecords(of step: UndoStep) throws -> [PersistentIdentifier] {
    var known: Set<PersistentIdentifier> = []
    var wanted: [PersistentIdentifier] = []
    for change in step.changes {
      guard let recorded = change.identifier else { continue }
      let identifier = resolve(recorded)
      guard known.insert(identifier).inserted else { continue }
      if case .insert = change, uniqueness.formerValues[recorded] == nil { continue }
      wanted.append(identifier)
    }
    let present = try fetching.existing(
      wanted.filter { tracker.registry[$0] == nil && !tracker.pending.isPacked($0) }
    )
    let others = try stores.doubts(aboutSaved: wanted)
    return wanted.filter { identifier in
      let isHeld =
        tracker.registry[identifier] != nil || tracker.pending.isPacked(identifier)
      return others[identifier] != nil || !(isHeld || present.contains(identifier))
    }
  }

  /// Applies a step or its inverse completely or not at all.
  ///
  /// - Returns: The records that were not inserted, because their entities no longer exist.
  private func replay(_ step: UndoStep, isInverse: Bool) throws -> [PersistentIdentifier] {
    let changes = step.changes
    var unplaced: [PersistentIdentifier] = []
    guard isLarge(step) else {
      try tracker.packing { unplaced = try replay(isInverse ? step.inverse : step) }
      return unplaced
    }
    try merging.withoutMerging {
      try checkRecords(of: changes.parts(isInverse: isInverse))
      let counter = WorkCounter("applying", of: changes.count)
      tracker.pending.beginStep(after: undoLog.undoable.count - (isInverse ? 0 : 1))
      for part in changes.parts(isInverse: isInverse) {
        let start = tracker.pending.entries.count
        try whileSeparate { unplaced += try replay(UndoStep(name: "", changes: part)) }
        tracker.pending.pack(from: start)
        try Interruption.ignored { try counter.add(part.count) }
      }
      tracker.pending.dropEmptyBlocks()
    }
    if !isInverse { tracker.pending.endStep(number: undoLog.undoable.count) }
    return unplaced
  }

  /// Applies a part of a step; if this fails or is stopped, discards the parts before it.
  ///
  /// Parts that are mixed with earlier changes cannot be discarded, so that they cannot be stopped either.
  ///
  /// - Parameter apply: Changes nothing if it throws.
  /// - Throws: The error of the part.
  private func whileSeparate(_ apply: () throws -> Void) throws {
    guard tracker.pending.isStepSeparate, merging.conflicting.isEmpty else {
      return try Interruption.ignored(apply)
    }
    do {
      try Interruption.check()
      try apply()
    } catch {
      if tracker.discardStep(forgetting: false) { throw error }
      try Interruption.ignored(apply)
    }
  }

  /// Checks that the records which a step updates or deletes exist, without keeping them in memory.
  private func checkRecords(of parts: some Sequence<UndoChanges>) throws {
    var inserted: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for part in parts {
      var wanted: [PersistentIdentifier] = []
      for change in part {
        try meter.count()
        guard let identifier = change.identifier.map(resolve) else { continue }
        if case .insert = change {
          inserted.insert(identifier)
        } else if !inserted.contains(identifier), !tracker.pending.isPacked(identifier) {
          wanted.append(identifier)
        }
      }
      try checkAreSame(wanted)
      wanted.removeAll { tracker.registry[$0] != nil }
      let present = try fetching.existing(wanted)
      guard let missing = wanted.first(where: { !present.contains($0) }) else { continue }
      // Throws the error for the missing record.
      _ = try fetching.states(for: [missing])
    }
  }

  /// Checks that another program has not given the keys of records to other ones.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord`, as for a record that does not exist.
  private func checkAreSame(_ identifiers: [PersistentIdentifier]) throws {
    let doubts = try stores.doubts(aboutSaved: identifiers)
    guard let (record, doubt) = doubts.min(by: { $0.key < $1.key }) else { return }
    throw PersistenceError(
      .unknownRecord,
      "\(record.entityName) record \(record): \(doubt.reason)"
    )
  }

  /// Applies a step completely or not at all: reads everything it needs before it changes anything.
  ///
  /// Reading can be stopped.
  ///
  /// - Returns: The records that were not inserted, because another program has removed their entities.
  @discardableResult
  func replay(_ step: UndoStep) throws -> [PersistentIdentifier] {
    var unplaced: [PersistentIdentifier] = []
    try checkConversions(of: step)
    var states = try liveStates(of: step)
    try meetReturned(of: step, states)
    undoLog.isReplaying = true
    defer {
      undoLog.isReplaying = false
      merging.reloadConflicting(among: Set(step.changes.compactMap(\.identifier).map(resolve)))
    }
    let counter = WorkCounter("applying", of: step.changes.count)
    // From the first change on the step must be applied completely; a change of the schema first reads.
    var isFirst = true
    func count() throws { try Interruption.ignored { try counter.add() } }
    for change in step.changes {
      try count()
      defer { isFirst = false }
      guard let recorded = change.identifier else {
        guard case .schema(let edit, let isInverse) = change else { continue }
        if isFirst {
          try schemaStaging.perform(edit, isInverse: isInverse)
        } else {
          let departed = states.values.filter { $0.isDeleted && !$0.isDirty }
          try Interruption.ignored {
            try schemaStaging.perform(edit, isInverse: isInverse, departed: departed)
          }
        }
        continue
      }
      let identifier = resolve(recorded)
      if let former = uniqueness.formerValues[recorded], let state = states[identifier],
        replayUpsert(change, former, of: state)
      {
        continue
      }
      switch change {
      case .schema: break
      case .insert(let snapshot):
        // Another program may have removed the entity; the rest of the step is still applied.
        guard let entity = stores.schema.entitiesByName[identifier.entityName] else {
          unplaced.append(recorded)
          continue
        }
        // Held until the end, because nothing else references a restored state without changes.
        let state = tracker.restore(
          identifier,
          entity: entity,
          entity.fitted(snapshot).map { $0.remapped(remapping) }
        )
        states[identifier] = state
        conflictResolution.noteRestored(state)
      case .delete(let snapshot):
        guard let state = states[identifier] else { continue }
        // What another program has restored as well is not deleted with what was restored here.
        if merging.takeTheirs(of: state) { continue }
        let overtaken = overtakenValues(of: state, since: snapshot)
        tracker.remove(state)
        // What another program has saved since the step is not deleted with the record unseen.
        if !overtaken.isEmpty { conflictResolution.note(seen: overtaken, of: state) }
      case .update(_, let layout, let slot, let old, let new):
        guard let state = states[identifier],
          let (place, value) = state.entity.fitted(new, from: slot, of: layout)
        else { continue }
        let expected = state.entity.fitted(old, from: slot, of: layout)?.1.remapped(remapping)
        let isOvertaken = expected.map { $0 != state.orderedValues[place] } ?? false
        tracker.write(value.remapped(remapping), at: place, of: state)
        // Another program has changed the value since the step: the save reports a conflict.
        if isOvertaken, let expected { conflictResolution.note(seen: [place: expected], of: state) }
      }
    }
    return unplaced
  }

  /// Finds out which restored records that a step deletes another program has restored as well.
  private func meetReturned(
    of step: UndoStep,
    _ states: [PersistentIdentifier: ModelState]
  ) throws {
    var restored: [PendingChange] = []
    for case .delete(let snapshot) in step.changes {
      let identifier = resolve(snapshot.persistentIdentifier)
      guard let state = states[identifier], state.isDirty, state.pendingKind == .inserted,
        !identifier.isTemporary, let change = tracker.pending[state]
      else { continue }
      restored.append(change)
    }
    try merging.meet(restored)
  }

  /// The values of a record at the time of a step, by slot, where it has others now.
  ///
  /// Lists of links are left out: they follow from the links of other records.
  private func overtakenValues(of state: ModelState, since snapshot: DefaultSnapshot) -> [Int:
    Value]
  {
    guard tracker.pending[state]?.kind != .inserted else { return [:] }
    var overtaken: [Int: Value] = [:]
    for (slot, value) in state.entity.fitted(snapshot).enumerated() {
      if case .links = state.entity.fields[slot].type { continue }
      let expected = value.remapped(remapping)
      if expected != state.orderedValues[slot] { overtaken[slot] = expected }
    }
    return overtaken
  }

  /// Undoes or redoes the merge of a new record into an existing one.
  ///
  /// - Returns: False when the change is of another kind.
  private func replayUpsert(
    _ change: UndoStep.Change,
    _ former: [Value],
    of state: ModelState
  ) -> Bool {
    let values: [Value]
    switch change {
    case .insert(let new): values = new.orderedValues.map { $0.remapped(remapping) }
    case .delete: values = former
    case .update, .schema: return false
    }
    guard values.count == state.orderedValues.count, !state.isDeleted else { return false }
    for slot in values.indices where state.orderedValues[slot] != values[slot] {
      tracker.write(values[slot], at: slot, of: state)
    }
    return true
  }

  /// The states of the records that the step updates or deletes, referenced to keep them registered.
  private func liveStates(of step: UndoStep) throws -> [PersistentIdentifier: ModelState] {
    var inserted: Set<PersistentIdentifier> = []
    var wanted: [PersistentIdentifier] = []
    var meter = WorkMeter()
    for change in step.changes {
      try meter.count()
      guard let recorded = change.identifier else { continue }
      let identifier = resolve(recorded)
      if case .insert = change, uniqueness.formerValues[recorded] == nil {
        inserted.insert(identifier)
      } else if !inserted.contains(identifier) {
        wanted.append(identifier)
      }
    }
    try checkAreSame(wanted)
    return try fetching.states(inBatches: wanted)
  }

  func resolve(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    identifier.isTemporary ? remapping[identifier] ?? identifier : identifier
  }

  /// The step with the current identifiers of its records.
  private func resolved(_ step: UndoStep) -> UndoStep {
    step.with(step.changes.resolved(resolve))
  }
}
