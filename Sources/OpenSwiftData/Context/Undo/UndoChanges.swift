/// The changes of an undo step, in order.
///
/// A command may change a million records in the same way, so neighbors of the same kind share a run: new and deleted
/// records, and updates of one field, in which a value that all records share is kept once.
struct UndoChanges: Sendable {
  fileprivate enum Kind: Sendable {
    case inserts, deletes, updates
    case schema(SchemaEdit, isInverse: Bool)
  }

  fileprivate struct Run: Sendable {
    var kind: Kind
    /// The records of inserts and deletes.
    var snapshots: [DefaultSnapshot] = []
    /// The records of inserts and deletes that are still columns, in place of snapshots.
    var records: NewRecords?
    /// The records of updates.
    var identifiers: [PersistentIdentifier] = []
    /// Their values before and after.
    var old = RepeatedValues()
    var new = RepeatedValues()
    var layout: SnapshotLayout?
    var slot = 0
  }

  /// An update that is the only change, as in most steps: a run takes several times its memory.
  private final class Update: Sendable {
    let identifier: PersistentIdentifier
    let layout: SnapshotLayout
    let slot: Int
    let old, new: Value

    init(
      _ identifier: PersistentIdentifier,
      _ layout: SnapshotLayout,
      slot: Int,
      old: Value,
      new: Value
    ) {
      self.identifier = identifier
      self.layout = layout
      self.slot = slot
      self.old = old
      self.new = new
    }

    var run: Run {
      Run(
        kind: .updates,
        identifiers: [identifier],
        old: RepeatedValues(old),
        new: RepeatedValues(new),
        layout: layout,
        slot: slot
      )
    }
  }

  private var only: Update?
  /// Empty if there is only one update.
  private var several: [Run] = []
  fileprivate var runs: [Run] {
    get { only.map { [$0.run] } ?? several }
    _modify {
      if let only {
        several = [only.run]
        self.only = nil
      }
      yield &several
    }
  }

  /// The number of changes that are undone together if a step has many of them.
  static let partSize = 4096

  var isEmpty: Bool { only == nil && several.isEmpty }

  /// The number of changes.
  var count: Int { only == nil ? several.reduce(0) { $0 + $1.count } : 1 }

  /// The changes that create entities, add fields or rename them; nil if the schema is changed in any other way.
  var editsWithoutLoss: [SchemaEdit]? {
    var edits: [SchemaEdit] = []
    for run in runs {
      guard case .schema(let edit, let isInverse) = run.kind else { continue }
      if isInverse { return nil }
      switch edit.step {
      case .createEntity, .addAttribute, .renameAttribute: edits.append(edit)
      case .removeEntity, .dropAttribute, .convertAttribute: return nil
      }
    }
    return edits
  }

  /// Takes changes in order.
  init(_ changes: some Sequence<UndoStep.Change>) {
    for change in changes { append(change) }
  }

  init() {}

  fileprivate init(runs: [Run]) { several = runs }

  mutating func append(_ change: UndoStep.Change) {
    switch change {
    case .insert(let snapshot): append(snapshot, to: .inserts)
    case .delete(let snapshot): append(snapshot, to: .deletes)
    case .update(let identifier, let layout, let slot, let old, let new) where isEmpty:
      only = Update(identifier, layout, slot: slot, old: old, new: new)
    case .update(let identifier, let layout, let slot, let old, let new):
      let place = placeOfRun(layout, slot)
      runs[place].identifiers.append(identifier)
      runs[place].old.append(old)
      runs[place].new.append(new)
    case .schema(let edit, let isInverse):
      runs.append(Run(kind: .schema(edit, isInverse: isInverse)))
    }
  }

  /// The run for an update of a field; a new one if none of the last runs takes it.
  ///
  /// Updates of several fields of each record alternate, and those of different fields may be in any order.
  private mutating func placeOfRun(_ layout: SnapshotLayout, _ slot: Int) -> Int {
    for place in runs.indices.suffix(Self.alternatingRuns).reversed() {
      guard runs[place].isUpdate(of: layout) else { break }
      guard runs[place].slot == slot else { continue }
      if runs[place].count < Self.partSize { return place }
      break
    }
    runs.append(Run(kind: .updates, layout: layout, slot: slot))
    return runs.count - 1
  }

  /// The number of fields whose updates may alternate.
  private static let alternatingRuns = 16

  /// Appends the changes that discard those of a block, the last one first.
  mutating func appendDiscarding(_ block: PackedBlock) {
    let indices = Array(block.indices.reversed())
    guard block.kind == .updated else {
      for index in indices {
        append(block.snapshot(at: index, block.original(at: index)), to: .inserts)
      }
      return
    }
    let originals = indices.map(block.original)
    let identifiers = indices.map { block.identifiers[$0] }
    for (slot, values) in zip(block.slots, block.values) {
      var run = Run(
        kind: .updates,
        identifiers: identifiers,
        layout: block.entity.layout,
        slot: slot
      )
      for (index, original) in zip(indices, originals) {
        run.old.append(values[index])
        run.new.append(original[slot])
      }
      runs.append(run)
    }
  }

  /// Appends the changes of another step.
  mutating func append(_ other: UndoChanges) {
    if isEmpty {
      self = other
    } else {
      runs += other.runs
    }
  }

  /// Appends the insertion of records that are columns.
  mutating func append(_ records: NewRecords) {
    runs.append(Run(kind: .inserts, records: records))
  }

  /// Appends a record to the last run if it is of the kind, else to a new one.
  private mutating func append(_ snapshot: DefaultSnapshot, to kind: Kind) {
    switch (runs.last?.kind, kind) {
    case (.inserts?, .inserts) where runs.last?.records == nil,
      (.deletes?, .deletes) where runs.last?.records == nil:
      runs[runs.count - 1].snapshots.append(snapshot)
    default: runs.append(Run(kind: kind, snapshots: [snapshot]))
    }
  }

  /// The changes that undo these.
  ///
  /// Deleted records are restored in their order, and new ones removed in theirs.
  var inverse: UndoChanges {
    var result = self
    result.runs.reverse()
    for place in result.runs.indices {
      switch result.runs[place].kind {
      case .inserts: result.runs[place].kind = .deletes
      case .deletes: result.runs[place].kind = .inserts
      case .updates:
        result.runs[place].invertUpdates()
      case .schema(let edit, let isInverse):
        result.runs[place].kind = .schema(edit, isInverse: !isInverse)
      }
    }
    return result
  }

  /// True if a change is one of the schema.
  var changesSchema: Bool {
    runs.contains { if case .schema = $0.kind { true } else { false } }
  }

  /// The changes or, in reverse order, those that undo them, in parts of a run each.
  func parts(isInverse: Bool) -> some Sequence<UndoChanges> {
    (0..<runs.count).lazy.flatMap { place in
      runs[isInverse ? runs.count - 1 - place : place].parts.lazy.map { run in
        let part = UndoChanges(runs: [run])
        return isInverse ? part.inverse : part
      }
    }
  }

  /// Reverses each run of new or deleted records.
  mutating func reverseRuns() {
    for place in runs.indices {
      runs[place].makeSnapshots()
      runs[place].snapshots.reverse()
    }
  }

  /// The changes with other identifiers of their records.
  func resolved(_ resolve: (PersistentIdentifier) -> PersistentIdentifier) -> UndoChanges {
    var result = self
    for place in runs.indices {
      result.runs[place].makeSnapshots()
      for index in result.runs[place].identifiers.indices
      where result.runs[place].identifiers[index].isTemporary {
        result.runs[place].identifiers[index] = resolve(runs[place].identifiers[index])
      }
      for index in result.runs[place].snapshots.indices
      where result.runs[place].snapshots[index].persistentIdentifier.isTemporary {
        let former = result.runs[place].snapshots[index].persistentIdentifier
        result.runs[place].snapshots[index].persistentIdentifier = resolve(former)
      }
    }
    return result
  }
}

extension UndoChanges.Run {
  /// True for updates of records with this layout.
  fileprivate func isUpdate(of layout: SnapshotLayout) -> Bool {
    guard case .updates = kind else { return false }
    return self.layout === layout
  }

  /// The same in runs that are not too long; new and deleted records stay in their order when they are undone, too.
  fileprivate var parts: some Sequence<UndoChanges.Run> {
    let size = UndoChanges.partSize
    let recordCount = records?.count ?? snapshots.count
    let starts = recordCount == 0 ? [0] : Array(stride(from: 0, to: recordCount, by: size))
    return starts.lazy.map { start in
      if recordCount <= size { return self }
      let range = start..<Swift.min(start + size, recordCount)
      var part = self
      part.records = nil
      part.snapshots = records.map { range.map($0.snapshot) } ?? Array(snapshots[range])
      return part
    }
  }

  /// Makes snapshots of records that are still columns.
  fileprivate mutating func makeSnapshots() {
    guard let records else { return }
    (snapshots, self.records) = (records.snapshots, nil)
  }

  fileprivate mutating func invertUpdates() {
    swap(&old, &new)
    identifiers.reverse()
    old.reverse()
    new.reverse()
  }

  fileprivate var count: Int {
    switch kind {
    case .inserts, .deletes: records?.count ?? snapshots.count
    case .updates: identifiers.count
    case .schema: 1
    }
  }

  fileprivate func change(at place: Int) -> UndoStep.Change? {
    switch kind {
    case .inserts: return .insert(records?.snapshot(at: place) ?? snapshots[place])
    case .deletes: return .delete(records?.snapshot(at: place) ?? snapshots[place])
    case .schema(let edit, let isInverse): return .schema(edit, isInverse: isInverse)
    case .updates:
      guard let layout else { return nil }
      return .update(identifiers[place], layout, slot: slot, old: old[place], new: new[place])
    }
  }
}

extension UndoChanges {
  /// The changes, any of which can be looked up without going through those before it.
  struct Places: Sendable {
    private let runs: [Run]
    /// The place of the first change of each run.
    private let starts: [Int]
    let count: Int

    init(_ changes: UndoChanges) {
      runs = changes.runs
      var count = 0
      starts = runs.map { run in
        defer { count += run.count }
        return count
      }
      self.count = count
    }

    /// - Complexity: O(log n) in the number of runs.
    subscript(place: Int) -> UndoStep.Change? {
      precondition((0..<count).contains(place))
      var range = 0..<starts.count
      while range.count > 1 {
        let middle = (range.lowerBound + range.upperBound) / 2
        range =
          starts[middle] <= place ? middle..<range.upperBound : range.lowerBound..<middle
      }
      return runs[range.lowerBound].change(at: place - starts[range.lowerBound])
    }
  }
}

extension UndoChanges: Sequence {
  struct Iterator: IteratorProtocol {
    private let runs: [Run]
    private var run = 0
    private var place = 0

    fileprivate init(_ changes: UndoChanges) { runs = changes.runs }

    mutating func next() -> UndoStep.Change? {
      while run < runs.count {
        if place < runs[run].count {
          defer { place += 1 }
          return runs[run].change(at: place)
        }
        run += 1
        place = 0
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }
}
