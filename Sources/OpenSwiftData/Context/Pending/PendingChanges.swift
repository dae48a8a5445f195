/// The unsaved changes of a context, in the order in which the records were first changed.
///
/// The state of a record contains its change, so changing many records needs no lookups. Saved records are found in the
/// registry; an index of the new ones by identifier is built on first use.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. The `pendingPlace` of a state is its index in the entries.
/// 2. The counts match the kinds of the changes.
/// 3. The index contains those of the first `indexed` entries whose identifiers are temporary; all others are registered.
/// 4. Removed entries never outnumber the others by much.
/// 5. A record has an entry or is in one of the blocks, never both.
/// 6. The counts include the new records that are still columns, which follow the entries.
///
/// Many changes of the same kind are packed into blocks (`pack(from:)`), and become states again when somebody needs
/// them. Functions that return states unpack them; packed changes come after the others then.
///
/// New records may be columns (`NewRecords`), and become the last entries as soon as anybody reads the entries.
final class PendingChanges {
  /// The states of the changed records; nil where a change was removed.
  var entries: [ModelState?] {
    @inline(__always) _read {
      if !columns.isEmpty { makeStates() }
      yield madeEntries
    }
    @inline(__always) _modify {
      if !columns.isEmpty { makeStates() }
      yield &madeEntries
    }
  }
  /// The entries without the new records that are still columns.
  @exclusivity(unchecked) var madeEntries: [ModelState?] = []
  /// The new records that are still columns, in order.
  @exclusivity(unchecked) var columns: [NewRecords] = []
  /// The number of entries, with those of the new records that are still columns.
  var entryCount: Int { madeEntries.count + columns.reduce(0) { $0 + $1.count } }
  /// The index of the new records.
  var places: [PersistentIdentifier: Int] = [:]
  /// The number of entries in the index, with those that are registered.
  var indexed = 0

  /// The number of entries when the undo step began.
  private(set) var stepStart = 0
  /// True if every change of the undo step is an entry after `stepStart`.
  private(set) var isStepSeparate = true
  /// The last block when the undo step began.
  private(set) var stepBlock = 0
  /// The number that the undo step will have among those that can be undone.
  private var stepNumber = 1
  /// The place of the last undo step that ended; nil if later changes may be mixed with its own.
  private var lastStep: StepPlace?

  /// What the deletions among the changes have done to other records, and perhaps what others have done that were saved.
  var consequences = DeletionConsequences()

  /// The number of records of each kind.
  @exclusivity(unchecked) private(set) var counts = (inserted: 0, updated: 0, deleted: 0)

  /// The packed changes, in the order in which they were packed.
  var blocks: [PackedBlock] = []
  /// The number of packed changes.
  var packedCount = 0
  /// The number of the last block.
  var blockNumber = 0
  /// The block in which a record was found last.
  var recentBlock: PackedBlock?
  /// The changes that affect the latest queries.
  @exclusivity(unchecked) private var relevance = RelevanceCache()
  /// The entities of the first `namedCount` entries, and perhaps of some that were removed.
  private var entityNames: Set<String> = []
  private var namedCount = 0
  private var lastNamed: Schema.Entity?
  /// The greatest number of a new record's temporary identifier.
  private var newest: UInt64 = 0
  /// True if a new record was restored, so that it follows later ones.
  var isMixed = false
  /// The registered state of a saved record; nil if there is none.
  @exclusivity(unchecked) var registered: (PersistentIdentifier) -> ModelState? = { _ in nil }
  /// Registers a state that was unpacked, and forgets one that is packed.
  var register: (ModelState) -> Void = { _ in }
  var forget: (ModelState) -> Void = { _ in }
  /// Makes the state of a new record one of the context.
  var adopt: (ModelState) -> Void = { _ in }

  var isEmpty: Bool { count == 0 }
  var count: Int { counts.inserted + counts.updated + counts.deleted }

  subscript(identifier: PersistentIdentifier) -> PendingChange? {
    state(of: identifier)?.change
  }

  /// The state of a changed record, unpacked if necessary.
  private func state(of identifier: PersistentIdentifier) -> ModelState? {
    if isEmpty { return nil }
    return entry(identifier) ?? unpack(identifier)
  }

  /// The state of a changed record that is not packed.
  func entry(_ identifier: PersistentIdentifier) -> ModelState? {
    guard identifier.isTemporary else {
      // Columns have new records only.
      guard !madeEntries.isEmpty, let state = registered(identifier), state.isDirty else {
        return nil
      }
      return state
    }
    if entries.isEmpty { return nil }
    completeIndex()
    return places[identifier].flatMap { entries[$0] }
  }

  subscript(state: ModelState) -> PendingChange? { state.isDirty ? state.change : nil }

  private func completeIndex() {
    guard indexed < entries.count else { return }
    if entries.count - indexed > Self.leastPacked { places.reserveCapacity(entries.count) }
    for place in indexed..<entries.count {
      guard let identifier = entries[place]?.identifier, identifier.isTemporary else { continue }
      places[identifier] = place
    }
    indexed = entries.count
  }

  /// The changes in the order in which the records were first changed.
  ///
  /// - Complexity: O(n).
  var all: [PendingChange] { states.map(\.change) }

  /// The states of the records, in the same order.
  ///
  /// - Complexity: O(n).
  var states: [ModelState] {
    unpackAll()
    arrangeRestored()
    return entries.compactMap { $0 }
  }

  /// Calls the body with the state of each record, in order; the body changes no other state.
  func forEach(_ body: (ModelState) throws -> Void) rethrows {
    unpackAll()
    try forEachEntry(body)
  }

  /// Calls the body with the state of each record that is not packed, in order; the body changes no other state.
  func forEachEntry(_ body: (ModelState) throws -> Void) rethrows {
    arrangeRestored()
    for entry in entries {
      if let entry { try body(entry) }
    }
  }

  func all(_ kind: PendingChange.Kind) -> [PendingChange] {
    if kind != .inserted { unpackAll() }
    arrangeRestored()
    return entries.compactMap { $0?.pendingKind == kind ? $0?.change : nil }
  }

  /// False if no record of the entity has a change; may be true after all changes of its records were removed.
  ///
  /// - Complexity: O(m + b) for m changes since the last call and b blocks.
  func mayContain(entity name: String) -> Bool {
    if isEmpty { return false }
    for entry in entries[namedCount...] {
      guard let entity = entry?.entity, entity !== lastNamed else { continue }
      lastNamed = entity
      entityNames.insert(entity.name)
    }
    namedCount = entries.count
    return entityNames.contains(name)
      || blocks.contains { $0.count > 0 && $0.entity.name == name }
  }

  func set(_ change: PendingChange) {
    let state = change.state
    if state.isDirty {
      noteChange(of: state)
      count(state.pendingKind, by: -1)
    } else {
      state.pendingPlace = Int32(entries.count)
      entries.append(state)
    }
    if change.kind == .inserted, state.identifier.isTemporary { noteNew(state.identifier.low) }
    count(change.kind, by: 1)
    state.pendingKind = change.kind
    state.original = change.original
    state.heldModel = change.model
    state.undecided = change.undecided
    checkInvariantsWhenSmall()
  }

  func noteNew(_ number: UInt64) {
    if number < newest { isMixed = true }
    newest = max(newest, number)
  }

  /// The place of an undo step among the changes: its first entry and the block before its own, and those that come next.
  private struct StepPlace {
    let start: Int
    let block: Int
    let end: Int
    let lastBlock: Int
    /// The number of steps that could be undone when it ended.
    let number: Int
  }

  /// Ends the undo step, and begins the next one.
  ///
  /// - Parameter number: The number of steps that can be undone now.
  func endStep(number: Int) {
    let last = StepPlace(
      start: stepStart,
      block: stepBlock,
      end: entryCount,
      lastBlock: blockNumber,
      number: number
    )
    // Otherwise other steps have ended or were undone since this one began.
    let isKnown = isStepSeparate && number == stepNumber
    beginStep(after: number)
    lastStep = isKnown ? last : nil
  }

  /// True if the changes of the last step are still separate from all others.
  private var isLastStepSeparate: Bool {
    guard let lastStep else { return false }
    return isStepSeparate && lastStep.end == entryCount && lastStep.lastBlock == blockNumber
  }

  /// Begins the last undo step again, to discard its changes.
  ///
  /// - Returns: False if they are mixed with those of other steps, or if it is not the step with this number.
  func reopenLastStep(number: Int) -> Bool {
    guard isLastStepSeparate, let last = lastStep, last.number == number else { return false }
    (stepStart, stepBlock, lastStep) = (last.start, last.block, nil)
    return true
  }

  /// Begins an undo step.
  ///
  /// - Parameter number: The number of steps that can be undone before it.
  func beginStep(after number: Int) {
    if !isLastStepSeparate { lastStep = nil }
    stepNumber = number + 1
    stepStart = entryCount
    stepBlock = blockNumber
    isStepSeparate = true
  }

  /// Begins an undo step after one whose changes are mixed with those of others.
  func forgetLastStep(after number: Int) {
    lastStep = nil
    beginStep(after: number)
  }

  /// Notes that a record leaves a block, to be changed again.
  func noteUnpacking(of block: PackedBlock) {
    if block.number <= stepBlock { isStepSeparate = false }
  }

  /// Notes that a record with an unsaved change is changed again.
  @inline(__always)
  func noteChange(of state: ModelState) {
    if Int(state.pendingPlace) < stepStart { isStepSeparate = false }
    if state.pendingPlace < relevance.examined { relevance.noteWrite(at: state.pendingPlace) }
  }

  /// The changed states of an entity that affect queries by the values in some slots, in order; nil means all slots.
  ///
  /// Packed changes are not among them; some of the states may affect the queries no longer. With `required`, those
  /// without such a value before and now may be missing.
  ///
  /// - Complexity: O(k + m) for k such changes and m changes since the last such query; O(n) for the first.
  func states(
    of entityName: String,
    affecting slots: [Int]?,
    requiring required: RequiredValues?
  ) throws -> [ModelState] {
    arrangeRestored()
    return try relevance.states(
      of: entityName,
      affecting: slots,
      requiring: required,
      among: entries
    )
  }

  /// True if unsaved changes may affect queries of an entity by the value in a slot.
  ///
  /// - Throws: `Interruption.Stopped`.
  func mayAffectQueries(of entityName: String, by slot: Int) throws -> Bool {
    if isEmpty { return false }
    guard packedCount == 0, columns.isEmpty else { return true }
    arrangeRestored()
    return try relevance.affectsQueries(of: entityName, by: [slot], among: madeEntries)
  }

  /// Notes that entries have moved or have the values of another schema.
  func forgetRelevance() {
    relevance.forget()
    (entityNames, namedCount, lastNamed) = ([], 0, nil)
  }

  /// Removes entries from the index.
  func forgetIndex(of removed: ArraySlice<ModelState?>) {
    guard indexed > removed.startIndex else { return }
    if removed.startIndex == 0 {
      places = [:]
    } else {
      for case let state? in removed.prefix(indexed - removed.startIndex) {
        places[state.identifier] = nil
      }
    }
    indexed = removed.startIndex
  }

  /// Removes the last entries from the list.
  func truncate(to count: Int) {
    // Removing most entries copies all of them first if a step still refers to them.
    if count < entries.count / 2 {
      entries = Array(entries[..<count])
    } else {
      entries.removeSubrange(count...)
    }
    relevance.truncate(to: count)
    namedCount = min(namedCount, count)
  }

  /// Prepares for more changes; does nothing for a few, for which the list grows by more than was requested.
  func reserve(_ count: Int) {
    if count > Self.leastPacked { entries.reserveCapacity(entries.count + count) }
  }

  /// Adds an update of a record without unsaved changes; the caller then writes the first value.
  func addUpdate(of state: ModelState, holding model: (any PersistentModel)?) {
    assert(!state.isDirty, "the record has no change yet")
    state.pendingPlace = Int32(entries.count)
    entries.append(state)
    state.pendingKind = .updated
    state.heldModel = model
    count(.updated, by: 1)
  }

  func remove(_ state: ModelState) {
    guard state.isDirty else { return }
    take(state)
    state.endChange()
  }

  /// Removes the change of a state from this list; the state itself keeps it.
  func take(_ state: ModelState) {
    let place = Int(state.pendingPlace)
    noteChange(of: state)
    count(state.pendingKind, by: -1)
    entries[place] = nil
    if indexed > place { places[state.identifier] = nil }
    compactIfSparse()
    checkInvariantsWhenSmall()
  }

  /// Removes all changes from this list and returns the states, which keep their changes.
  ///
  /// Packed changes and new records that are still columns have no states and are not among them.
  func takeAll() -> [ModelState?] {
    let taken = madeEntries
    forgetEntries()
    return taken
  }

  func removeAll() {
    for entry in madeEntries { entry?.endChange() }
    forgetEntries()
  }

  /// Forgets what deletions have done to other records, because none is unsaved any more.
  func forgetConsequences() { consequences = DeletionConsequences() }

  private func forgetEntries() {
    (madeEntries, columns) = ([], [])
    places = [:]
    indexed = 0
    forgetBlocks()
    forgetRelevance()
    counts = (0, 0, 0)
    (newest, isMixed) = (0, false)
    lastStep = nil
    isStepSeparate = stepStart == 0 && isStepSeparate
  }

  func forgetBlocks() {
    (blocks, packedCount, recentBlock) = ([], 0, nil)
  }

  func count(_ kind: PendingChange.Kind, by step: Int) {
    switch kind {
    case .inserted: counts.inserted += step
    case .updated: counts.updated += step
    case .deleted: counts.deleted += step
    }
    assert(count >= 0, "counts are never negative")
  }

  /// Rearranges the stored values of a state for a changed entity, before the state itself is rearranged.
  func arrange(_ state: ModelState, for entity: Schema.Entity) {
    forgetRelevance()
    guard state.isDirty, state.pendingKind != .inserted else { return }
    var before = state.snapshot
    before.orderedValues = state.original
    state.original = entity.fitted(before)
  }

  /// Replaces the values of the store; a record that no longer differs from them has no change.
  func rebase(_ state: ModelState, on original: [Value]) {
    guard state.isDirty else { return }
    if state.orderedValues == original {
      remove(state)
    } else {
      state.original = original
      if state.pendingPlace < relevance.examined { relevance.noteWrite(at: state.pendingPlace) }
    }
  }

  /// Removes the empty entries if they are more than half.
  func compactIfSparse() {
    if entries.count > 64, entries.count > 2 * (count - packedCount) { compact() }
  }

  /// Notes that entries move, perhaps from one undo step to another.
  func noteMoves() { isStepSeparate = stepStart == 0 && isStepSeparate }

  private func compact() {
    noteMoves()
    // With the type of `entries`, the nils would be kept.
    let present: [ModelState] = entries.compactMap { $0 }
    entries = present
    stepStart = min(stepStart, entries.count)
    places = [:]
    indexed = 0
    forgetRelevance()
    for (place, state) in entries.enumerated() { state?.pendingPlace = Int32(place) }
  }
}

extension ModelState {
  /// The unsaved change of the record.
  ///
  /// - Precondition: The record has an unsaved change.
  fileprivate var change: PendingChange {
    .init(
      state: self,
      kind: pendingKind,
      original: original,
      model: heldModel,
      undecided: undecided
    )
  }

  /// Releases the data kept for a change.
  func endChange() {
    pendingPlace = -1
    original = []
    heldModel = nil
    undecided = []
  }
}
