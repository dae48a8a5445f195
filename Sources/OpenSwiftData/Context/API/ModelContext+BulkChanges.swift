/// Many unsaved changes of the same kind, which the context holds together.
///
/// It shows the changes as they are now: a record that gets a change of its own leaves it. Confined to the thread of
/// the context.
package struct BulkChange {
  private let block: PackedBlock

  init(_ block: PackedBlock) { self.block = block }

  /// Identifies the change among all of its context.
  package var number: Int { block.number }
  /// True if the records are deleted; otherwise some of their values are replaced.
  package var isDeletion: Bool { block.kind == .deleted }
  /// The entity of the records.
  package var entity: Schema.Entity { block.entity }
  /// The slots that change, with the new values that all records have in common; nil if they differ.
  package var commonValues: [(slot: Int, value: Value)]? {
    let common = block.values.compactMap(\.common)
    return common.count == block.slots.count
      ? zip(block.slots, common).map { (slot: $0, value: $1) } : nil
  }

  /// The indices of the records, in order.
  package var indices: [Int] { Array(block.indices) }
  /// The identifier of a record.
  package func identifier(at index: Int) -> PersistentIdentifier { block.identifiers[index] }
  /// The values of a record in the store.
  ///
  /// - Complexity: O(n) in the number of values.
  package func original(at index: Int) -> [Value] { block.original(at: index) }
  /// The values of a record as they are now, or were when it was deleted.
  ///
  /// - Complexity: O(n) in the number of values.
  package func current(at index: Int) -> [Value] { block.current(at: index) }

  /// The records that have left so far, in the order in which they left.
  package var left: [PersistentIdentifier] {
    block.taken.map { block.identifiers[Int($0)] }
  }
  /// The number of records that have left so far.
  package var leftCount: Int { block.taken.count }
}

extension ModelContext {
  /// The unsaved changes that are held together; the others are `separateChanges`.
  package var bulkChanges: [BulkChange] {
    pending.blocks.filter { $0.count > 0 }.map { BulkChange($0) }
  }

  /// The unsaved changes that are not held together with others of the same kind.
  ///
  /// - Complexity: O(n) in their number.
  package var separateChanges: ChangeSet { separateChanges {} }

  /// The same, with a call of the closure before each change.
  func separateChanges(pausing pause: () throws -> Void) rethrows -> ChangeSet {
    var changes = ChangeSet()
    changes.inserted.reserveCapacity(pending.counts.inserted)
    changes.updated.reserveCapacity(pending.counts.updated)
    changes.deleted.reserveCapacity(pending.counts.deleted)
    try pending.forEachEntry { state in
      try pause()
      let snapshot = state.snapshot
      switch state.pendingKind {
      case .inserted: changes.inserted.append(snapshot)
      case .updated:
        var before = snapshot
        before.orderedValues = state.original
        changes.updated.append(RecordUpdate(before: before, after: snapshot))
      case .deleted:
        var before = snapshot
        before.orderedValues = state.original
        changes.deleted.append(before)
      }
    }
    return changes
  }
}
