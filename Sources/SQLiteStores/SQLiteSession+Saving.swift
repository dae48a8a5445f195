import Foundation
import OpenSwiftData
import SQL

/// Saving: in one transaction, the touched records are read and compared, then written.
extension SQLiteSession {
  /// Saves all changes or none.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - author: Who makes them.
  ///   - message: What they are for.
  ///   - check: Called in the transaction; its error ends the save.
  /// - Returns: The identifiers of new records, and the number of the transaction.
  /// - Throws: `PersistenceError`, `SQLiteFailure`, the error of the check.
  func commit(
    _ changes: ChangeSet,
    author: String?,
    message: String?,
    checking check: (StagedReading) throws -> Void = { _ in }
  ) throws -> CommitResult {
    if changes.isEmpty { return CommitResult(token: nil) }
    let changes = widened(changes)
    var result = CommitResult()
    let id = HistoryEntry.newIdentifier()
    var token: Int64 = 0
    let saved = try saving(as: id) {
      try checkIsCurrent()
      try check(stagedReading())
      if !isOwn { try connection.run("PRAGMA defer_foreign_keys = ON") }
      let (assigned, identifiers) = try assignIdentifiers(changes)
      newIdentifiers = identifiers
      defer { newIdentifiers = IdentifierMap() }
      var new = isOwn ? [] : Set(identifiers.permanent)
      var saved = try checked(assigned, new: new)
      if isOwn { mayChangeOthers = try tablesToWrite().values.contains(where: \.hasTriggers) }
      let readsBack = !isOwn || mayChangeOthers
      let history = readsBack ? nil : EncodedChanges(saved, codec)
      var effects = try writeWatching(&saved, new: &new)
      if !isOwn { try checkReferences(saved) }
      let written = saved
      result = CommitResult(
        newIdentifiers,
        reregistered: readsBack ? try readBack(&saved, new: new) : []
      )
      if readsBack { try addFurtherUpdates(written, saved, to: &effects) }
      result.sideEffects = effects
      if isOwn {
        token = try appendOutsideChange()
        try appendHistory(
          history ?? EncodedChanges(saved.adding(effects.changes), codec),
          HistoryEntry(token: token, id: id, author: author, message: message)
        )
      }
      return saved
    }
    if isRehearsal { return result }
    if isOwn {
      noteSave(token)
    } else {
      let all = saved.adding(result.sideEffects.changes)
      lastToken = history.append(all, author: author, message: message)
    }
    result.token = lastToken
    return result
  }

  /// Checks that no other program has changed the schema since it was read.
  func checkIsCurrent() throws {
    guard isOwn else {
      if try connection.number("PRAGMA schema_version") != schemaVersion {
        throw NewSchemaVersion()
      }
      return
    }
    // No other program has saved since the last look.
    if try connection.number("PRAGMA data_version") == dataVersion { return }
    if try connection.number("SELECT max(token) FROM catalog_schema") != schemaToken {
      throw outdated
    }
    let last = try connection.number("SELECT max(token) FROM catalog_history")
    guard last > lastToken else { return }
    // The next look still has to take in what others have saved since the last one.
    overtakenToken = overtakenToken ?? lastToken
    lastToken = last
  }

  /// Notes that a database of our own was saved.
  func noteSave(_ token: Int64) {
    (lastToken, outsideChange) = (token, nil)
    if overtakenToken != nil { ownTokens.insert(token) }
  }

  /// The error of a save after another program has changed the schema.
  var outdated: PersistenceError {
    PersistenceError(
      .conflict,
      "\(path): another program changed the schema; nothing was saved; save again"
    )
  }

  /// The stored records that changes concern, with all values.
  func stored(_ changes: ChangeSet) throws -> [PersistentIdentifier: DefaultSnapshot] {
    // A new key of our own cannot exist yet; others might.
    var meter = WorkMeter()
    let inserted = try changes.inserted.indices.compactMap { place -> PersistentIdentifier? in
      try meter.count()
      let identifier = changes.inserted[place].persistentIdentifier
      guard isOwn, let firstNewKey, let key = identifier.recordKey else { return identifier }
      return key < firstNewKey ? identifier : nil
    }
    return try snapshots(
      for: inserted + changes.updated.map(\.persistentIdentifier)
        + changes.deleted.map(\.persistentIdentifier),
      attributes: nil
    )
  }

  /// Refuses to change records in tables without a key whose rows have other values: deletions and VACUUM of other
  /// programs may have given their numbers to other rows.
  func checkUnstableKeys(
    _ changes: ChangeSet,
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws {
    for before in changes.updated.map(\.before) + changes.deleted {
      let identifier = before.persistentIdentifier
      guard tables[identifier.entityName]?.isKeyUnstable ?? false, let now = stored[identifier],
        now != before
      else { continue }
      throw PersistenceError(
        .conflict,
        "\(path): row \(identifier) of \(identifier.entityName) has other values, and may be another row, because "
          + "the table has no key; nothing was saved"
      )
    }
  }

  /// Runs the statements of changes; each must change the rows of its records.
  func write(
    _ changes: ChangeSet,
    new: Set<PersistentIdentifier> = [],
    willRun: (CommitPlan.Step) -> Void = { _ in }
  ) throws {
    let tables = try tablesToWrite()
    let plan = CommitPlan(changes, tables, new: new, numbering: numbered)
    // With several records in a statement it would be unknown which of them a trigger refuses, or runs for.
    let hasTriggers = tables.values.contains(where: \.hasTriggers)
    var waiting = WaitingSteps()
    try plan.forEachStep(inserting: hasTriggers ? nil : { try self.insert($0, changes) }) { step in
      willRun(step)
      if let failure = try attempt(step, changes) { waiting.add(step, failure) }
    }
    try runWaiting(&waiting, plan, changes, willRun: willRun)
    try checkConstraints(changes)
  }

  /// The tables, of which those of our own to which another program has added triggers are marked.
  func tablesToWrite() throws -> [String: TableDescription] {
    guard isOwn else { return tables }
    let rows = try connection.rows("SELECT tbl_name FROM main.sqlite_schema WHERE type = 'trigger'")
    if rows.isEmpty { return tables }
    let names = Set(
      rows.compactMap { if case .text(let name) = $0[0] { ExactName(folding: name) } else { nil } }
    )
    return tables.mapValues { table in
      var table = table
      table.hasTriggers = names.contains(ExactName(folding: table.name))
      return table
    }
  }

  /// Adds records to a table of our own, if possible many with each statement.
  func insert(_ insertion: CommitPlan.Insertion, _ changes: ChangeSet) throws {
    let hasIndex = constraints[insertion.table.entity.name] != nil
    let size = hasIndex ? 1 : insertion.batchSize
    let rest = try insert(insertion.records, insertion, by: size) { failure, _ in
      // The statement was undone. One for each record finds the one that the database refuses.
      if failure.primaryCode != 19 || !connection.isInTransaction { throw failure }
    }
    _ = try insert(rest, insertion, by: 1) { failure, records in
      throw try explained(failure, insertion.step(records), changes)
    }
  }

  /// Adds records, as many at a time, until too few are left, the keys do not grow, or the database refuses some.
  ///
  /// - Returns: The records that were not added.
  private func insert(
    _ records: ArraySlice<DefaultSnapshot>,
    _ insertion: CommitPlan.Insertion,
    by count: Int,
    refused: (SQLiteFailure, ArraySlice<DefaultSnapshot>) throws -> Void
  ) throws -> ArraySlice<DefaultSnapshot> {
    var rest = records
    if rest.count < count { return rest }
    var writer = SQLiteRowWriter(insertion.table)
    try connection.repeating(insertion.statement(rows: count)) { run in
      while rest.count >= count {
        try Interruption.check()
        let next = rest.prefix(count)
        // All over the table, several records would change too many pages; see `batchSize`.
        if count > 1, !next.hasGrowingKeys { return }
        do {
          let written = try writer.write(next, run)
          if written != count { try checkCount(written, insertion.step(next)) }
        } catch let failure as SQLiteFailure {
          return try refused(failure, next)
        }
        rest = rest.dropFirst(count)
      }
    }
    return rest
  }

  /// Checks how many rows a statement has changed.
  func checkCount(_ count: Int, _ step: CommitPlan.Step) throws {
    if count == step.count { return }
    if count == 0, step.count == 1, step.action == .delete, try isGone(step.identifier) { return }
    throw PersistenceError(
      .storeViolation,
      "\(step.identifier.entityName) \(known(step.identifier)): the database \(step.action.rawValue) "
        + "\(count) rows instead of \(step.count == 1 ? "one" : String(step.count)), perhaps by a trigger; "
        + "nothing was saved"
    )
  }

  /// True if a record does not exist any more, as after the deletion of one that it belonged to.
  func isGone(_ identifier: PersistentIdentifier) throws -> Bool {
    try snapshots(for: [identifier], attributes: []).isEmpty
  }

  /// Reads what triggers and defaults made of the records, before the transaction ends.
  ///
  /// - Returns: The records that differ from what was saved, and those that new ones have replaced.
  private func readBack(_ saved: inout ChangeSet, new: Set<PersistentIdentifier>) throws
    -> [DefaultSnapshot]
  {
    let identifiers =
      saved.inserted.map(\.persistentIdentifier) + saved.updated.map(\.persistentIdentifier)
    let found = try snapshots(for: identifiers, attributes: nil)
    var changed: [DefaultSnapshot] = []
    func now(_ record: DefaultSnapshot) throws -> DefaultSnapshot {
      guard let stored = found[record.persistentIdentifier] else {
        throw try movedError(record.persistentIdentifier)
      }
      if stored != record { changed.append(stored) }
      return stored
    }
    saved.inserted = try saved.inserted.map(now)
    for place in saved.updated.indices {
      let identifier = saved.updated[place].persistentIdentifier
      saved.updated[place].after = try now(saved.updated[place].after)
      if new.contains(identifier), changed.last?.persistentIdentifier != identifier {
        changed.append(saved.updated[place].after)
      }
    }
    return changed
  }
}

extension SQLiteSession {
  /// The error of a record that is not where it was written, with what its user can do.
  private func movedError(_ identifier: PersistentIdentifier) throws -> PersistenceError {
    let table = try table(identifier.entityName)
    let rows = try connection.rows(
      SQLText(
        "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
        [.text(table.name)]
      )
    )
    let names = rows.compactMap {
      if case .text(let name) = $0[0] { Value.quoted(name) } else { nil }
    }
    let cause =
      names.isEmpty
      ? ""
      : " by \(names.count == 1 ? "the trigger" : "one of the triggers") "
        + names.joined(separator: ", ")
    return PersistenceError(
      .storeViolation,
      "\(identifier.entityName) \(known(identifier)): the database removed the record or changed its key\(cause), so "
        + "the program cannot follow it; nothing was saved; run \"changes sql\" for the statements, and give them to sqlite3"
    )
  }
}

extension ChangeSet {
  /// The changes of both sets, which concern different records.
  fileprivate func adding(_ other: ChangeSet) -> ChangeSet {
    ChangeSet(
      inserted: inserted + other.inserted,
      updated: updated + other.updated,
      deleted: deleted + other.deleted
    )
  }
}

extension ArraySlice<DefaultSnapshot> {
  /// True if each record has a greater key than the one before it, as new records have.
  fileprivate var hasGrowingKeys: Bool {
    var last: RecordKey?
    for place in indices {
      guard let key = self[place].persistentIdentifier.recordKey else { return false }
      if let last, last >= key { return false }
      last = key
    }
    return true
  }
}

// MARK: Unique values

extension SQLiteSession {
  /// Checks the constraints that models declare for several fields, after records were written.
  private func checkConstraints(_ changes: ChangeSet) throws {
    guard !constraints.isEmpty else { return }
    for record in changes.inserted + changes.updated.map(\.after) {
      let name = record.persistentIdentifier.entityName
      for names in constraints[name] ?? [] {
        try checkIsAlone(record, names)
      }
    }
  }

  /// Throws if another record has the same values in these fields.
  private func checkIsAlone(_ record: DefaultSnapshot, _ names: [String]) throws {
    let table = try table(record.persistentIdentifier.entityName)
    let slots = names.compactMap { record.layout.slot(of: $0) }
    let values = slots.map { record.orderedValues[$0] }
    guard slots.count == names.count, !values.contains(where: \.isNull) else { return }
    let conditions = try slots.map { slot in
      SQLText(
        "\(table.columns[slot].name.quotedName) = ?",
        [try table.stored(record, slot)]
      )
    }
    guard let parts = table.key.parts(of: record.persistentIdentifier) else { return }
    let sql =
      SQLText("SELECT \(table.selection([])) FROM \(table.source) WHERE ")
      + .joined(conditions, by: " AND ") + " AND NOT (" + table.condition(forKey: parts)
      + ") LIMIT 1"
    guard let other = try connection.rows(sql).first,
      let identifier = table.key.identifier(other, in: table.scope)
    else { return }
    throw PersistenceError(
      .notUnique,
      names.map { "\(table.entity.name).\($0)" }.joined(separator: " and ")
        + ": must be unique\(names.count > 1 ? " in combination" : ""); records \(known(identifier)) "
        + "and \(known(record.persistentIdentifier)) would both have "
        + values.map { Value.quoted($0.text) }.joined(separator: ", ")
    )
  }

  /// The identifier under which the caller knows a record: the temporary one of a new record.
  ///
  /// - Complexity: O(n) in the number of new records, for messages only.
  func known(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    let place = newIdentifiers.permanent.firstIndex(of: identifier)
    return place.map { newIdentifiers.temporary[$0] } ?? identifier
  }

  /// The error of a statement in the terms of the record that it was for.
  func explained(_ failure: SQLiteFailure, _ step: CommitPlan.Step, _ changes: ChangeSet)
    throws -> any Error
  {
    guard failure.primaryCode == 19 else { return failure }
    let name = step.identifier.entityName
    let records = (changes.inserted + changes.updated.map(\.after)).filter { record in
      step.count == 1
        ? record.persistentIdentifier == step.identifier
        : record.persistentIdentifier.entityName == name
    }
    let fields = schema.entitiesByName[name]?.fields.filter(\.isUnique).map { [$0.name] } ?? []
    for record in records {
      for names in fields + (constraints[name] ?? []) { try checkIsAlone(record, names) }
    }
    let others = step.count == 1 ? "" : " and \(step.count - 1) others"
    return PersistenceError(
      failure.error(path).code,
      "\(name) \(known(step.identifier))\(others): the database refused the record: "
        + "\(failure.description); nothing was saved",
      cause: failure
    )
  }
}
