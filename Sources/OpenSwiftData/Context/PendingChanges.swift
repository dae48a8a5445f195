/// What a context has changed and not saved, in the order of the first change of each record.
struct PendingChanges {
  enum Kind { case inserted, updated, deleted }

  struct Change {
    let state: ModelState
    var kind: Kind
    /// The values that the store has; of no meaning for inserted records.
    var original: [Value]
    /// Keeps the object alive that somebody changed and let go.
    var model: (any PersistentModel)?
  }

  private var entries: [Change?] = []
  private var places: [PersistentIdentifier: Int] = [:]

  /// How many records of each kind there are.
  private(set) var counts = (inserted: 0, updated: 0, deleted: 0)

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  subscript(identifier: PersistentIdentifier) -> Change? {
    places[identifier].flatMap { entries[$0] }
  }

  /// The changes in the order in which the records were first changed.
  ///
  /// - Complexity: O(n).
  var all: [Change] { entries.compactMap { $0 } }

  func all(_ kind: Kind) -> [Change] { all.filter { $0.kind == kind } }

  func contains(entity name: String) -> Bool {
    !isEmpty && entries.contains { $0?.state.entity.name == name }
  }

  mutating func set(_ change: Change) {
    change.state.isDirty = true
    let identifier = change.state.identifier
    count(change.kind, by: 1)
    if let place = places[identifier] {
      if let former = entries[place] { count(former.kind, by: -1) }
      entries[place] = change
    } else {
      places[identifier] = entries.count
      entries.append(change)
    }
  }

  mutating func remove(_ identifier: PersistentIdentifier) {
    guard let place = places.removeValue(forKey: identifier) else { return }
    if let former = entries[place] { count(former.kind, by: -1) }
    entries[place]?.state.isDirty = false
    entries[place] = nil
    // Invariant: the entries that were removed never outnumber the others by much.
    if entries.count > 64, entries.count > 2 * places.count { compact() }
  }

  mutating func removeAll() {
    for change in all { change.state.isDirty = false }
    entries = []
    places = [:]
    counts = (0, 0, 0)
  }

  private mutating func count(_ kind: Kind, by step: Int) {
    switch kind {
    case .inserted: counts.inserted += step
    case .updated: counts.updated += step
    case .deleted: counts.deleted += step
    }
    assert(counts.inserted + counts.updated + counts.deleted >= 0, "counts are never negative")
  }

  /// Brings the values of the store in line with a changed entity, before the state itself.
  mutating func arrange(_ state: ModelState, for entity: Schema.Entity) {
    guard let place = places[state.identifier], let change = entries[place] else { return }
    guard change.kind != .inserted else { return }
    var before = state.snapshot
    before.orderedValues = change.original
    entries[place]?.original = entity.arranged(before).orderedValues
  }

  private mutating func compact() {
    entries = all
    for (place, change) in entries.enumerated() {
      if let identifier = change?.state.identifier { places[identifier] = place }
    }
  }
}
