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
  /// The places by the value of one slot, once queries ask for single values repeatedly.
  private var index: ChangeIndex?
  /// The number of queries for single values so far.
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
      index?.add(state, Int(place))
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
        index?.add(state, place)
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

  /// The states of the changes that may have one of the values, before or now, in order.
  ///
  /// - Complexity: O(k) for k such changes, after the first two calls.
  mutating func states(
    requiring required: RequiredValues,
    _ entries: [ModelState?]
  ) -> [ModelState] {
    lookups += 1
    // A single query is answered faster without an index.
    guard lookups > 2 else { return states(entries) }
    var index = index.take() ?? ChangeIndex(slot: required.slot)
    if index.slot != required.slot || index.isEmpty {
      index = ChangeIndex(slot: required.slot)
      for place in places {
        if let state = entries[place] { index.add(state, place) }
      }
    }
    let found = index.places(of: required.values)
    self.index = index
    return found.compactMap { $0 < entries.count ? entries[$0] : nil }
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

/// The places of changes by the values that a slot has, or had.
///
/// May contain places of changes that no longer have the value.
private struct ChangeIndex {
  let slot: Int
  /// The first link of the chain for a hash.
  private var heads: [Int: Int32] = [:]
  private var links: [(place: Int32, next: Int32)] = []

  init(slot: Int) { self.slot = slot }

  var isEmpty: Bool { links.isEmpty }

  mutating func add(_ state: ModelState, _ place: Int) {
    let value = state.orderedValues[slot]
    add(value, place)
    guard state.pendingKind != .inserted else { return }
    let original = state.original(at: slot)
    if original != value { add(original, place) }
  }

  private mutating func add(_ value: Value, _ place: Int) {
    let link = Int32(links.count)
    links.append((Int32(place), heads.updateValue(link, forKey: value.hashValue) ?? -1))
  }

  /// The places of some values, in order.
  func places(of values: [Value]) -> [Int] {
    var found: Set<Int> = []
    for value in values {
      var link = heads[value.hashValue] ?? -1
      while link >= 0 {
        found.insert(Int(links[Int(link)].place))
        link = links[Int(link)].next
      }
    }
    return found.sorted()
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
  ///   - required: A slot and the values that the records of the query have there; only changes of records
  ///     that have one of them, before or now, need to be found.
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
        relevant.states(requiring: required, entries)
      } else {
        relevant.states(entries)
      }
    kept.append(relevant)
    examined = Int32(entries.count)
    return states
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

/// A condition without which a record does not match: one of its values is among some others.
struct RequiredValues {
  let slot: Int
  let values: [Value]

  /// More values are not worth a lookup each.
  private static let limit = 64

  /// Finds such a condition in a filter; nil if there is none whose values compare as they are stored.
  init?(_ filter: Filter, _ entity: Schema.Entity) {
    switch filter {
    case .compare(let name, .equal, let value): self.init(name, [value], entity)
    case .isIn(let name, let values): self.init(name, values, entity)
    case .and(let parts):
      guard let found = parts.lazy.compactMap({ RequiredValues($0, entity) }).first else {
        return nil
      }
      self = found
    default: return nil
    }
  }

  private init?(_ name: String, _ values: [Value], _ entity: Schema.Entity) {
    guard values.count <= Self.limit, let slot = entity.layout.slot(of: name) else { return nil }
    let type = entity.fields[slot].type
    let isExact = values.allSatisfy { value in
      switch (value, type) {
      case (.text, .text), (.integer, .integer), (.date, .date), (.uuid, .uuid): true
      default: false
      }
    }
    guard isExact else { return nil }
    self.slot = slot
    self.values = values
  }
}
