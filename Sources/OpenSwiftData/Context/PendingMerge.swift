import Foundation

/// Merges what a store answers with what a context has changed and not saved.
struct PendingMerge {
  private let query: Query
  private let entity: Schema.Entity
  private let connection: any StoreConnection
  private let changes: [PendingChanges.Change]
  private let filter: BoundFilter

  init(_ query: Query, pending: PendingChanges, connection: any StoreConnection) throws {
    var unlimited = query
    unlimited.limit = nil
    unlimited.offset = 0
    unlimited.attributes = nil
    self.query = unlimited
    self.connection = connection
    entity = try connection.schema.entity(named: query.entityName)
    changes = pending.all.filter { $0.state.entity.name == query.entityName }
    filter = try BoundFilter(query.filter, layout: entity.layout)
  }

  /// The identifiers of all matches in order.
  ///
  /// - Complexity: O(n + k log n) for n matches in the store and k changed records.
  func identifiers() throws -> [PersistentIdentifier] {
    let matching = changes.filter { $0.kind != .deleted && filter.matches($0.state.orderedValues) }
    return query.sort.isEmpty ? try inStoreOrder(matching) : try sorted(matching)
  }

  private func inStoreOrder(_ matching: [PendingChanges.Change]) throws -> [PersistentIdentifier] {
    let stored = try connection.identifiers(matching: query)
    let touched = Set(changes.map(\.state.identifier))
    var wanted = Set(matching.filter { $0.kind == .updated }.map(\.state.identifier))
    var result = stored.filter { !touched.contains($0) || wanted.contains($0) }
    wanted.subtract(result)
    if !wanted.isEmpty {
      let all = wanted.union(result)
      result = try connection.identifiers(matching: Query(entity.name)).filter(all.contains)
    }
    return result + matching.filter { $0.kind == .inserted }.map(\.state.identifier)
  }

  private func sorted(_ matching: [PendingChanges.Change]) throws -> [PersistentIdentifier] {
    let touched = Set(changes.map(\.state.identifier))
    let order = try SnapshotOrder(query.sort, layout: entity.layout)
    var added = matching.map(\.state.snapshot)
    order.sort(&added)
    if added.count > 256 { return try mergedLinearly(added, order, touched) }
    let stored = try connection.identifiers(matching: query).filter { !touched.contains($0) }
    var result: [PersistentIdentifier] = []
    result.reserveCapacity(stored.count + added.count)
    var start = 0
    for snapshot in added {
      let place = try self.place(of: snapshot, in: stored, from: start, order)
      result += stored[start..<place]
      result.append(snapshot.persistentIdentifier)
      start = place
    }
    return result + stored[start...]
  }

  /// The first place whose record comes after the snapshot.
  private func place(
    of snapshot: DefaultSnapshot,
    in stored: [PersistentIdentifier],
    from start: Int,
    _ order: SnapshotOrder
  ) throws -> Int {
    var low = start
    var high = stored.count
    while low < high {
      let middle = (low + high) / 2
      let other = try connection.snapshots(for: [stored[middle]])[stored[middle]]
      if let other, order.compare(snapshot, other) == .orderedAscending {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  private func mergedLinearly(
    _ added: [DefaultSnapshot],
    _ order: SnapshotOrder,
    _ touched: Set<PersistentIdentifier>
  ) throws -> [PersistentIdentifier] {
    var result: [PersistentIdentifier] = []
    var next = added[...]
    for snapshot in try connection.snapshots(matching: query)
    where !touched.contains(snapshot.persistentIdentifier) {
      while let first = next.first, order.compare(first, snapshot) == .orderedAscending {
        result.append(first.persistentIdentifier)
        next = next.dropFirst()
      }
      result.append(snapshot.persistentIdentifier)
    }
    return result + next.map(\.persistentIdentifier)
  }
}
