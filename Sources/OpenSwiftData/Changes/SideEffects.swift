/// What a database changed by itself while it saved: by foreign keys, triggers and replaced rows.
package struct SideEffects: Hashable, Sendable {
  /// How many rows of a table changed.
  package struct Counts: Hashable, Sendable {
    /// The numbers of rows.
    package var inserted = 0
    /// The rows with other values.
    package var updated = 0
    /// The rows that are gone.
    package var deleted = 0

    /// Creates counts.
    package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
      (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }

    /// The counts in words for an entity, such as `3 Track deleted`.
    fileprivate func words(_ name: String) -> [String] {
      [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")]
        .filter { $0.0 > 0 }.map { "\($0.0) \(name) \($0.1)" }
    }
  }

  /// The changed records; none of them is changed by the save itself.
  package var changes = ChangeSet()
  /// The records of the save in which the database changed values that it did not write, before and after.
  package var furtherUpdates: [RecordUpdate] = []
  /// The records of the save that have other values than it wrote, as written and as stored; an undo restores the values
  /// before all the same.
  package var rewritten: [RecordUpdate] = []
  /// The records of the save of which it wrote values that the database then replaced, as triggers do, as written and as
  /// stored.
  package var overwritten: [RecordUpdate] = []
  /// By changed record, the record of the save that made the database change it.
  package var causes: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// Records that triggers changed: an undo leaves them to the triggers, which run for it, too.
  package var triggered: Set<PersistentIdentifier> = []
  /// By entity, all changed rows, including those whose records are not known.
  package var counts: [String: Counts] = [:]
  /// By entity, the changed rows whose records are not known because they are too many.
  package var excess: [String: Counts] = [:]
  /// The number of changed records that the store keeps for an undo.
  package var limit = Int.max
  /// By entity, the changed rows whose records are not known because their table has no key.
  package var withoutKey: [String: Counts] = [:]
  /// True if not all changed records are known, so that contexts have to reload theirs.
  package var isIncomplete = false
  /// True if delete rules made the changes instead, for links that another program had saved.
  package var isByRules = false

  /// Creates an empty report.
  package init() {}

  /// True if nothing else was changed.
  package var isEmpty: Bool {
    counts.isEmpty && furtherUpdates.isEmpty && overwritten.isEmpty && !isIncomplete
  }

  /// The changed rows in words, such as `3 Track deleted, stamp of 1 Album`; nil if there are none.
  package var words: String? {
    if isEmpty { return nil }
    let known = [Self.words(counts), Self.words(furtherUpdates)].filter { !$0.isEmpty }
    if known.isEmpty { return isIncomplete ? "the program cannot tell what" : nil }
    return known.joined(separator: ", ")
  }

  /// The values that are stored in another way than they were written, such as `total of 1 Account`; nil if there are
  /// none.
  package var overwrittenWords: String? {
    overwritten.isEmpty ? nil : Self.words(overwritten)
  }

  /// A warning if there are more rows than an undo can restore; nil if there are not.
  package var limitRemark: String? {
    let count = counts.values.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted }
    return count > limit ? "undo restores at most \(limit) of the \(count) rows" : nil
  }

  private static func words(_ counts: [String: Counts]) -> String {
    counts.sorted { $0.key < $1.key }.flatMap { $1.words($0) }.joined(separator: ", ")
  }

  private static func words(_ updates: [RecordUpdate]) -> String {
    fields(of: updates).sorted { $0.key < $1.key }.map { name, changed in
      "\(changed.fields.sorted().joined(separator: ", ")) of \(changed.count) \(name)"
    }.joined(separator: ", ")
  }

  /// By entity, the fields that updates change, and the number of records.
  private static func fields(of updates: [RecordUpdate])
    -> [String: (fields: Set<String>, count: Int)]
  {
    updates.reduce(into: [:]) { found, update in
      let names = update.changedSlots.map { update.after.layout.names[$0] }
      found[update.persistentIdentifier.entityName, default: ([], 0)].fields.formUnion(names)
      found[update.persistentIdentifier.entityName, default: ([], 0)].count += 1
    }
  }

  /// By entity in order, the fields that the database changed in records of the save, and the number of records.
  package var furtherFields: [(entity: String, fields: [String], count: Int)] {
    Self.fields(of: furtherUpdates + overwritten).sorted { $0.key < $1.key }.map {
      ($0.key, $0.value.fields.sorted(), $0.value.count)
    }
  }

  /// The updates of further records by triggers.
  var triggeredUpdates: [RecordUpdate] {
    changes.updated.filter { triggered.contains($0.persistentIdentifier) }
  }

  /// The changes that an undo of their causes restores.
  var restorable: ChangeSet {
    ChangeSet(
      inserted: changes.inserted.filter { !triggered.contains($0.persistentIdentifier) },
      updated: (changes.updated + furtherUpdates).filter {
        !triggered.contains($0.persistentIdentifier)
      },
      deleted: changes.deleted.filter { !triggered.contains($0.persistentIdentifier) }
    )
  }

  /// The rows that an undo does not restore, in words; nil if there are none.
  var remark: String? {
    var byTriggers: [String: Counts] = [:]
    func name(_ identifier: PersistentIdentifier) -> String? {
      triggered.contains(identifier) ? identifier.entityName : nil
    }
    for case let name? in changes.inserted.map({ name($0.persistentIdentifier) }) {
      byTriggers[name, default: Counts()].inserted += 1
    }
    for case let name? in changes.updated.map({ name($0.persistentIdentifier) }) {
      byTriggers[name, default: Counts()].updated += 1
    }
    for case let name? in changes.deleted.map({ name($0.persistentIdentifier) }) {
      byTriggers[name, default: Counts()].deleted += 1
    }
    let further = furtherUpdates.filter { triggered.contains($0.persistentIdentifier) }
    let causes = [
      ("what triggers changed", [Self.words(byTriggers), Self.words(further)]),
      ("rows above the limit of \(limit)", [Self.words(excess)]),
      ("rows without a key", [Self.words(withoutKey)]),
    ]
    let words = causes.compactMap { cause, rows -> String? in
      let rows = rows.filter { !$0.isEmpty }
      return rows.isEmpty ? nil : "\(cause) (\(rows.joined(separator: ", ")))"
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The part that concerns some entities, with other snapshots of the same records.
  func mapped(_ names: Set<String>, _ view: (DefaultSnapshot) -> DefaultSnapshot) -> SideEffects {
    var result = self
    let known = changes.restricted(to: names)
    func mapped(_ updates: [RecordUpdate]) -> [RecordUpdate] {
      updates.filter { names.contains($0.persistentIdentifier.entityName) }
        .map { RecordUpdate(before: view($0.before), after: view($0.after)) }
    }
    result.furtherUpdates = mapped(furtherUpdates)
    result.rewritten = mapped(rewritten)
    result.overwritten = mapped(overwritten)
    result.changes = ChangeSet(
      inserted: known.inserted.map(view),
      updated: known.updated.map { RecordUpdate(before: view($0.before), after: view($0.after)) },
      deleted: known.deleted.map(view)
    )
    return result
  }
}

extension SavedChanges {
  /// The changes that a database made by itself.
  init(_ effects: SideEffects) {
    add(effects)
  }

  /// Adds the changes that a database made by itself.
  mutating func add(_ effects: SideEffects) {
    inserted += effects.changes.inserted.map(\.persistentIdentifier)
    updated += effects.changes.updated
    deleted += effects.changes.deleted.map(\.persistentIdentifier)
    isUnknown = isUnknown || effects.isIncomplete
  }
}
