/// What a context has changed and not saved, in the order of the first change of each record.
///
/// A state knows its place here, so that changing many records costs no look-up; records are found by
/// identifier through an index that is made when it is first asked for.
final class PendingChanges {
  enum Kind { case inserted, updated, deleted }

  struct Change {
    let state: ModelState
    var kind: Kind
    /// The values that the store has; of no meaning for inserted records.
    var original: [Value]
    /// Keeps the object alive that somebody changed and let go.
    var model: (any PersistentModel)?
  }

  @exclusivity(unchecked) private var entries: [Change?] = []
  private var places: [PersistentIdentifier: Int] = [:]
  /// How many of the entries the index knows.
  private var indexed = 0

  /// How many records of each kind there are.
  @exclusivity(unchecked) private(set) var counts = (inserted: 0, updated: 0, deleted: 0)

  var isEmpty: Bool { count == 0 }
  var count: Int { counts.inserted + counts.updated + counts.deleted }

  subscript(identifier: PersistentIdentifier) -> Change? {
    if isEmpty { return nil }
    completeIndex()
    return places[identifier].flatMap { entries[$0] }
  }

  subscript(state: ModelState) -> Change? {
    state.pendingPlace < 0 ? nil : entries[Int(state.pendingPlace)]
  }

  private func completeIndex() {
    guard indexed < entries.count else { return }
    places.reserveCapacity(entries.count)
    for place in indexed..<entries.count {
      if let identifier = entries[place]?.state.identifier { places[identifier] = place }
    }
    indexed = entries.count
  }

  /// The changes in the order in which the records were first changed.
  ///
  /// - Complexity: O(n).
  var all: [Change] { entries.compactMap { $0 } }

  func all(_ kind: Kind) -> [Change] { all.filter { $0.kind == kind } }

  func contains(entity name: String) -> Bool {
    !isEmpty && entries.contains { $0?.state.entity.name == name }
  }

  func set(_ change: Change) {
    count(change.kind, by: 1)
    let place = Int(change.state.pendingPlace)
    if place >= 0 {
      if let former = entries[place] { count(former.kind, by: -1) }
      entries[place] = change
    } else {
      change.state.pendingPlace = Int32(entries.count)
      entries.append(change)
    }
  }

  func remove(_ state: ModelState) {
    let place = Int(state.pendingPlace)
    guard place >= 0 else { return }
    if let former = entries[place] { count(former.kind, by: -1) }
    state.pendingPlace = -1
    entries[place] = nil
    if indexed > place { places[state.identifier] = nil }
    // Invariant: the entries that were removed never outnumber the others by much.
    if entries.count > 64, entries.count > 2 * count { compact() }
  }

  /// The changes, which are then forgotten.
  func takeAll() -> [Change] {
    let taken = all
    removeAll()
    return taken
  }

  func removeAll() {
    for entry in entries { entry?.state.pendingPlace = -1 }
    entries = []
    places = [:]
    indexed = 0
    counts = (0, 0, 0)
  }

  private func count(_ kind: Kind, by step: Int) {
    switch kind {
    case .inserted: counts.inserted += step
    case .updated: counts.updated += step
    case .deleted: counts.deleted += step
    }
    assert(count >= 0, "counts are never negative")
  }

  /// Brings the values of the store in line with a changed entity, before the state itself.
  func arrange(_ state: ModelState, for entity: Schema.Entity) {
    guard let change = self[state], change.kind != .inserted else { return }
    var before = state.snapshot
    before.orderedValues = change.original
    entries[Int(state.pendingPlace)]?.original = entity.arranged(before).orderedValues
  }

  /// Replaces the values that the store has; a record that differs from them no more has no change.
  func rebase(_ state: ModelState, on original: [Value]) {
    guard state.pendingPlace >= 0 else { return }
    if state.orderedValues == original {
      remove(state)
    } else {
      entries[Int(state.pendingPlace)]?.original = original
    }
  }

  private func compact() {
    entries = all
    places = [:]
    indexed = 0
    for (place, change) in entries.enumerated() { change?.state.pendingPlace = Int32(place) }
  }
}
