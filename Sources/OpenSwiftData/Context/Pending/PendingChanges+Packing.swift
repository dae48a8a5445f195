/// Changes of many records that are held as bytes.
extension PendingChanges {
  /// The smallest number of changes of the same fields that are packed.
  static let leastPacked = 64

  /// Packs the changes from an index on whose states are otherwise unreferenced, if many of them are alike.
  ///
  /// - Complexity: O(n) in the number of values.
  func pack(from start: Int) {
    guard entries.count - start >= Self.leastPacked else { return }
    var groups: [(change: PackedChange, places: [Int])] = []
    for place in start..<entries.count {
      guard isKnownUniquelyReferenced(&entries[place]), let state = entries[place] else { continue }
      if let last = groups.indices.last(where: { groups[$0].change.matches(state) }) {
        groups[last].places.append(place)
      } else if groups.count < 8, let change = PackedChange(state) {
        groups.append((change, [place]))
      }
    }
    for (change, places) in groups where places.count >= Self.leastPacked {
      for first in stride(from: 0, to: places.count, by: PackedBlock.limit) {
        pack(places[first..<min(first + PackedBlock.limit, places.count)], change)
      }
    }
    truncate(to: endOfStep)
    indexed = min(indexed, entries.count)
    compactIfSparse()
    checkInvariantsWhenSmall()
  }

  /// The end of the entries of the step without the empty ones behind them.
  private var endOfStep: Int {
    let rest = entries[min(stepStart, entries.count)...]
    return rest.lastIndex { $0 != nil }.map { $0 + 1 } ?? rest.startIndex
  }

  private func pack(_ places: ArraySlice<Int>, _ change: PackedChange) {
    blockNumber += 1
    let block = PackedBlock(
      number: blockNumber,
      change,
      places.lazy.compactMap { self.entries[$0] }
    )
    blocks.append(block)
    packedCount += block.count
    for place in places {
      guard let state = entries[place] else { continue }
      if indexed > place { self.places[state.identifier] = nil }
      entries[place] = nil
      state.endChange()
      forget(state)
    }
  }

  /// The block with the record, and its index there; nil if the change is not packed.
  private func packed(_ identifier: PersistentIdentifier) -> (block: PackedBlock, index: Int)? {
    if packedCount == 0 || identifier.isTemporary { return nil }
    if let recentBlock, let index = recentBlock.index(of: identifier) {
      return (recentBlock, index)
    }
    for block in blocks {
      guard let index = block.index(of: identifier) else { continue }
      recentBlock = block
      return (block, index)
    }
    return nil
  }

  func isPacked(_ identifier: PersistentIdentifier) -> Bool { packed(identifier) != nil }

  /// The kind of a change, without unpacking it.
  func kind(of identifier: PersistentIdentifier) -> PendingChange.Kind? {
    if isEmpty { return nil }
    return entry(identifier)?.pendingKind ?? packed(identifier)?.block.kind
  }

  /// The positions of the values that a change affects, without unpacking it; empty if there is no change.
  func changedSlots(of identifier: PersistentIdentifier) -> [Int] {
    if isEmpty { return [] }
    return entry(identifier)?.changedSlots ?? packed(identifier)?.block.slots ?? []
  }

  /// A changed record as it is now, without unpacking it; nil if it has no change.
  func snapshot(of identifier: PersistentIdentifier) -> DefaultSnapshot? {
    if isEmpty { return nil }
    if let state = entry(identifier) { return state.snapshot }
    return packed(identifier).map {
      $0.block.snapshot(at: $0.index, $0.block.current(at: $0.index))
    }
  }

  /// Turns the packed change of a record into a state; nil if there is none.
  func unpack(_ identifier: PersistentIdentifier) -> ModelState? {
    guard let (block, index) = packed(identifier) else { return nil }
    return unpack(index, of: block)
  }

  /// Turns all packed changes into states.
  func unpackAll() { unpack { _ in true } }

  /// Does the same, and can be stopped: what is not packed any longer has the same meaning.
  ///
  /// - Throws: `Interruption.Stopped`.
  func unpackAllUnlessStopped() throws {
    if packedCount == 0 { return }
    defer { dropEmptyBlocks() }
    for block in blocks {
      try Interruption.check()
      reserve(block.count)
      for index in block.indices { unpack(index, of: block) }
    }
  }

  /// Turns the packed changes of some blocks into states.
  func unpack(where isWanted: (PackedBlock) -> Bool) {
    if packedCount == 0 { return }
    for block in blocks where isWanted(block) {
      reserve(block.count)
      for index in block.indices { unpack(index, of: block) }
    }
    dropEmptyBlocks()
  }

  @discardableResult
  private func unpack(_ index: Int, of block: PackedBlock) -> ModelState {
    let original = block.original(at: index)
    let state = ModelState(
      entity: block.entity,
      identifier: block.identifiers[index],
      values: original
    )
    noteUnpacking(of: block)
    block.take(index)
    packedCount -= 1
    register(state)
    state.pendingPlace = Int32(entries.count)
    state.pendingKind = block.kind
    entries.append(state)
    if block.kind == .deleted {
      state.isDeleted = true
      state.original = original
    } else if block.slots.count == 1 {
      state.writeFirst(block.values[0][index], at: block.slots[0])
    } else {
      state.original = original
      state.orderedValues = block.current(at: index, from: original)
    }
    return state
  }

  /// Discards all packed changes.
  func removePacked() { removePacked(after: 0) }

  /// Discards the packed changes of the blocks after one.
  func removePacked(after number: Int) {
    for block in blocks where block.number > number {
      noteUnpacking(of: block)
      count(block.kind, by: -block.count)
      packedCount -= block.count
    }
    blocks.removeAll { $0.number > number }
    recentBlock = nil
  }

  /// Forgets the blocks without records, of which some are left until many are.
  func dropEmptyBlocks() {
    recentBlock = nil
    blocks.removeAll { $0.count == 0 }
  }
}
