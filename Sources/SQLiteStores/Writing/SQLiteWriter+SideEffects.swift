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

  /// Adds what the database changed in the records of a save.
  ///
  /// - Parameters:
  ///   - written: The changes as they were written.
  ///   - saved: The same with the values that the records have now.
  ///   - effects: What the database changed in other records, and the causes of all changes.
  /// - Throws: `SQLiteFailure`.
  func addFurtherUpdates(
    _ written: ChangeSet,
    _ saved: ChangeSet,
    to effects: inout SideEffects
  ) throws {
    for (before, after) in zip(written.inserted, saved.inserted) where before != after {
      effects.rewritten.append(RecordUpdate(before: before, after: after))
      // What the database makes for a value that was left out replaces nothing.
      effects.noteOverwritten(before, after) { !before.orderedValues[$0].isNull }
    }
    let changed = zip(written.updated, saved.updated).filter { $0.after != $1.after }
    if changed.isEmpty { return }
    let actions = ReferenceActions(tables, written, effects.changes)
    for (update, now) in changed {
      // Without what became of the values that were written, such as text in capital letters, and of those that are
      // computed from them.
      var further = RecordUpdate(before: update.before, after: now.after)
      let columns = tables[update.persistentIdentifier.entityName]?.columns ?? []
      let generated = columns.indices.filter { columns[$0].isGenerated }
      for slot in update.changedSlots + generated {
        further.before.orderedValues[slot] = now.after.orderedValues[slot]
      }
      let identifier = update.persistentIdentifier
      let isTriggered = effects.causes[identifier] == nil || !actions.isUpdated(further)
      var rewritten = RecordUpdate(before: update.after, after: now.after)
      for slot in further.changedSlots where !isTriggered {
        rewritten.after.orderedValues[slot] = rewritten.before.orderedValues[slot]
      }
      if !rewritten.changedSlots.isEmpty { effects.rewritten.append(rewritten) }
      let written = Set(update.changedSlots)
      effects.noteOverwritten(update.after, now.after, where: written.contains)
      guard !further.changedSlots.isEmpty else { continue }
      effects.furtherUpdates.append(further)
      if isTriggered { effects.triggered.insert(identifier) }
    }
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
  /// Notes values that a save wrote and that the database replaced.
  fileprivate mutating func noteOverwritten(
    _ written: DefaultSnapshot,
    _ stored: DefaultSnapshot,
    where isWritten: (Int) -> Bool
  ) {
    var change = RecordUpdate(before: written, after: stored)
    for slot in change.changedSlots where !isWritten(slot) {
      change.after.orderedValues[slot] = written.orderedValues[slot]
    }
    if !change.changedSlots.isEmpty { overwritten.append(change) }
  }

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

/// The actions of foreign keys, to tell what they changed from what triggers did.
private struct ReferenceActions {
  private let tables: [String: TableDescription]
  private let deleted: Set<ExactName>
  private let updated: Set<ExactName>

  init(_ tables: [String: TableDescription], _ saved: ChangeSet, _ effects: ChangeSet) {
    func names(_ identifiers: [PersistentIdentifier]) -> Set<ExactName> {
      Set(
        Set(identifiers.map(\.entityName)).compactMap { tables[$0]?.name }
          .map { ExactName(folding: $0) }
      )
    }
    self.tables = tables
    deleted = names((saved.deleted + effects.deleted).map(\.persistentIdentifier))
    updated = names(
      (saved.updated + effects.updated).map(\.persistentIdentifier)
        + effects.deleted.map(\.persistentIdentifier)
    )
  }

  /// The records that foreign keys can have changed.
  func records(among effects: ChangeSet) -> [PersistentIdentifier] {
    let renamed = effects.inserted.filter { isRenamed($0) }
    return effects.deleted.filter { isDeleted($0) || isRenamed($0) }.map(\.persistentIdentifier)
      + effects.updated.filter(isUpdated).map(\.persistentIdentifier)
      + renamed.map(\.persistentIdentifier)
  }

  private func isDeleted(_ record: DefaultSnapshot) -> Bool {
    let table = tables[record.persistentIdentifier.entityName]
    return table?.foreignKeys.contains { $0.onDelete == "CASCADE" && $0.refers(to: deleted) }
      ?? false
  }

  /// True if a part of the key can follow that of another record.
  private func isRenamed(_ record: DefaultSnapshot) -> Bool {
    guard let table = tables[record.persistentIdentifier.entityName] else { return false }
    let key = table.columns.filter { $0.keyPart != nil }.map { ExactName(folding: $0.name) }
    return table.foreignKeys.contains {
      $0.onUpdate == "CASCADE" && $0.refers(to: updated) && !$0.names.isDisjoint(with: key)
    }
  }

  func isUpdated(_ update: RecordUpdate) -> Bool {
    guard let table = tables[update.persistentIdentifier.entityName] else { return false }
    let followed = table.foreignKeys.filter { key in
      let isSet = ["SET NULL", "SET DEFAULT"].contains(key.onDelete)
      let isMoved = ["CASCADE", "SET NULL", "SET DEFAULT"].contains(key.onUpdate)
      return isSet && key.refers(to: deleted) || isMoved && key.refers(to: updated)
    }
    let columns = followed.reduce(into: Set<ExactName>()) { $0.formUnion($1.names) }
    return update.changedSlots.allSatisfy {
      columns.contains(ExactName(folding: table.columns[$0].name))
    }
  }
}

extension ForeignKey {
  fileprivate var names: Set<ExactName> { Set(columns.map { ExactName(folding: $0) }) }

  fileprivate func refers(to tables: Set<ExactName>) -> Bool {
    tables.contains(ExactName(folding: parent))
  }
}
