package import OpenSwiftData

extension SideEffects {
  /// Adds what the database changed in the records of a save.
  ///
  /// - Parameters:
  ///   - written: The changes as they were written.
  ///   - saved: The same with the values that the records have now.
  ///   - tables: The tables by entity.
  package mutating func addFurtherUpdates(
    _ written: ChangeSet,
    _ saved: ChangeSet,
    _ tables: [String: TableDescription]
  ) {
    for (before, after) in zip(written.inserted, saved.inserted) where before != after {
      rewritten.append(RecordUpdate(before: before, after: after))
      // What the database makes for a value that was left out replaces nothing.
      noteOverwritten(before, after) { !before.orderedValues[$0].isNull }
    }
    let changed = zip(written.updated, saved.updated).filter { $0.after != $1.after }
    if changed.isEmpty { return }
    let actions = ReferenceActions(tables, written, self.changes)
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
      let isTriggered = causes[identifier] == nil || !actions.isUpdated(further)
      var change = RecordUpdate(before: update.after, after: now.after)
      for slot in further.changedSlots where !isTriggered {
        change.after.orderedValues[slot] = change.before.orderedValues[slot]
      }
      if !change.changedSlots.isEmpty { rewritten.append(change) }
      let written = Set(update.changedSlots)
      noteOverwritten(update.after, now.after, where: written.contains)
      guard !further.changedSlots.isEmpty else { continue }
      furtherUpdates.append(further)
      if isTriggered { triggered.insert(identifier) }
    }
  }

  /// Notes values that a save wrote and that the database replaced.
  private mutating func noteOverwritten(
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
}

/// The actions of foreign keys, to tell what they changed from what triggers did.
package struct ReferenceActions {
  private let tables: [String: TableDescription]
  private let deleted: Set<ExactName>
  private let updated: Set<ExactName>

  /// Finds the tables that a save and what follows from it changed.
  package init(_ tables: [String: TableDescription], _ saved: ChangeSet, _ effects: ChangeSet) {
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
  package func records(among effects: ChangeSet) -> [PersistentIdentifier] {
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

  /// True if foreign keys can have made all of the changes.
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
