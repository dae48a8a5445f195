/// The unsaved changes of a context, in the order in which the records were first changed.
///
/// The state of a record contains its change, so changing many records needs no lookups. An index by
/// identifier is built on first use.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. The `pendingPlace` of a state is its index in the entries.
/// 2. The counts match the kinds of the changes.
/// 3. The index contains the first `indexed` entries by their current identifiers.
/// 4. Removed entries never outnumber the others by much.
final class PendingChanges {
  @exclusivity(unchecked) private(set) var entries: [ModelState?] = []
  private(set) var places: [PersistentIdentifier: Int] = [:]
  /// The number of entries in the index.
  private(set) var indexed = 0

  /// The number of records of each kind.
  @exclusivity(unchecked) private(set) var counts = (inserted: 0, updated: 0, deleted: 0)

  var isEmpty: Bool { count == 0 }
  var count: Int { counts.inserted + counts.updated + counts.deleted }

  subscript(identifier: PersistentIdentifier) -> PendingChange? {
    if isEmpty { return nil }
    completeIndex()
    return places[identifier].flatMap { entries[$0] }?.change
  }

  subscript(state: ModelState) -> PendingChange? { state.isDirty ? state.change : nil }

  private func completeIndex() {
    guard indexed < entries.count else { return }
    places.reserveCapacity(entries.count)
    for place in indexed..<entries.count {
      if let identifier = entries[place]?.identifier { places[identifier] = place }
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
  var states: [ModelState] { entries.compactMap { $0 } }

  /// Calls the body with the state of each record, in order; the body changes no other state.
  func forEach(_ body: (ModelState) throws -> Void) rethrows {
    for entry in entries {
      if let entry { try body(entry) }
    }
  }

  func all(_ kind: PendingChange.Kind) -> [PendingChange] { all.filter { $0.kind == kind } }

  func contains(entity name: String) -> Bool {
    !isEmpty && entries.contains { $0?.entity.name == name }
  }

  func set(_ change: PendingChange) {
    let state = change.state
    if state.isDirty {
      count(state.pendingKind, by: -1)
    } else {
      state.pendingPlace = Int32(entries.count)
      entries.append(state)
    }
    count(change.kind, by: 1)
    state.pendingKind = change.kind
    state.original = change.original
    state.heldModel = change.model
    checkInvariantsWhenSmall()
  }

  /// Prepares for more changes.
  func reserve(_ count: Int) { entries.reserveCapacity(entries.count + count) }

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
    count(state.pendingKind, by: -1)
    entries[place] = nil
    if indexed > place { places[state.identifier] = nil }
    if entries.count > 64, entries.count > 2 * count { compact() }
    checkInvariantsWhenSmall()
  }

  /// Removes all changes from this list and returns the states, which keep their changes.
  func takeAll() -> [ModelState?] {
    let taken = entries
    forgetEntries()
    return taken
  }

  func removeAll() {
    for entry in entries { entry?.endChange() }
    forgetEntries()
  }

  private func forgetEntries() {
    entries = []
    places = [:]
    indexed = 0
    counts = (0, 0, 0)
  }

  private func count(_ kind: PendingChange.Kind, by step: Int) {
    switch kind {
    case .inserted: counts.inserted += step
    case .updated: counts.updated += step
    case .deleted: counts.deleted += step
    }
    assert(count >= 0, "counts are never negative")
  }

  /// Rearranges the stored values of a state for a changed entity, before the state itself is rearranged.
  func arrange(_ state: ModelState, for entity: Schema.Entity) {
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
    }
  }

  private func compact() {
    entries = states
    places = [:]
    indexed = 0
    for (place, state) in entries.enumerated() { state?.pendingPlace = Int32(place) }
  }
}

extension ModelState {
  /// The unsaved change of the record.
  ///
  /// - Precondition: The record has an unsaved change.
  fileprivate var change: PendingChange {
    .init(state: self, kind: pendingKind, original: original, model: heldModel)
  }

  /// Releases the data kept for a change.
  func endChange() {
    pendingPlace = -1
    original = []
    heldModel = nil
  }
}
