/// The changes of an undo step, in order.
///
/// A command may change a million records in the same way, so neighbors of the same kind share a run: new and deleted
/// records, and updates of one field to one value, which keep only the other value of each record.
struct UndoChanges: Sendable {
  fileprivate enum Kind: Sendable {
    case inserts, deletes, updates
    case schema(SchemaEdit, isInverse: Bool)
  }

  fileprivate struct Run: Sendable {
    var kind: Kind
    /// The records of inserts and deletes.
    var snapshots: [DefaultSnapshot] = []
    /// The records of updates.
    var identifiers: [PersistentIdentifier] = []
    /// For each updated record, the value that the others do not share.
    var values: [Value] = []
    /// The value that all updated records share.
    var shared = Value.null
    /// True if the shared value is the one before the update.
    var isInverse = false
    var layout: SnapshotLayout?
    var slot = 0
  }

  fileprivate var runs: [Run] = []

  var isEmpty: Bool { runs.isEmpty }

  mutating func append(_ change: UndoStep.Change) {
    let last = runs.count - 1
    switch change {
    case .insert(let snapshot):
      if last >= 0, case .inserts = runs[last].kind {
        runs[last].snapshots.append(snapshot)
      } else {
        runs.append(Run(kind: .inserts, snapshots: [snapshot]))
      }
    case .delete(let snapshot):
      if last >= 0, case .deletes = runs[last].kind {
        runs[last].snapshots.append(snapshot)
      } else {
        runs.append(Run(kind: .deletes, snapshots: [snapshot]))
      }
    case .update(let identifier, let layout, let slot, let old, let new):
      if last < 0 || !runs[last].takes(layout, slot, new) {
        runs.append(Run(kind: .updates, shared: new, layout: layout, slot: slot))
      }
      runs[runs.count - 1].identifiers.append(identifier)
      runs[runs.count - 1].values.append(old)
    case .schema(let edit, let isInverse):
      runs.append(Run(kind: .schema(edit, isInverse: isInverse)))
    }
  }

  /// The changes that undo these.
  ///
  /// Records that were deleted one after the other come back in their order, and new ones go in theirs.
  var inverse: UndoChanges {
    var result = self
    result.runs.reverse()
    for place in result.runs.indices {
      switch result.runs[place].kind {
      case .inserts: result.runs[place].kind = .deletes
      case .deletes: result.runs[place].kind = .inserts
      case .updates:
        result.runs[place].isInverse.toggle()
        result.runs[place].identifiers.reverse()
        result.runs[place].values.reverse()
      case .schema(let edit, let isInverse):
        result.runs[place].kind = .schema(edit, isInverse: !isInverse)
      }
    }
    return result
  }

  /// Reverses each run of new or deleted records.
  mutating func reverseRuns() {
    for place in runs.indices { runs[place].snapshots.reverse() }
  }

  /// The changes with other identifiers of their records.
  func resolved(_ resolve: (PersistentIdentifier) -> PersistentIdentifier) -> UndoChanges {
    var result = self
    for place in runs.indices {
      for index in result.runs[place].identifiers.indices
      where result.runs[place].identifiers[index].isTemporary {
        result.runs[place].identifiers[index] = resolve(runs[place].identifiers[index])
      }
      for index in result.runs[place].snapshots.indices
      where result.runs[place].snapshots[index].persistentIdentifier.isTemporary {
        result.runs[place].snapshots[index].persistentIdentifier = resolve(
          runs[place].snapshots[index].persistentIdentifier
        )
      }
    }
    return result
  }
}

extension UndoChanges.Run {
  /// True if an update to this value belongs to the run.
  fileprivate func takes(_ layout: SnapshotLayout, _ slot: Int, _ new: Value) -> Bool {
    guard case .updates = kind else { return false }
    return !isInverse && self.slot == slot && self.layout === layout && shared == new
  }

  fileprivate var count: Int {
    switch kind {
    case .inserts, .deletes: snapshots.count
    case .updates: identifiers.count
    case .schema: 1
    }
  }

  fileprivate func change(at place: Int) -> UndoStep.Change? {
    switch kind {
    case .inserts: return .insert(snapshots[place])
    case .deletes: return .delete(snapshots[place])
    case .schema(let edit, let isInverse): return .schema(edit, isInverse: isInverse)
    case .updates:
      guard let layout else { return nil }
      let (own, identifier) = (values[place], identifiers[place])
      return isInverse
        ? .update(identifier, layout, slot: slot, old: shared, new: own)
        : .update(identifier, layout, slot: slot, old: own, new: shared)
    }
  }
}

extension UndoChanges: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate let changes: UndoChanges
    private var run = 0
    private var place = 0

    fileprivate init(_ changes: UndoChanges) { self.changes = changes }

    mutating func next() -> UndoStep.Change? {
      while run < changes.runs.count {
        if place < changes.runs[run].count {
          defer { place += 1 }
          return changes.runs[run].change(at: place)
        }
        run += 1
        place = 0
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }
}
