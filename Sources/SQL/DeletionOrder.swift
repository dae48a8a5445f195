import OpenSwiftData

/// Which deletions of a save come before its updates.
///
/// A record that moves away from a deleted one must be written before that is deleted: a foreign key with
/// `ON DELETE CASCADE` would delete both. But a record that takes a unique value of a deleted one has to wait for the
/// deletion, and so has a record whose key deleted ones refer to: `ON UPDATE CASCADE` would change theirs.
///
/// Foreign keys are checked at the end of the transaction, so that new records can come last.
struct DeletionOrder {
  private let tables: [String: TableDescription]
  /// True if all deletions come first, because nothing follows from a deletion.
  let isPlain: Bool
  private var early: Set<PersistentIdentifier> = []
  private var waiting: Set<PersistentIdentifier> = []

  init(_ changes: ChangeSet, _ tables: [String: TableDescription]) {
    self.tables = tables
    let isOwn = changes.deleted.allSatisfy {
      tables[$0.persistentIdentifier.entityName]?.key == .own
    }
    isPlain = isOwn || changes.updated.isEmpty
    if !isPlain { findWaiting(changes) }
  }

  /// True if no update waits for a deletion, so that all updates can come first.
  var isEmpty: Bool { !isPlain && early.isEmpty && waiting.isEmpty }

  /// True for a deletion that comes before the updates that wait for it.
  func comesEarly(_ snapshot: DefaultSnapshot) -> Bool {
    isPlain || early.contains(snapshot.persistentIdentifier)
  }

  /// True for an update that takes a unique value of a deleted record.
  func isWaiting(_ update: RecordUpdate) -> Bool {
    isPlain || waiting.contains(update.persistentIdentifier)
  }

  /// The changed values that are written before all deletions: of an update that waits, those that refer to records.
  func slotsBeforeDeletions(of update: RecordUpdate) -> [Int] {
    if isPlain { return [] }
    guard isWaiting(update), let table = tables[update.persistentIdentifier.entityName] else {
      return update.changedSlots
    }
    let unique = table.uniqueIndexes.reduce(into: Set<Int>()) { $0.formUnion($1.slots) }
    return update.changedSlots.filter { table.referringSlots.contains($0) && !unique.contains($0) }
  }

  private mutating func findWaiting(_ changes: ChangeSet) {
    findReferring(changes)
    var held: [UniqueKey: [PersistentIdentifier]] = [:]
    let updated = Set(changes.updated.map(\.persistentIdentifier.entityName))
    for snapshot in changes.deleted where updated.contains(snapshot.persistentIdentifier.entityName)
    {
      for values in uniqueKeys(of: snapshot, changed: nil) {
        held[values, default: []].append(snapshot.persistentIdentifier)
      }
    }
    guard !held.isEmpty else { return }
    for update in changes.updated {
      for values in uniqueKeys(of: update.after, changed: Set(update.changedSlots)) {
        guard let holders = held[values] else { continue }
        early.formUnion(holders)
        waiting.insert(update.persistentIdentifier)
      }
    }
  }

  /// Finds deleted records that may refer to values which updates change: such values are unique.
  private mutating func findReferring(_ changes: ChangeSet) {
    let names = Set(changes.deleted.map(\.persistentIdentifier.entityName))
    let parents = names.reduce(into: Set<ExactName>()) { $0.formUnion(tables[$1]?.parents ?? []) }
    guard !parents.isEmpty else { return }
    var changed: Set<ExactName> = []
    for update in changes.updated {
      guard let table = tables[update.persistentIdentifier.entityName] else { continue }
      let name = ExactName(folding: table.name)
      let unique = table.uniqueIndexes.reduce(into: Set<Int>()) { $0.formUnion($1.slots) }
      guard parents.contains(name), !unique.isDisjoint(with: update.changedSlots) else { continue }
      waiting.insert(update.persistentIdentifier)
      changed.insert(name)
    }
    for snapshot in changes.deleted {
      let parents = tables[snapshot.persistentIdentifier.entityName]?.parents ?? []
      if !parents.isDisjoint(with: changed) { early.insert(snapshot.persistentIdentifier) }
    }
  }

  /// The values of a record in the unique indexes that changed columns may belong to; in all of them for nil.
  private func uniqueKeys(of snapshot: DefaultSnapshot, changed: Set<Int>?) -> [UniqueKey] {
    guard let table = tables[snapshot.persistentIdentifier.entityName] else { return [] }
    return table.uniqueIndexes.enumerated().compactMap { place, index in
      let isChanged = changed.map { !$0.isDisjoint(with: index.slots) } ?? true
      return index.isExact && !isChanged ? nil : UniqueKey(snapshot, table, place, index.slots)
    }
  }
}
