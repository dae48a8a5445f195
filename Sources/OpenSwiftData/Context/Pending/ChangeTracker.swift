import Synchronization

/// Tracks what programs do to the records of a context, so that it can be saved, undone and discarded.
///
/// Everything that a program changes in a record passes through here. `insert`, `delete` and `setValue` record
/// the change for undo; `add`, `remove`, `restore` and `write` do not, because undo itself and changes of the
/// schema use them.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. A changed state belongs to the context.
/// 2. A changed state is deleted exactly if its change is a deletion.
final class ChangeTracker {
  let pending: PendingChanges
  let registry: ModelRegistry
  let undoLog: UndoLog
  let surroundings: ContextSurroundings
  private let readSets: ReadSets
  private let confinement: ContextConfinement
  /// The number of the context, which is part of its temporary identifiers.
  let contextNumber: UInt64
  private(set) var nextSerial: UInt64 = 1
  /// True when a new model was deleted to which references without an inverse may still exist.
  private var hasForgottenNewModels = false
  /// An error that could not be thrown where it occurred; the next save throws it.
  private(set) var problem: PersistenceError?

  private static let contextCount = Atomic<UInt64>(0)

  init(
    _ pending: PendingChanges,
    _ registry: ModelRegistry,
    _ undoLog: UndoLog,
    _ surroundings: ContextSurroundings,
    _ readSets: ReadSets,
    _ confinement: ContextConfinement
  ) {
    self.pending = pending
    self.registry = registry
    self.undoLog = undoLog
    self.surroundings = surroundings
    self.readSets = readSets
    self.confinement = confinement
    contextNumber = Self.contextCount.wrappingAdd(1, ordering: .relaxed).newValue
  }

  // MARK: Recorded changes

  /// Inserts a model and all models that it refers to.
  func insert(_ model: any PersistentModel) {
    let state = model.persistentState
    if let owner = state.owner, owner === registry.owner {
      guard state.isDeleted else { return }
      insertAgain(state.identifier, state.orderedValues, in: state.entity)
      state.forgetDeletedLinks()
      state.completeInverses()
      return
    }
    let isComingBack = state.isDeleted
    guard admit(state, model) else { return }
    guard state.description != nil else { return }
    var companions = state.companions?.all ?? []
    state.companions = nil
    var new = [state]
    while let companion = companions.popLast() {
      let other = companion.persistentState
      guard other.owner == nil, admit(other, companion) else { continue }
      companions += other.companions?.all ?? []
      other.companions = nil
      new.append(other)
    }
    if isComingBack { state.forgetDeletedLinks() }
    for state in new { state.completeInverses() }
  }

  /// Inserts new records without objects.
  ///
  /// - Returns: The identifier of the last one.
  func insert(_ records: [[Value]], of entity: Schema.Entity) throws -> PersistentIdentifier? {
    var last: PersistentIdentifier?
    let scope = entity.temporaryScope
    pending.reserve(records.count)
    let counter = WorkCounter("adding", of: records.count)
    for values in records {
      try counter.add()
      let identifier = scope.temporaryIdentifier(nextSerial, context: contextNumber)
      nextSerial += 1
      let state = ModelState(entity: entity, identifier: identifier, values: values)
      add(state, nil)
      if undoLog.isEnabled { undoLog.record(.insert(state.snapshot)) }
      last = identifier
    }
    return last
  }

  /// Inserts new records without objects, whose states are made when they are needed.
  ///
  /// - Precondition: The columns are those of the entity, and equally long.
  func insert(_ columns: [PackedColumn], of entity: Schema.Entity) {
    let records = NewRecords(
      columns,
      of: entity,
      firstSerial: nextSerial,
      context: contextNumber
    )
    guard records.count > 0 else { return }
    nextSerial += UInt64(records.count)
    pending.add(records)
    undoLog.record(records)
    surroundings.noteChange()
  }

  /// Changes many records in the body, and holds those that changed in the same way compactly afterwards.
  func packing(_ body: () throws -> Void) rethrows {
    let start = pending.entries.count
    defer { pending.pack(from: min(start, pending.entries.count)) }
    try body()
  }

  private func admit(_ state: ModelState, _ model: any PersistentModel) -> Bool {
    guard state.owner == nil else {
      report(
        PersistenceError(
          .unsupported,
          "cannot insert \(state.entity.name): it belongs to another context; fetch it by identifier in this one"
        )
      )
      return false
    }
    if state.description == nil || !state.identifier.isTemporary {
      state.identifier = state.entity.temporaryScope
        .temporaryIdentifier(nextSerial, context: contextNumber)
      nextSerial += 1
    }
    add(state, model)
    if undoLog.isEnabled {
      undoLog.record(.insert(state.snapshot))
    }
    return true
  }

  /// Restores a deleted record with its identifier.
  func insertAgain(
    _ identifier: PersistentIdentifier,
    _ values: [Value],
    in entity: Schema.Entity
  ) {
    undoLog.record(
      .insert(
        DefaultSnapshot(
          persistentIdentifier: identifier,
          layout: entity.layout,
          orderedValues: values
        )
      )
    )
    restore(identifier, entity: entity, values)
  }

  /// Deletes a record, without following delete rules.
  func delete(_ state: ModelState) {
    guard owns(state), !state.isDeleted else { return }
    if undoLog.isEnabled {
      undoLog.record(.delete(state.snapshot))
    }
    remove(state)
  }

  /// Changes a value; the value of a deleted record is only kept in memory.
  ///
  /// A value that the store makes stays as it is, and the next save throws the reason.
  func setValue(_ value: Value, at slot: Int, of state: ModelState) {
    confinement.whenAllowed("change", state.entity.name) {
      setAllowed(value, at: slot, of: state)
    }
  }

  private func setAllowed(_ value: Value, at slot: Int, of state: ModelState) {
    let old = state.orderedValues[slot]
    guard !state.isDeleted else {
      state.orderedValues[slot] = value
      return
    }
    if state.entity.hasReadOnlyFields, state.pendingKindIfDirty != .inserted,
      let refusal = state.readOnlyError(at: slot)
    {
      report(refusal)
      return
    }
    if undoLog.isEnabled {
      undoLog.record(
        .update(state.identifier, state.entity.layout, slot: slot, old: old, new: value)
      )
    }
    write(value, at: slot, of: state)
  }

  // MARK: Changes that are not recorded

  /// Adds a new or restored record.
  func add(_ state: ModelState, _ model: (any PersistentModel)?) {
    state.owner = registry.owner
    state.isDeleted = false
    if !state.identifier.isTemporary { registry.register(state) }
    noteLinks(in: state.orderedValues, of: state)
    let held = model ?? registry.objectToHold(of: state)
    pending.set(.init(state: state, kind: .inserted, original: [], model: held))
    surroundings.noteChange()
  }

  /// Removes a record; one that was never saved has no unsaved change afterwards.
  func remove(_ state: ModelState) {
    let change = pending[state]
    state.isDeleted = true
    if change?.kind == .inserted {
      hasForgottenNewModels = true
      if let model = change?.model { state.attach(any: model) }
      pending.remove(state)
      // Undo may restore the same object.
      registry.register(state)
    } else {
      pending.set(
        .init(
          state: state,
          kind: .deleted,
          original: change?.original ?? state.orderedValues,
          model: change?.model ?? registry.objectToHold(of: state),
          undecided: change?.undecided ?? []
        )
      )
    }
    surroundings.noteChange()
  }

  /// Restores a record whose deletion may be saved or not.
  @discardableResult
  func restore(
    _ identifier: PersistentIdentifier,
    entity: Schema.Entity,
    _ values: [Value]
  ) -> ModelState {
    let state = registry[identifier] ?? ModelState(entity: entity, identifier: identifier)
    state.identifier = identifier
    if let change = pending[state], change.kind == .deleted {
      noteLinks(in: values, of: state)
      state.isDeleted = false
      state.orderedValues = values
      if change.original == values {
        pending.remove(state)
      } else {
        pending.set(
          .init(
            state: state,
            kind: .updated,
            original: change.original,
            model: state.model,
            undecided: change.undecided
          )
        )
      }
    } else {
      state.orderedValues = values
      add(state, state.model)
    }
    surroundings.noteChange()
    return state
  }

  /// Writes a value; a record with its stored values again has no unsaved change afterwards.
  func write(_ value: Value, at slot: Int, of state: ModelState) {
    if value.isLink || state.orderedValues[slot].isLink {
      noteLinks(in: [state.orderedValues[slot], value], of: state)
    }
    if !state.isDirty {
      pending.addUpdate(of: state, holding: registry.objectToHold(of: state))
      state.writeFirst(value, at: slot)
      if state.original(at: slot) == value { pending.remove(state) }
    } else if state.pendingKind == .updated {
      pending.noteChange(of: state)
      if state.writeAgain(value, at: slot) { pending.remove(state) }
    } else {
      pending.noteChange(of: state)
      state.orderedValues[slot] = value
    }
    surroundings.noteChange()
  }

  private func noteLinks(in values: [Value], of state: ModelState) {
    readSets.noteLinks(in: values, of: state.identifier, isRestored: undoLog.isReplaying)
  }

  /// Makes the next save check a record whose property was set to a value that cannot be stored.
  func noteProblem(of state: ModelState) {
    guard !state.isDeleted, pending[state] == nil else { return }
    pending.set(
      .init(state: state, kind: .updated, original: state.orderedValues, model: state.model)
    )
  }

  /// Clears links to new models that were deleted before they were saved.
  func forgetLinksToNothing() {
    guard hasForgottenNewModels else { return }
    hasForgottenNewModels = false
    for change in pending.all where change.kind != .deleted {
      for slot in change.state.description?.loneSlots ?? [] {
        let links = change.state.links(slot)
        let kept = links.filter { !$0.isTemporary || pending[$0]?.kind == .inserted }
        if kept.count < links.count {
          change.state.setLinks(kept, at: slot, isNull: false)
        }
      }
    }
  }

  // MARK: Errors

  /// Keeps an error that cannot be thrown where it occurred; the next save throws it.
  func report(_ problem: PersistenceError) { self.problem = problem }

  /// Throws the error that was kept, once.
  func throwProblem() throws {
    guard let problem else { return }
    self.problem = nil
    throw problem
  }

  /// Forgets the error that was kept.
  func forgetProblem() { problem = nil }

  /// True if the record belongs to the context.
  func owns(_ state: ModelState) -> Bool {
    state.owner.map { $0 === registry.owner } ?? false
  }
}
