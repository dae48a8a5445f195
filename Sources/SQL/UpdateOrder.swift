import OpenSwiftData

/// The order of the updates of a save, in which a record gives up its unique values before another one takes them.
///
/// If records exchange values in a circle, the first of them gets other values in between: both would have the same ones
/// otherwise. So does a record that has to wait for a deletion, see `DeletionOrder`, if another one takes its value.
struct UpdateOrder {
  /// A record that gives up values before the updates, and the slots of these values.
  struct Release {
    /// The number of the update.
    let number: Int
    let update: RecordUpdate
    let slots: [Int]
  }

  /// The updates in their order.
  private(set) var updates: [RecordUpdate]
  /// What comes before them.
  private(set) var releases: [Release] = []

  /// Finds the order.
  ///
  /// - Complexity: O(n) in the updates.
  init(_ changes: ChangeSet, _ tables: [String: TableDescription], _ deletions: DeletionOrder) {
    updates = changes.updated
    guard updates.count > 1 else { return }
    var released: [Int: Set<Int>] = [:]
    let own = tables.filter {
      $0.value.key == .own && $0.value.entity.fields.contains(where: \.isUnique)
    }
    for (number, update) in (own.isEmpty ? [] : updates).enumerated() {
      guard let table = own[update.persistentIdentifier.entityName] else { continue }
      // No triggers run in a table of our own, so that all of them can be missing in between.
      let slots = update.changedSlots.filter { slot in
        table.columns[slot].field.isUnique && !update.before.orderedValues[slot].isNull
      }
      if !slots.isEmpty { released[number] = Set(slots) }
    }
    let graph = UpdateGraph(updates, tables)
    if !graph.isEmpty {
      let (order, returning) = graph.order()
      for (number, slots) in returning { released[number, default: []].formUnion(slots) }
      for (number, needs) in graph.needs where !deletions.isWaiting(updates[number]) {
        for need in needs where deletions.isWaiting(updates[need.update]) {
          released[need.update, default: []].formUnion(need.slots)
        }
      }
      updates = order.map { changes.updated[$0] }
    }
    releases = released.sorted { $0.key < $1.key }.map {
      Release(number: $0.key, update: changes.updated[$0.key], slots: $0.value.sorted())
    }
  }
}

/// Which updates need others first, in tables of other programs.
private struct UpdateGraph {
  /// An update that comes first, and the slots of the values that it gives up.
  struct Need {
    let update: Int
    let slots: [Int]
  }

  /// By update, those that it needs.
  private(set) var needs: [Int: [Need]] = [:]
  private let count: Int
  var isEmpty: Bool { needs.isEmpty }

  init(_ updates: [RecordUpdate], _ tables: [String: TableDescription]) {
    count = updates.count
    var indexes: [String: [[Int]]] = [:]
    for table in tables.values where table.key != .own {
      indexes[table.entity.name] = Self.uniqueSlots(of: table)
    }
    if indexes.values.allSatisfy(\.isEmpty) { return }
    var holders: [UniqueKey: Int] = [:]
    func forEachKey(
      _ update: RecordUpdate,
      _ values: (RecordUpdate) -> DefaultSnapshot,
      _ body: (UniqueKey, [Int]) -> Void
    ) {
      let name = update.persistentIdentifier.entityName
      guard let indexes = indexes[name], !indexes.isEmpty, let table = tables[name] else { return }
      let changed = update.changedSlots
      for (place, index) in indexes.enumerated() {
        let slots = changed.filter(index.contains)
        guard !slots.isEmpty,
          let key = UniqueKey(values(update), table, place, index)
        else { continue }
        body(key, slots)
      }
    }
    for (number, update) in updates.enumerated() {
      forEachKey(update, \.before) { key, _ in holders[key] = number }
    }
    if holders.isEmpty { return }
    for (number, update) in updates.enumerated() {
      forEachKey(update, \.after) { key, slots in
        guard let holder = holders[key], holder != number else { return }
        let given = updates[holder].changedSlots.filter(
          indexes[key.entity, default: []][key.index].contains
        )
        needs[number, default: []].append(Need(update: holder, slots: given))
      }
    }
  }

  /// The slots of each unique index, and each unique column.
  private static func uniqueSlots(of table: TableDescription) -> [[Int]] {
    var found = table.uniqueIndexes.filter { $0.isExact && !$0.slots.isEmpty }.map(\.slots)
    for slot in table.columns.indices
    where table.columns[slot].field.isUnique && !found.contains([slot]) {
      found.append([slot])
    }
    return found
  }

  /// All updates, each after those that it needs, and the slots of those that come too late, by update.
  func order() -> (order: [Int], late: [Int: Set<Int>]) {
    enum State { case new, open, done }
    var states = Array(repeating: State.new, count: count)
    var order: [Int] = []
    order.reserveCapacity(count)
    var late: [Int: Set<Int>] = [:]
    // Not by recursion, because a chain can be as long as the save.
    var path: [(update: Int, next: Int)] = []
    for root in 0..<count where states[root] == .new {
      path.append((root, 0))
      states[root] = .open
      while let (update, next) = path.last {
        let needs = needs[update] ?? []
        guard next < needs.count else {
          states[update] = .done
          order.append(update)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let need = needs[next]
        switch states[need.update] {
        case .new:
          path.append((need.update, 0))
          states[need.update] = .open
        case .open: late[need.update, default: []].formUnion(need.slots)
        case .done: break
        }
      }
    }
    return (order, late)
  }
}

/// The values of a record of which an index allows one.
struct UniqueKey: Hashable {
  let entity: String
  let index: Int
  let values: [Value]

  /// The values of some slots; nil if one is missing, since missing values are not equal to each other.
  init?(_ snapshot: DefaultSnapshot, _ table: TableDescription, _ index: Int, _ slots: [Int]) {
    (entity, self.index) = (table.entity.name, index)
    let stored = slots.map { slot -> Value in
      let value = snapshot.orderedValues[slot]
      // A comparison such as NOCASE may take two spellings for one.
      guard table.columns[slot].hasCollation, case .text(let text) = value else { return value }
      return .text(text.lowercased())
    }
    if stored.contains(where: \.isNull) { return nil }
    values = stored
  }
}
