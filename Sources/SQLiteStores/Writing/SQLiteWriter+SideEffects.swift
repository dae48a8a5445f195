import OpenSwiftData
import SQL

/// Finding out what the database changes by itself in a save.
///
/// The rows are known only while they change, when nothing can be read. So a save that turns out to change further rows
/// is undone within its transaction, these rows are read, and it is written again.
extension SQLiteWriter {
  /// Writes changes.
  ///
  /// - Parameters:
  ///   - changes: The changes; new records get the numbers that the database gives them.
  ///   - new: The identifiers of the new records.
  ///   - mayChangeOthers: True if the database may change more than the records of a save.
  /// - Returns: What the database changed beyond them.
  /// - Throws: `PersistenceError`, `SQLiteFailure`.
  func write(
    _ changes: inout ChangeSet,
    new: inout Set<PersistentIdentifier>,
    watchingIf mayChangeOthers: Bool
  ) throws -> SideEffects {
    guard mayChangeOthers else {
      try write(changes, new: new)
      return SideEffects()
    }
    try connection.run("SAVEPOINT catalog_save")
    let first = try write(changes, new: new, watch())
    let isRenumbered = keys.takeFoundNumbers(&changes, &new)
    let own = Set(
      changes.inserted.map(\.persistentIdentifier) + changes.updated.map(\.persistentIdentifier)
        + changes.deleted.map(\.persistentIdentifier)
    )
    let deleted = Set(changes.deleted.map(\.persistentIdentifier))
    guard isRenumbered || first?.hasFound(beyond: own, deleted: deleted) ?? false else {
      try connection.run("RELEASE catalog_save")
      var effects = SideEffects()
      effects.causes = first?.causes ?? [:]
      effects.isIncomplete = first == nil
      return effects
    }
    try connection.run("ROLLBACK TO catalog_save")
    let before = try records(of: first)
    let second = try write(changes, new: new, watch())
    try keys.checkNumbersAreFound()
    try connection.run("RELEASE catalog_save")
    return try effects(second, before, records(of: second), own, changes)
  }

  /// Receives the rows that change; nil if the library does not tell.
  private func watch() -> SQLiteRowWatch? {
    canWatchRows ? SQLiteRowWatch(ordered, limit: watchLimit) : nil
  }

  private func write(
    _ changes: ChangeSet,
    new: Set<PersistentIdentifier>,
    _ watch: SQLiteRowWatch?
  ) throws -> SQLiteRowWatch? {
    guard let watch else {
      try write(changes, new: new)
      return nil
    }
    try connection.watching(watch) { try write(changes, new: new, willRun: watch.begin) }
    return watch
  }

  /// The records in rows that changed.
  private func records(of watch: SQLiteRowWatch?) throws -> [SQLiteRowWatch.Row: DefaultSnapshot] {
    guard let watch else { return [:] }
    var found: [SQLiteRowWatch.Row: DefaultSnapshot] = [:]
    let tables = Dictionary(ordered.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    for row in watch.rows.keys {
      guard let table = tables[row.table] else { continue }
      let condition: SQLText =
        table.rowNumber.map { "\($0) = \(row.key)" } ?? table.condition(forKey: row.key)
      let slots = Array(table.columns.indices)
      try reader.forEachSnapshot(
        table.select(slots, where: condition),
        table,
        slots,
        table.entity.layout
      ) { found[row] = $0 }
    }
    return found
  }

  /// What became of the rows.
  private func effects(
    _ watch: SQLiteRowWatch?,
    _ before: [SQLiteRowWatch.Row: DefaultSnapshot],
    _ after: [SQLiteRowWatch.Row: DefaultSnapshot],
    _ own: Set<PersistentIdentifier>,
    _ saved: ChangeSet
  ) throws -> SideEffects {
    var effects = SideEffects()
    guard let watch else {
      effects.isIncomplete = true
      return effects
    }
    (effects.excess, effects.withoutKey) = (watch.excess, watch.withoutKey)
    effects.limit = watchLimit
    effects.isIncomplete = !watch.excess.isEmpty || !watch.withoutKey.isEmpty
    var replaced: Set<PersistentIdentifier> = []
    let deleted = Set(saved.deleted.map(\.persistentIdentifier))
    func note(_ identifier: PersistentIdentifier, _ change: SQLiteRowWatch.Change) {
      effects.causes[identifier] = change.cause
      if change.isReplaced { replaced.insert(identifier) }
    }
    for (row, change) in watch.rows {
      let (old, new) = (before[row], after[row])
      // A row that existed before, but was not among those of the first time, as with triggers that draw lots.
      guard old != nil || change.isNew else {
        effects.isIncomplete = true
        continue
      }
      if let old, let new, old.persistentIdentifier == new.persistentIdentifier {
        if deleted.contains(new.persistentIdentifier) { effects.changes.inserted.append(new) }
        if own.contains(new.persistentIdentifier) {
          effects.causes[new.persistentIdentifier] = change.cause
          continue
        }
        if old == new { continue }
        effects.changes.updated.append(RecordUpdate(before: old, after: new))
        note(new.persistentIdentifier, change)
        continue
      }
      if let old, !own.contains(old.persistentIdentifier) {
        effects.changes.deleted.append(old)
        note(old.persistentIdentifier, change)
      }
      if let new, !own.contains(new.persistentIdentifier) {
        effects.changes.inserted.append(new)
        note(new.persistentIdentifier, change)
      }
    }
    effects.changes.sort()
    effects.countChanges()
    let actions = ReferenceActions(tables, saved, effects.changes)
    effects.triggered = Set(effects.causes.keys).subtracting(replaced).subtracting(own)
      .subtracting(actions.records(among: effects.changes))
      .union(effects.changes.inserted.map(\.persistentIdentifier).filter(deleted.contains))
    return effects
  }
}

extension ChangeSet {
  /// Puts the changes in the order of the records.
  fileprivate mutating func sort() {
    inserted.sort { $0.persistentIdentifier < $1.persistentIdentifier }
    updated.sort { $0.persistentIdentifier < $1.persistentIdentifier }
    deleted.sort { $0.persistentIdentifier < $1.persistentIdentifier }
  }
}

extension SideEffects {
  /// Counts all changed rows.
  fileprivate mutating func countChanges() {
    for (name, rows) in Array(excess) + Array(withoutKey) {
      counts[name, default: Counts()].inserted += rows.inserted
      counts[name, default: Counts()].updated += rows.updated
      counts[name, default: Counts()].deleted += rows.deleted
    }
    for snapshot in changes.inserted {
      counts[snapshot.persistentIdentifier.entityName, default: Counts()].inserted += 1
    }
    for update in changes.updated {
      counts[update.persistentIdentifier.entityName, default: Counts()].updated += 1
    }
    for snapshot in changes.deleted {
      counts[snapshot.persistentIdentifier.entityName, default: Counts()].deleted += 1
    }
  }
}
