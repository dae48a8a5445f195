/// Finds records with the same unique values before a save.
///
/// New records are processed in the order of insertion, as if each were saved separately. If another record
/// has the same values, the new record is merged into it (policy `.upsert`) or causes an error (policy
/// `.reject`). A change that gives a saved record the values of another one is always an error: an upsert
/// updates a record, it never removes a saved one.
struct UniquenessPlanner {
  private let rules: [UniquenessRule]
  private let fetching: Fetching
  private let changes: [PendingChange]
  /// The holder of each key, per rule: an index into `changes`, or a negative number for `stored`.
  private var holders: [[UniquenessKey: Int]]
  /// Records of the store with values that new or changed records need.
  private var stored: [DefaultSnapshot] = []
  /// The unsaved changes of records that may be stored.
  private var storedChanges: [PersistentIdentifier: PendingChange] = [:]
  /// The holders of stored records.
  private var storedHolders: [PersistentIdentifier: Int] = [:]
  /// Merged records, by the index of the one that was inserted last.
  private var cells: [Int: Cell] = [:]
  /// Holders that were merged into another one.
  private var taken: Set<Int> = []
  private var mergeTargets: MergeTargets = [:]
  /// Decides the store of each record; nil if no entity is in several.
  private let placement: StorePlacement?
  /// The places of new records, if some entity is in several stores.
  private let newPlaces: [PersistentIdentifier: Int]

  /// Records that are merged into one.
  private struct Cell {
    let entityName: String
    /// The new records, in the order of insertion.
    var members: [ModelState] = []
    /// The stored record; nil if all are new.
    var existing: DefaultSnapshot?
    var values: [Value]
    /// The values of the records before they were merged.
    var former: [[Value]] = []

    var target: PersistentIdentifier? {
      existing?.persistentIdentifier ?? members.last?.identifier
    }
  }

  init(_ rules: [UniquenessRule], _ pending: PendingChanges, _ fetching: Fetching) {
    self.rules = rules
    self.fetching = fetching
    changes = pending.all
    let placement = fetching.stores.placement
    self.placement = placement.isNeeded ? placement : nil
    newPlaces =
      placement.isNeeded
      ? placement.places(
        ofNew: changes.filter { $0.kind == .inserted }.map(\.state.snapshot)
      ) : [:]
    for (place, change) in changes.enumerated() where !change.state.identifier.isTemporary {
      storedChanges[change.state.identifier] = change
      if change.kind == .updated { storedHolders[change.state.identifier] = place }
    }
    holders = Array(repeating: [:], count: rules.count)
  }

  /// - Throws: `PersistenceError` with code `.notUnique` that names both records and the values.
  /// - Complexity: O(n) in the number of changed records that have unique properties.
  mutating func plan() throws -> UniquenessPlan? {
    let plain = rules.indices.filter { !rules[$0].hasLinks }
    let linked = rules.indices.filter { rules[$0].hasLinks }
    try assignOwners(of: plain)
    if !linked.isEmpty { try assignOwners(of: linked) }
    return cells.isEmpty ? nil : try finished()
  }

  // MARK: Who has which values

  private mutating func assignOwners(of numbers: [Int]) throws {
    var wanted: [[(place: Int, key: UniquenessKey)]] = []
    for number in numbers {
      let keys = wantedKeys(rules[number])
      wanted.append(keys)
      if !keys.isEmpty { try findStored(number, keys) }
    }
    for (number, keys) in zip(numbers, wanted) {
      for (place, key) in keys where changes[place].kind == .updated {
        if let other = holders[number].updateValue(place, forKey: key), other != place {
          throw rules[number].error(identifier(of: other), identifier(of: place), key)
        }
      }
    }
    try insert(wanted, numbers)
  }

  /// The values of new records and of those that changed, in the order of the changes.
  private func wantedKeys(_ rule: UniquenessRule) -> [(place: Int, key: UniquenessKey)] {
    var keys: [(place: Int, key: UniquenessKey)] = []
    var entity: Schema.Entity?
    var isBound = false
    for (place, change) in changes.enumerated() where change.kind != .deleted {
      if change.state.entity !== entity {
        entity = change.state.entity
        isBound = rule.family.contains { $0.name == change.state.entity.name }
      }
      guard isBound else { continue }
      let values = change.state.orderedValues
      if change.kind == .updated, !rule.isChanged(from: change.original, to: values) { continue }
      guard let key = rule.key(of: values, at: storePlace(of: change.state.identifier)) else {
        continue
      }
      keys.append((place, mergeTargets.isEmpty ? key : key.following(mergeTargets)))
    }
    return keys
  }

  /// The place of the store that a record belongs to; 0 if no entity is in several.
  private func storePlace(of identifier: PersistentIdentifier) -> Int {
    guard let placement else { return 0 }
    return newPlaces[identifier] ?? placement.knownPlace(of: identifier) ?? 0
  }

  /// Asks the stores which records have the values.
  private mutating func findStored(
    _ number: Int,
    _ keys: [(place: Int, key: UniquenessKey)]
  ) throws {
    guard let placement else {
      return try findStored(number, keys) { [fetching] in try fetching.connection(for: $0) }
    }
    for (place, connection) in placement.connections.enumerated() {
      let own = keys.filter { $0.key.place == place }
      if own.isEmpty { continue }
      try findStored(number, own) {
        connection.schema.entitiesByName[$0] == nil ? nil : connection
      }
    }
  }

  /// Asks one store which records have the values.
  private mutating func findStored(
    _ number: Int,
    _ keys: [(place: Int, key: UniquenessKey)],
    _ store: (_ entityName: String) throws -> (any StoreConnection)?
  ) throws {
    let rule = rules[number]
    var wanted: Set<UniquenessKey> = []
    var selection: (part: Int, values: [Value])?
    for entity in rule.family {
      guard let connection = try store(entity.name) else { continue }
      let storedCount = try connection.count(matching: Query(entity.name))
      guard storedCount > 0 else { continue }
      if wanted.isEmpty { wanted = Set(keys.lazy.map(\.key)) }
      let (part, values) = selection ?? rule.selection(of: wanted)
      selection = (part, values)
      // Each query may read all records.
      let batchSize = max(Self.batchSize, storedCount)
      for start in stride(from: 0, to: values.count, by: batchSize) {
        let batch = Array(values[start..<min(start + batchSize, values.count)])
        let filter = Filter.isIn(rule.names[part], batch)
        for snapshot in try connection.snapshots(matching: Query(entity.name, filter: filter)) {
          note(entity.arranged(snapshot), number, wanted)
        }
      }
    }
  }

  /// The number of values in one query, or more if there are more records.
  private static let batchSize = 10_000

  private mutating func note(
    _ snapshot: DefaultSnapshot,
    _ number: Int,
    _ wanted: Set<UniquenessKey>
  ) {
    let identifier = snapshot.persistentIdentifier
    guard
      let key = rules[number].key(of: snapshot.orderedValues, at: storePlace(of: identifier)),
      wanted.contains(key)
    else { return }
    if let change = storedChanges[identifier] {
      let isFreed =
        change.kind == .deleted
        || rules[number].isChanged(from: change.original, to: change.state.orderedValues)
      if isFreed { return }
    }
    let known = storedHolders.isEmpty && rules.count == 1 ? nil : storedHolders[identifier]
    let holder = known ?? -1 - stored.count
    if known == nil {
      stored.append(snapshot)
      if rules.count > 1 { storedHolders[identifier] = holder }
    }
    // A merged record has the values of the record that it was merged into.
    if !taken.contains(holder) { holders[number][key] = holder }
  }

  private func identifier(of holder: Int) -> PersistentIdentifier {
    guard holder >= 0 else { return stored[-1 - holder].persistentIdentifier }
    return cells[holder]?.target ?? changes[holder].state.identifier
  }
}

// MARK: New records

extension UniquenessPlanner {
  /// Processes the new records in the order of insertion.
  private mutating func insert(
    _ wanted: [[(place: Int, key: UniquenessKey)]],
    _ numbers: [Int]
  ) throws {
    var next = wanted.map(\.startIndex)
    var own: [(number: Int, key: UniquenessKey)] = []
    for place in changes.indices where changes[place].kind == .inserted {
      own.removeAll(keepingCapacity: true)
      for (index, number) in numbers.enumerated() {
        let keys = wanted[index]
        while next[index] < keys.count, keys[next[index]].place < place { next[index] += 1 }
        guard next[index] < keys.count, keys[next[index]].place == place else { continue }
        own.append((number, keys[next[index]].key))
      }
      if !own.isEmpty, !taken.contains(place) { try insert(place, own) }
    }
  }

  private mutating func insert(_ place: Int, _ own: [(number: Int, key: UniquenessKey)]) throws {
    var found: (holder: Int, number: Int)?
    var refusal: PersistenceError?
    var isUpsert = false
    for (number, key) in own {
      guard let holder = holders[number][key], holder != place else { continue }
      if let found, found.holder != holder { throw twoFound(place, found, (holder, number)) }
      found = (holder, number)
      if rules[number].policy == .upsert {
        isUpsert = true
      } else {
        refusal = rules[number].error(identifier(of: holder), identifier(of: place), key)
      }
    }
    if let found {
      if !isUpsert, let refusal { throw refusal }
      try merge(place, with: found.holder)
    }
    for (number, key) in own { holders[number][key] = place }
  }

  private func twoFound(
    _ place: Int,
    _ first: (holder: Int, number: Int),
    _ second: (holder: Int, number: Int)
  ) -> PersistenceError {
    let parts = [first, second].map {
      "\(identifier(of: $0.holder)) by \(rules[$0.number].names.joined(separator: " and "))"
    }
    return PersistenceError(
      .notUnique,
      "\(changes[place].state.entity.name) \(changes[place].state.identifier): matches two existing records by unique values (\(parts.joined(separator: ", ")))"
    )
  }

  /// Merges a new record into another one.
  private mutating func merge(_ place: Int, with holder: Int) throws {
    let old = cells[holder] ?? cell(of: holder)
    var new = cells[place] ?? cell(of: place)
    guard old.existing == nil || new.existing == nil, old.entityName == new.entityName else {
      throw PersistenceError(
        .notUnique,
        "\(new.entityName) \(identifier(of: place)) and \(old.entityName) \(identifier(of: holder)): same unique values, but cannot be merged"
      )
    }
    for number in rules.indices where rules[number].binds(old.entityName) {
      let place = old.target.map(storePlace) ?? 0
      guard let key = rules[number].key(of: old.values, at: place) else { continue }
      if holders[number][key] == holder { holders[number][key] = nil }
    }
    // Only links are separated from their former records.
    if changes[place].state.hasLinkSlots { new.former += old.former + [old.values, new.values] }
    new.values = changes[place].state.joining(new.values, to: old.values)
    new.existing = new.existing ?? old.existing
    new.members = old.members + new.members
    cells[holder] = nil
    cells[place] = new
    taken.insert(holder)
    for member in new.members where member.identifier != new.target {
      mergeTargets[member.identifier] = new.target
    }
  }

  /// A cell with one record, before others are merged into it.
  private func cell(of holder: Int) -> Cell {
    guard holder >= 0 else {
      let snapshot = stored[-1 - holder]
      return Cell(
        entityName: snapshot.persistentIdentifier.entityName,
        existing: snapshot,
        values: snapshot.orderedValues
      )
    }
    let change = changes[holder]
    var cell = Cell(entityName: change.state.entity.name, values: change.state.orderedValues)
    if change.kind == .inserted {
      cell.members = [change.state]
    } else {
      cell.existing = change.state.snapshot
      cell.existing?.orderedValues = change.original
    }
    return cell
  }
}

// MARK: Records that refer to those that became one

extension UniquenessPlanner {
  private func finished() throws -> UniquenessPlan {
    var plan = UniquenessPlan(mergeTargets: mergeTargets)
    let cells = self.cells.keys.sorted().compactMap { self.cells[$0] }
    plan.merges.reserveCapacity(cells.count)
    for cell in cells {
      guard let survivor = cell.members.last else { continue }
      let values = cell.values.map { $0.following(mergeTargets) }
      plan.merges.append(
        .init(
          survivor: survivor,
          absorbed: cell.members.dropLast(),
          existing: cell.existing,
          values: values
        )
      )
    }
    rewriteLinks(&plan)
    for (number, cell) in cells.enumerated() { try separate(cell, number, &plan) }
    for merge in plan.merges { try merge.survivor.checkCounts(merge.values) }
    return plan
  }

  /// Redirects links of changed records from merged records to the records that they were merged into.
  private func rewriteLinks(_ plan: inout UniquenessPlan) {
    let targets = Set(plan.merges.map(\.target))
    for change in changes where change.kind != .deleted && change.state.hasLinkSlots {
      let state = change.state
      guard mergeTargets[state.identifier] == nil, !targets.contains(state.identifier) else {
        continue
      }
      let values = state.orderedValues.map { $0.following(mergeTargets) }
      if values != state.orderedValues {
        plan.rewrites[state.identifier] = .init(state: state, values: values)
      }
    }
  }

  /// Clears the inverse links of records whose link was replaced by the merge.
  private func separate(_ cell: Cell, _ number: Int, _ plan: inout UniquenessPlan) throws {
    let merge = plan.merges[number]
    guard let description = merge.survivor.description else { return }
    for slot in description.relationshipSlots {
      guard let inverse = description.inverseSlot(of: slot) else { continue }
      let kept = merge.values[slot].linkedIdentifiers
      let former = cell.former.flatMap { $0[slot].linkedIdentifiers.map { mergeTargets[$0] ?? $0 } }
      for identifier in Set(former).subtracting(kept) {
        try separate(identifier, from: merge.target, at: inverse, &plan)
      }
    }
  }

  private func separate(
    _ identifier: PersistentIdentifier,
    from target: PersistentIdentifier,
    at slot: Int,
    _ plan: inout UniquenessPlan
  ) throws {
    if let place = plan.merges.firstIndex(where: { $0.target == identifier }) {
      plan.merges[place].values[slot].unlink(target)
    } else if plan.rewrites[identifier] != nil {
      plan.rewrites[identifier]?.values[slot].unlink(target)
    } else if let state = try fetching.statesPresent(among: [identifier])[identifier],
      !state.isDeleted
    {
      var values = state.orderedValues
      values[slot].unlink(target)
      if values != state.orderedValues {
        plan.rewrites[identifier] = .init(state: state, values: values)
      }
    }
  }
}

extension ModelState {
  fileprivate var hasLinkSlots: Bool { description?.relationshipSlots.isEmpty == false }

  /// The values of a record after a new one is merged into it.
  ///
  /// The new values win; links that the new record leaves empty and values that the store makes are kept, and
  /// lists contain the links of both.
  fileprivate func joining(_ new: [Value], to old: [Value]) -> [Value] {
    var values = new
    for slot in description?.relationshipSlots ?? [] {
      switch (old[slot], new[slot]) {
      case (_, .null): values[slot] = old[slot]
      case (.links, .links(let links)): values[slot] = old[slot].adding(links)
      default: break
      }
    }
    if entity.hasReadOnlyFields {
      for slot in values.indices where entity.fields[slot].isReadOnly { values[slot] = old[slot] }
    }
    return values
  }
}

extension Value {
  fileprivate mutating func unlink(_ identifier: PersistentIdentifier) {
    switch self {
    case .link(identifier): self = .null
    case .links(let links) where links.contains(identifier):
      self = .links(links.filter { $0 != identifier })
    default: break
    }
  }
}
