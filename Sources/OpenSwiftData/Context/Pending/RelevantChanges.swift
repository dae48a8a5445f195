/// The places of the unsaved changes that affect queries by the same values of an entity, kept for the next such query.
///
/// Every command of a script may query the records that the commands before it have changed. Without these places each
/// query would look at all unsaved changes again.
///
/// Invariants:
/// 1. The places are in order, and contain all changes before `examined` that affect the queries, except those
///    written since `writesSeen`. They may contain changes that no longer affect them.
struct RelevantChanges {
  let entityName: String
  /// The slots of the values that the queries use; nil if they use all.
  let slots: [Int]?
  /// The places among the entries of `PendingChanges`.
  private(set) var places: [Int] = []
  /// The number of entries that were looked at.
  private(set) var examined = 0
  /// The number of later writes that were looked at.
  private var writesSeen = 0
  /// The places by the values of slots, once queries ask for certain values repeatedly.
  private var indexes: [ChangeIndex] = []
  /// The number of queries for certain values so far.
  private var lookups = 0

  init(_ entityName: String, _ slots: [Int]?, writes: Int) {
    self.entityName = entityName
    self.slots = slots
    writesSeen = writes
  }

  /// Adds the changes made since the last call.
  ///
  /// - Complexity: O(k + m) for k places and m entries and writes since the last call.
  mutating func update(_ entries: [ModelState?], writes: [Int32]) throws {
    var meter = WorkMeter()
    for place in writes[writesSeen...] where place < examined {
      try meter.count()
      guard let state = entries[Int(place)], isRelevant(state) else { continue }
      insert(Int(place))
      addToIndexes(state, Int(place))
    }
    writesSeen = writes.count
    var entity: Schema.Entity?
    var isWanted = false
    for place in examined..<entries.count {
      try meter.count()
      defer { examined = place + 1 }
      guard let state = entries[place] else { continue }
      if state.entity !== entity {
        entity = state.entity
        isWanted = state.entity.name == entityName
      }
      if isWanted, state.isRelevant(to: slots) {
        places.append(place)
        addToIndexes(state, place)
      }
    }
    assert(
      entries.count > 64
        || entries.indices.allSatisfy { !isRelevant(entries[$0]) || places.contains($0) },
      "every change that affects the queries is found"
    )
  }

  /// The states of the changes, in order.
  ///
  /// - Complexity: O(k).
  mutating func states(_ entries: [ModelState?]) -> [ModelState] {
    let found = places.compactMap { entries[$0] }
    if 2 * found.count < places.count { places.removeAll { entries[$0] == nil } }
    return found
  }

  /// The states of the changes that may have the required values, before or now, in order.
  ///
  /// - Complexity: O(k) for k such changes, after the first two calls.
  mutating func states(
    requiring required: RequiredValues,
    _ entries: [ModelState?]
  ) throws -> [ModelState] {
    lookups += 1
    // A single query is answered faster without an index, and so is one for many values.
    guard lookups > 2, required.count < places.count else { return states(entries) }
    for condition in required.conditions where !hasIndex(of: condition.slot) {
      try addIndex(of: condition.slot, entries)
    }
    let candidates = required.conditions.compactMap { condition in
      indexes.first { $0.slot == condition.slot }.map { (index: $0, values: condition.values) }
    }
    let fewest = candidates.min { $0.index.count(of: $0.values) < $1.index.count(of: $1.values) }
    guard let fewest else { return states(entries) }
    // The index may have places that belong to other changes since a step was discarded.
    return fewest.index.places(of: fewest.values)
      .compactMap { $0 < entries.count ? entries[$0] : nil }
      .filter { $0.entity.name == entityName }
  }

  private func hasIndex(of slot: Int) -> Bool { indexes.contains { $0.slot == slot } }

  private mutating func addIndex(of slot: Int, _ entries: [ModelState?]) throws {
    var (index, meter) = (ChangeIndex(slot: slot), WorkMeter())
    for place in places {
      try meter.count()
      if let state = entries[place] { index.add(state, place) }
    }
    indexes.append(index)
  }

  private mutating func addToIndexes(_ state: ModelState, _ place: Int) {
    for number in indexes.indices { indexes[number].add(state, place) }
  }

  /// Forgets the entries from a place on.
  mutating func truncate(to count: Int) {
    examined = min(examined, count)
    places.removeLast(places.count - places.indices.partitioningIndex { places[$0] >= count })
  }

  private func isRelevant(_ state: ModelState?) -> Bool {
    guard let state, state.entity.name == entityName else { return false }
    return state.isRelevant(to: slots)
  }

  private mutating func insert(_ place: Int) {
    let index = places.indices.partitioningIndex { places[$0] >= place }
    if index < places.count, places[index] == place { return }
    places.insert(place, at: index)
  }
}

/// The changes that affect queries, kept from one query to the next.
struct RelevanceCache {
  private var kept: [RelevantChanges] = []
  /// The places of changes that were written again after a query looked at them, in the order of the writes.
  private var writes: [Int32] = []
  /// The entries that some query has looked at.
  private(set) var examined: Int32 = 0

  /// More kinds of queries than a script or a screen repeats.
  private static let limit = 4

  /// The changes that affect queries of an entity by the values in some slots, in order; nil means all slots.
  ///
  /// - Parameters:
  ///   - entityName: The entity.
  ///   - slots: The slots; nil means all.
  ///   - required: Values that the records of the query have; only changes of records that have them, before or
  ///     now, need to be found.
  ///   - entries: The states of the records.
  /// - Returns: The states of the records that changed.
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(k + m) for k such changes and m changes since the last query of the kind; O(n) for the first.
  mutating func states(
    of entityName: String,
    affecting slots: [Int]?,
    requiring required: RequiredValues?,
    among entries: [ModelState?]
  ) throws -> [ModelState] {
    var relevant = take(entityName, slots)
    try relevant.update(entries, writes: writes)
    let states =
      if let required {
        try relevant.states(requiring: required, entries)
      } else {
        relevant.states(entries)
      }
    kept.append(relevant)
    examined = Int32(entries.count)
    return states
  }

  /// True if some change affects queries of an entity by the values in some slots, or did when it was examined.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(m) for m changes since the last query of the kind; O(n) for the first.
  mutating func affectsQueries(
    of entityName: String,
    by slots: [Int],
    among entries: [ModelState?]
  ) throws -> Bool {
    var relevant = take(entityName, slots)
    try relevant.update(entries, writes: writes)
    defer { kept.append(relevant) }
    examined = Int32(entries.count)
    return !relevant.places.isEmpty
  }

  /// The kept changes of a kind, which moves to the end; the first of too many is forgotten.
  private mutating func take(_ entityName: String, _ slots: [Int]?) -> RelevantChanges {
    if let index = kept.firstIndex(where: { $0.entityName == entityName && $0.slots == slots }) {
      return kept.remove(at: index)
    }
    if kept.count == Self.limit { kept.removeFirst() }
    return RelevantChanges(entityName, slots, writes: writes.count)
  }

  /// Notes that a change that a query has looked at is written again.
  mutating func noteWrite(at place: Int32) {
    // A program may write the same record any number of times.
    if writes.count > max(1024, Int(examined)) { return forget() }
    writes.append(place)
  }

  mutating func truncate(to count: Int) {
    for index in kept.indices { kept[index].truncate(to: count) }
    examined = min(examined, Int32(count))
  }

  /// Forgets everything, because entries have moved or have other values.
  mutating func forget() { self = RelevanceCache() }
}

extension ModelState {
  /// True if an unsaved change affects the values in these slots; nil means all slots.
  fileprivate func isRelevant(to slots: [Int]?) -> Bool {
    guard pendingKind == .updated, let slots else { return true }
    for slot in slots where differs(at: slot) { return true }
    return false
  }
}
