import Foundation

/// Merges the result of a store with the unsaved changes of a context.
struct PendingMerge {
  private let query: Query
  private let entity: Schema.Entity
  private let connection: any StoreConnection
  private let pending: PendingChanges
  /// Changed records that are no longer in the store.
  private let gone: Set<PersistentIdentifier>
  private let filter: BoundFilter
  /// True if an overlay keeps deleted records, at the places of their values before the deletion.
  private let keepsDeleted: Bool
  /// Values that the matches have, if other changes cannot affect the result.
  private let required: RequiredValues?

  init(
    _ query: Query,
    _ pending: PendingChanges,
    _ merging: Merging,
    _ connection: any StoreConnection,
    keepsDeleted: Bool = false
  ) throws {
    self.keepsDeleted = keepsDeleted
    gone = merging.gone
    var unlimited = query
    unlimited.limit = nil
    unlimited.offset = 0
    unlimited.attributes = nil
    self.query = unlimited
    self.connection = connection
    entity = try connection.schema.entity(named: query.entityName)
    self.pending = pending
    filter = try BoundFilter(query.filter, layout: entity.layout)
    // With conflicts, the store has values that neither were here before the changes nor are here now.
    required =
      merging.conflicting.isEmpty ? RequiredValues(query.filter, entity.layout) : nil
  }

  /// The identifiers of all matches in order.
  ///
  /// - Complexity: O(n + k log n) for n matches in the store and k changed records relevant to the query,
  ///   which `PendingChanges.states` finds.
  func identifiers() throws -> [PersistentIdentifier] {
    let changes = try relevantChanges()
    let packed = try packedChanges()
    let matching = matching(changes)
    let touched = Set(changes.map(\.state.identifier)).union(packed.all)
    return query.sort.isEmpty
      ? try inStoreOrder(matching, touched, packed.matching)
      : try sorted(matching, touched, packed.matching)
  }

  /// Calls the body with all matches in order, page by page, if they can be merged while they are read.
  ///
  /// That is so unless changed records must be placed among those of the store.
  ///
  /// - Returns: False, without a call of the body, if the records have to be placed by `identifiers()`.
  /// - Complexity: O(n) as for `identifiers()`; holds one page and the changes.
  func forEachPage(_ body: (any RecordPage) throws -> Void) throws -> Bool {
    let changes = try relevantChanges()
    let packed = try packedChanges()
    guard packed.matching.isEmpty else { return false }
    let added = changes.filter { $0.kind != .deleted && filter.matches($0.state.orderedValues) }
    guard added.allSatisfy({ $0.kind == .inserted }), added.isEmpty || query.sort.isEmpty else {
      return false
    }
    let touched = Set(changes.map(\.state.identifier)).union(packed.all)
    try connection.forEachPage(matching: query) { page in
      var merged = ChangedPage(page)
      for place in 0..<page.count {
        let identifier = page.identifier(at: place)
        if touched.contains(identifier) { continue }
        if pending.counts.updated > 0, let changed = pending.snapshot(of: identifier) {
          merged.append(changed)
        } else {
          merged.append(stored: place)
        }
      }
      try body(merged)
    }
    try SnapshotPage.forEach(added.map(\.state.snapshot), body)
    return true
  }

  /// The number of changed records above which a listing is made of all identifiers.
  private static let overlayLimit = 4096

  /// The changes that affect the result, as an overlay of a listing of the store.
  ///
  /// - Returns: Nil if merging all identifiers is cheaper because many records have changed.
  /// - Complexity: O(k log n) for n matches in the store and k changed records relevant to the query,
  ///   which `PendingChanges.states` finds.
  func overlay(of base: any Listing) throws -> ListingOverlay? {
    if pending.blocks.contains(where: isRelevant) { return nil }
    let changes = try relevantChanges().filter { !keepsDeleted || mayMove($0) }
    if changes.count > Self.overlayLimit { return nil }
    let matching = matching(changes)
    let kept =
      query.sort.isEmpty
      ? Set(matching.filter { $0.kind != .inserted }.map(\.state.identifier)) : []
    var removed: [Int] = []
    var listed: Set<PersistentIdentifier> = []
    for change in changes where change.kind != .inserted || !change.state.identifier.isTemporary {
      let identifier = change.state.identifier
      guard let place = try base.position(of: identifier) else { continue }
      if kept.contains(identifier) { listed.insert(identifier) } else { removed.append(place) }
    }
    let added = matching.filter { !listed.contains($0.state.identifier) }
    return ListingOverlay(
      removed: removed.sorted(),
      added: query.sort.isEmpty
        ? try placedInStoreOrder(added, base) : try placedBySorting(added, base)
    )
  }

  /// The number of all matches.
  ///
  /// The base is a listing of those in the store, in any order, whose count is exact.
  ///
  /// - Complexity: O(k log n) for n matches in the store and k changed records relevant to the query,
  ///   which `PendingChanges.states` finds. O(n) in the records of the entity with packed changes.
  func count(_ base: any Listing) throws -> Int {
    if pending.blocks.contains(where: isRelevant) { return try identifiers().count }
    let changes = try relevantChanges()
    var count = base.count.number + matching(changes).count
    for change in changes where change.kind != .inserted || !change.state.identifier.isTemporary {
      if try base.position(of: change.state.identifier) != nil { count -= 1 }
    }
    return count
  }

  private func placedBySorting(_ changes: [PendingChange], _ base: any Listing) throws
    -> [ListingOverlay.Added]
  {
    let order = MergeOrder(
      try SnapshotOrder(query.sort, layout: entity.layout),
      StoreRanks(connection, entity.name)
    )
    var start = 0
    return try order.sorted(changes).map { new in
      start = try base.place(from: start) { record in
        guard let stored = record.snapshot else { return false }
        return try order.isBefore(new, stored)
      }
      return ListingOverlay.Added(identifier: new.snapshot.persistentIdentifier, place: start)
    }
  }

  /// Changed records at their places in the order of the store, then new ones.
  private func placedInStoreOrder(_ changes: [PendingChange], _ base: any Listing) throws
    -> [ListingOverlay.Added]
  {
    let ranks = StoreRanks(connection, entity.name)
    let updated = try changes.filter { $0.kind != .inserted }
      .map { (identifier: $0.state.identifier, rank: try ranks.rank(of: $0.state.identifier)) }
      .sorted { $0.rank < $1.rank }
    var start = 0
    let placed = try updated.map { new in
      start = try base.place(from: start) { try new.rank < ranks.rank(of: $0.identifier) }
      return ListingOverlay.Added(identifier: new.identifier, place: start)
    }
    let inserted = changes.filter { $0.kind == .inserted }
      .map { ListingOverlay.Added(identifier: $0.state.identifier, place: base.count.number) }
    return placed + inserted
  }

  /// The changes whose records match now.
  private func matching(_ changes: [PendingChange]) -> [PendingChange] {
    changes.filter {
      (keepsDeleted || $0.kind != .deleted) && filter.matches($0.state.orderedValues)
        && !($0.kind != .inserted && gone.contains($0.state.identifier))
    }
  }

  /// False for a deleted record that stays where the store lists it, because none of the values that decide it had
  /// changed.
  private func mayMove(_ change: PendingChange) -> Bool {
    guard change.kind == .deleted else { return true }
    let values = change.state.orderedValues
    return (usedSlots ?? Array(values.indices)).contains {
      values[$0] != change.state.original(at: $0)
    }
  }

  /// The changes that affect the result: new and deleted records, and those with a changed value that the
  /// query uses.
  private func relevantChanges() throws -> [PendingChange] {
    let states = try pending.states(
      of: query.entityName,
      affecting: usedSlots,
      requiring: required
    )
    return states.compactMap { pending[$0] }
  }

  /// The slots of the values that the query uses, in order; nil if it uses all.
  private var usedSlots: [Int]? {
    query.filter.attributeNames.map { $0.union(query.sort.map(\.attribute)) }?
      .compactMap { entity.layout.slot(of: $0) }.sorted()
  }

  /// True if the packed changes of a block affect the result.
  private func isRelevant(_ block: PackedBlock) -> Bool {
    guard block.count > 0, block.entity.name == query.entityName,
      !keepsDeleted || block.kind != .deleted,
      required.map(block.mayHave) ?? true
    else { return false }
    guard block.kind == .updated, let slots = usedSlots else { return true }
    return slots.contains(where: block.slots.contains)
  }

  /// The packed changes that affect the result: all of them, and those of records that match now.
  private func packedChanges() throws -> (
    all: [PersistentIdentifier], matching: [PersistentIdentifier]
  ) {
    var (all, matching) = ([PersistentIdentifier](), [PersistentIdentifier]())
    var meter = WorkMeter()
    for block in pending.blocks where isRelevant(block) {
      for index in block.indices {
        try meter.count()
        let identifier = block.identifiers[index]
        all.append(identifier)
        if block.kind == .updated, !gone.contains(identifier),
          filter.matches(block.current(at: index))
        {
          matching.append(identifier)
        }
      }
    }
    return (all, matching)
  }

  private func inStoreOrder(
    _ matching: [PendingChange],
    _ touched: Set<PersistentIdentifier>,
    _ packed: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier] {
    let stored = try connection.identifiers(matching: query)
    var wanted = Set(matching.filter { $0.kind == .updated }.map(\.state.identifier))
    wanted.formUnion(packed)
    var result = stored.filter { !touched.contains($0) || wanted.contains($0) }
    wanted.subtract(result)
    if !wanted.isEmpty {
      let all = wanted.union(result)
      result = try connection.identifiers(matching: Query(entity.name)).filter(all.contains)
    }
    return result + matching.filter { $0.kind == .inserted }.map(\.state.identifier)
  }

  private func sorted(
    _ matching: [PendingChange],
    _ touched: Set<PersistentIdentifier>,
    _ packed: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier] {
    let order = MergeOrder(
      try SnapshotOrder(query.sort, layout: entity.layout),
      StoreRanks(connection, entity.name)
    )
    let added = try order.sorted(matching, packed.compactMap { pending.snapshot(of: $0) })
    if added.count > 256 { return try mergedLinearly(added, order, touched) }
    let stored = try connection.identifiers(matching: query).filter { !touched.contains($0) }
    var result: [PersistentIdentifier] = []
    result.reserveCapacity(stored.count + added.count)
    var start = 0
    for new in added {
      let place = try self.place(of: new, in: stored, from: start, order)
      result += stored[start..<place]
      result.append(new.snapshot.persistentIdentifier)
      start = place
    }
    return result + stored[start...]
  }

  /// The index of the first record that comes after the new one.
  private func place(
    of new: MergeOrder.Added,
    in stored: [PersistentIdentifier],
    from start: Int,
    _ order: MergeOrder
  ) throws -> Int {
    try (start..<stored.count).partitioningIndex { place in
      let other = try connection.snapshots(for: [stored[place]])[stored[place]]
      return try other.map { try order.isBefore(new, $0) } ?? false
    }
  }

  private func mergedLinearly(
    _ added: [MergeOrder.Added],
    _ order: MergeOrder,
    _ touched: Set<PersistentIdentifier>
  ) throws -> [PersistentIdentifier] {
    var result: [PersistentIdentifier] = []
    var next = added[...]
    for snapshot in try connection.snapshots(matching: query)
    where !touched.contains(snapshot.persistentIdentifier) {
      while let first = next.first, try order.isBefore(first, snapshot) {
        result.append(first.snapshot.persistentIdentifier)
        next = next.dropFirst()
      }
      result.append(snapshot.persistentIdentifier)
    }
    return result + next.map(\.snapshot.persistentIdentifier)
  }
}

/// The order of changed records among those of the store.
///
/// Records are ordered by the sort keys, then in the store's own order, with new records last.
private struct MergeOrder {
  struct Added {
    let snapshot: DefaultSnapshot
    let isNew: Bool
    /// The index among the changes.
    let number: Int
  }

  private let keys: SnapshotOrder
  private let ranks: StoreRanks

  init(_ keys: SnapshotOrder, _ ranks: StoreRanks) {
    self.keys = keys
    self.ranks = ranks
  }

  /// The changed records in order, with others that the store has.
  func sorted(_ changes: [PendingChange], _ others: [DefaultSnapshot] = []) throws -> [Added] {
    let all =
      others.map { Added(snapshot: $0, isNew: false, number: 0) }
      + changes.enumerated().map {
        Added(
          snapshot: $0.element.state.snapshot,
          isNew: $0.element.kind == .inserted,
          number: $0.offset
        )
      }
    return try all.sorted { left, right in
      let order = keys.compare(left.snapshot, right.snapshot)
      guard order == .orderedSame else { return order == .orderedAscending }
      guard !left.isNew, !right.isNew else {
        return left.isNew == right.isNew ? left.number < right.number : right.isNew
      }
      return try isEarlier(left.snapshot, right.snapshot)
    }
  }

  func isBefore(_ new: Added, _ stored: DefaultSnapshot) throws -> Bool {
    let order = keys.compare(new.snapshot, stored)
    guard order == .orderedSame else { return order == .orderedAscending }
    return try !new.isNew && isEarlier(new.snapshot, stored)
  }

  private func isEarlier(_ left: DefaultSnapshot, _ right: DefaultSnapshot) throws -> Bool {
    try ranks.rank(of: left.persistentIdentifier) < ranks.rank(of: right.persistentIdentifier)
  }
}

extension Listing {
  /// The first position from `start` on whose record comes after another one.
  ///
  /// - Complexity: O(log n) records are read.
  fileprivate func place(from start: Int, isAfter: (ListedRecord) throws -> Bool) throws -> Int {
    try (start..<count.number).partitioningIndex { place in
      try records(in: place..<(place + 1), attributes: nil).first.map(isAfter) ?? false
    }
  }
}

/// The positions of records in the store's own order, looked up only if the sort keys are equal.
private final class StoreRanks {
  private let connection: any StoreConnection
  private let entityName: String
  private var all: (any Listing)?

  init(_ connection: any StoreConnection, _ entityName: String) {
    self.connection = connection
    self.entityName = entityName
  }

  /// The position of a record among all of its entity; after the last one if it is gone.
  func rank(of identifier: PersistentIdentifier) throws -> Int {
    let listing = try all ?? connection.listing(matching: Query(entityName))
    all = listing
    return try listing.position(of: identifier) ?? listing.count.number
  }
}
