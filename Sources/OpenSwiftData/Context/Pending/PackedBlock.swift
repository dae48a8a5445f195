/// Unsaved changes of records that changed in the same way, held as bytes instead of states.
///
/// All records have the same kind of change: they are deleted with their stored values, or the values of the same fields
/// were replaced. A record leaves the block when somebody needs its state.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. Each record has an identifier, which is permanent, and an end in the bytes.
/// 2. The order for searching has all records in the order of their keys.
/// 3. The number of records is that of those not taken yet.
final class PackedBlock {
  /// The largest number of records.
  static let limit = 8192

  /// Identifies the block among all of its context.
  let number: Int
  let kind: PendingChange.Kind
  let entity: Schema.Entity
  /// The changed slots, in order; empty for deletions.
  let slots: [Int]
  /// For each of these slots, the new values of all records that were ever in the block.
  let values: [RepeatedValues]
  /// All records that were ever in the block.
  let identifiers: [PersistentIdentifier]
  /// The values in the store that all records have in common, by slot; nil where they differ.
  private let commonOriginals: [Value?]
  private let bytes: [UInt8]
  private let ends: [Int]
  /// The indices of the records in the order of their keys; empty if they are in that order anyway.
  private let order: [UInt16]
  /// The first and the last key in that order.
  private let range: ClosedRange<PackedKey>
  /// The indices of the records that left, in the order in which they left.
  private(set) var taken: [UInt16] = []
  /// True for each record that left; empty if none did.
  private var isTaken: [Bool] = []

  /// The number of records.
  var count: Int { identifiers.count - taken.count }

  /// Packs the changes of states.
  ///
  /// - Precondition: There are states, and they have unsaved changes of this kind in these slots.
  init(number: Int, _ change: PackedChange, _ states: some Collection<ModelState>) {
    self.number = number
    (kind, entity, slots) = (change.kind, change.entity, change.slots)
    var values = slots.map { _ in RepeatedValues() }
    var (packed, ends) = (PackedValues(), [Int]())
    ends.reserveCapacity(states.count)
    let slotCount = change.entity.layout.names.count
    var common: [Value?] = (0..<slotCount).map { states.first?.original(at: $0) }
    for state in states {
      for slot in 0..<slotCount {
        let value = state.original(at: slot)
        packed.append(value)
        if let expected = common[slot], expected != value { common[slot] = nil }
      }
      for (place, slot) in slots.enumerated() {
        values[place].append(state.orderedValues[slot])
      }
      ends.append(packed.bytes.count)
    }
    self.values = values
    commonOriginals = common
    identifiers = states.map(\.identifier)
    // A copy has exactly the capacity that it needs.
    bytes = packed.bytes.withUnsafeBufferPointer { Array($0) }
    self.ends = ends
    let keys = identifiers
    let isInOrder = keys.indices.dropFirst()
      .allSatisfy { keys[$0 - 1].packedKey < keys[$0].packedKey }
    order =
      isInOrder
      ? []
      : identifiers.indices.sorted { keys[$0].packedKey < keys[$1].packedKey }.map { UInt16($0) }
    let first = keys[order.first.map { Int($0) } ?? 0]
    let last = keys[order.last.map { Int($0) } ?? keys.count - 1]
    range = first.packedKey...last.packedKey
  }

  // MARK: Reading

  /// The index of a record; nil if it is not in the block.
  ///
  /// - Complexity: O(log n).
  func index(of identifier: PersistentIdentifier) -> Int? {
    let key = identifier.packedKey
    guard range.contains(key) else { return nil }
    var (low, high) = (0, identifiers.count)
    while low < high {
      let middle = (low + high) / 2
      let candidate = order.isEmpty ? middle : Int(order[middle])
      let other = identifiers[candidate].packedKey
      if other == key { return holds(candidate) ? candidate : nil }
      if other < key { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// True if the record with this index did not leave the block.
  func holds(_ index: Int) -> Bool { isTaken.isEmpty || !isTaken[index] }

  /// The indices of the records.
  var indices: some Sequence<Int> { identifiers.indices.lazy.filter { self.holds($0) } }

  /// The values of a record in the store.
  func original(at index: Int) -> [Value] {
    bytes.withUnsafeBytes { bytes in
      var reader = PackedReader(bytes, at: index == 0 ? 0 : ends[index - 1])
      return reader.values(entity.layout.names.count)
    }
  }

  /// The values of a record as they are now.
  func current(at index: Int) -> [Value] { current(at: index, from: original(at: index)) }

  /// The values of a record as they are now, from those in the store.
  func current(at index: Int, from original: [Value]) -> [Value] {
    var result = original
    for (slot, values) in zip(slots, values) { result[slot] = values[index] }
    return result
  }

  /// False if no record has the required values, in the store or now.
  ///
  /// - Complexity: O(n) in the number of the values.
  func mayHave(_ required: RequiredValues) -> Bool {
    required.conditions.allSatisfy { condition in
      guard let original = commonOriginals[condition.slot] else { return true }
      if condition.contains(original) { return true }
      return zip(slots, values).contains { slot, values in
        slot == condition.slot && values.common.map(condition.contains) ?? true
      }
    }
  }

  /// A record with these values.
  func snapshot(at index: Int, _ values: [Value]) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifiers[index],
      layout: entity.layout,
      orderedValues: values
    )
  }

  // MARK: Taking records out

  /// Removes a record.
  func take(_ index: Int) {
    if isTaken.isEmpty { isTaken = Array(repeating: false, count: identifiers.count) }
    isTaken[index] = true
    taken.append(UInt16(index))
  }

  func checkInvariants() {
    precondition(identifiers.count == ends.count, "each record has an end")
    precondition(
      values.allSatisfy { $0.count == identifiers.count },
      "each record has a new value"
    )
    precondition(identifiers.count <= Self.limit, "an index takes sixteen bits")
    precondition(!identifiers.contains(where: \.isTemporary), "only saved records are packed")
    precondition(order.isEmpty || Set(order).count == identifiers.count, "each record can be found")
    precondition(taken.count == isTaken.count { $0 }, "the count is that of the records")
  }
}

/// What the changes in a block have in common.
struct PackedChange {
  let kind: PendingChange.Kind
  let entity: Schema.Entity
  let slots: [Int]

  /// The change of a state; nil if it has to stay a state.
  init?(_ state: ModelState) {
    guard state.canBePacked else { return nil }
    (kind, entity) = (state.pendingKind, state.entity)
    slots = state.changedSlots
    // A record that was changed before it was deleted has values that the block does not hold.
    if kind == .deleted, !slots.isEmpty { return nil }
  }

  /// True if the state has the same change.
  func matches(_ state: ModelState) -> Bool {
    state.canBePacked && state.pendingKind == kind && state.entity === entity
      && state.hasChangedSlots(slots)
  }
}

/// The key of a record in an order that is fast to compare and means nothing else.
private struct PackedKey: Comparable {
  let high: UInt64
  let low: UInt64
  let scope: UInt32
  let kind: UInt8

  static func < (left: PackedKey, right: PackedKey) -> Bool {
    if left.high != right.high { return left.high < right.high }
    if left.low != right.low { return left.low < right.low }
    return left.scope != right.scope ? left.scope < right.scope : left.kind < right.kind
  }
}

extension PersistentIdentifier {
  fileprivate var packedKey: PackedKey {
    PackedKey(high: high, low: low, scope: scope, kind: kind.rawValue)
  }
}

extension ModelState {
  /// True if the unsaved change can be packed: the record is saved and not observed.
  fileprivate var canBePacked: Bool {
    description == nil && isDirty && pendingKind != .inserted && heldModel == nil && model == nil
      && !hasExtras && !identifier.isTemporary
  }

  /// The slots whose values differ from the stored ones, in order.
  var changedSlots: [Int] { entity.layout.names.indices.filter(differs) }

  fileprivate func hasChangedSlots(_ slots: [Int]) -> Bool {
    var next = 0
    for slot in entity.layout.names.indices where differs(at: slot) {
      guard next < slots.count, slots[next] == slot else { return false }
      next += 1
    }
    return next == slots.count
  }
}
