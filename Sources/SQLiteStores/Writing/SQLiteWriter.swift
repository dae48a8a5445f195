import Foundation
import OpenSwiftData
import SQL

/// Writes records, in the transaction of a save: the touched records are read and compared, then written.
struct SQLiteWriter: SQLitePart {
  let reader: SQLiteReader
  let keys: NewKeys
  /// True if the library tells which rows change.
  var canWatchRows = SQLiteConnection.canWatch
  /// The number of rows that a save keeps of those that the database changes by itself.
  var watchLimit = SQLiteRowWatch.limit

  init(_ reader: SQLiteReader, _ keys: NewKeys) { (self.reader, self.keys) = (reader, keys) }

  /// The stored records that changes concern, with all values.
  func stored(_ changes: ChangeSet) throws -> [PersistentIdentifier: DefaultSnapshot] {
    // A new key of our own cannot exist yet; others might.
    var meter = WorkMeter()
    let inserted = try changes.inserted.indices.compactMap { place -> PersistentIdentifier? in
      try meter.count()
      let identifier = changes.inserted[place].persistentIdentifier
      guard let first = keys.given.first, let key = identifier.recordKey else { return identifier }
      return key < first ? identifier : nil
    }
    return try reader.snapshots(
      for: inserted + changes.updated.map(\.persistentIdentifier)
        + changes.deleted.map(\.persistentIdentifier),
      attributes: nil
    )
  }

  /// Refuses to change records whose keys may be on other records now.
  func checkKeys(
    _ changes: ChangeSet,
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws {
    var doubts = try reader.doubts(about: changes.updated.lazy.map(\.before), stored)
      .merging(reader.doubts(about: changes.deleted, stored)) { first, _ in first }
    if doubts.isEmpty { return }
    doubts.removeDone(changes.updated.lazy.map(\.after), in: stored)
    guard let (record, doubt) = doubts.min(by: { $0.key < $1.key }) else { return }
    throw PersistenceError(
      .conflict,
      "\(path): \(record.entityName) record \(record): \(doubt.reason); nothing was saved"
    )
  }

  /// Told what the next statement does to which record, or to which as the first of several.
  typealias WillRun = (CommitPlan.Action, PersistentIdentifier) -> Void

  /// Runs the statements of changes; each must change the rows of its records.
  func write(
    _ changes: ChangeSet,
    new: Set<PersistentIdentifier> = [],
    willRun: @escaping WillRun = { _, _ in }
  ) throws {
    let tables = try tablesToWrite()
    let plan = CommitPlan(
      changes,
      tables,
      new: new,
      numbering: { try keys.numbered($0, $1, connection) }
    )
    // With several records in a statement it would be unknown which of them a trigger refuses, or runs for.
    let isGuarded = tables.values.contains(where: \.isGuarded)
    var waiting = WaitingSteps<SQLiteFailure>()
    try plan.forEachStep(
      inserting: isGuarded ? nil : { try insert($0, changes, willRun) },
      updating: { try update($0, changes, willRun) }
    ) { step in
      willRun(step.action, step.identifier)
      if let failure = try attempt(step, changes) { waiting.add(step, failure) }
    }
    try runWaiting(&waiting, plan, changes, willRun: willRun)
    try checkConstraints(changes)
  }

  /// The tables, of which those with triggers or conflict clauses of another program are marked.
  func tablesToWrite() throws -> [String: TableDescription] {
    let isOwn = ordered.first?.key == .own
    let rows = try connection.rows(
      "SELECT tbl_name FROM main.sqlite_schema WHERE type = 'trigger'\(isOwn ? "" : " OR sql LIKE '%conflict%'")"
    )
    if rows.isEmpty { return tables }
    let names = Set(rows.compactMap { $0[0].asText.map(ExactName.init(folding:)) })
    return tables.mapValues { table in
      var table = table
      table.isGuarded = names.contains(ExactName(folding: table.name))
      return table
    }
  }

  /// Adds records to a table of our own, if possible many with each statement.
  func insert(
    _ insertion: CommitPlan.Insertion,
    _ changes: ChangeSet,
    _ willRun: WillRun = { _, _ in }
  ) throws {
    let hasIndex = reader.constraints[insertion.table.entity.name] != nil
    let size = hasIndex ? 1 : insertion.batchSize
    let rest = try insert(insertion.records, insertion, by: size, willRun) { failure, _ in
      // The statement was undone. One for each record finds the one that the database refuses.
      if failure.primaryCode != 19 || !connection.isInTransaction { throw failure }
    }
    _ = try insert(rest, insertion, by: 1, willRun) { failure, records in
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
    _ willRun: WillRun,
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
        willRun(.insert, next[next.startIndex].persistentIdentifier)
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

  /// Updates records by one statement that is run for each of them.
  private func update(_ alike: CommitPlan.Updates, _ changes: ChangeSet, _ willRun: WillRun) throws
  {
    var meter = WorkMeter()
    try connection.repeating(alike.statement) { run in
      for update in alike.updates {
        try meter.count()
        for (place, value) in try alike.values(of: update).enumerated() {
          try run.bind(value, Int32(place + 1))
        }
        willRun(.update, update.persistentIdentifier)
        do {
          let count = try run.step()
          if count != 1 { try checkCount(count, alike.step(update)) }
        } catch let failure as SQLiteFailure {
          throw try explained(failure, alike.step(update), changes)
        }
      }
    }
  }

  /// Checks how many rows a statement has changed.
  func checkCount(_ count: Int, _ step: CommitPlan.Step) throws {
    if count == step.count { return }
    if count == 0, step.count == 1, step.action == .delete, try reader.isGone(step.identifier) {
      return
    }
    throw step.error(ofCount: count, keys.known(step.identifier), perhaps: "by a trigger")
  }

  /// Reads what triggers and defaults made of the records, before the transaction ends.
  ///
  /// - Returns: The records that differ from what was saved, and those that new ones have replaced.
  func readBack(_ saved: inout ChangeSet, new: Set<PersistentIdentifier>) throws
    -> [DefaultSnapshot]
  {
    let identifiers =
      saved.inserted.map(\.persistentIdentifier) + saved.updated.map(\.persistentIdentifier)
    let found = try reader.snapshots(for: identifiers, attributes: nil)
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

extension SQLiteWriter {
  /// The error of a record that is not where it was written, with what its user can do.
  private func movedError(_ identifier: PersistentIdentifier) throws -> PersistenceError {
    let table = try table(identifier.entityName)
    let rows = try connection.rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = \(.text(table.name)) COLLATE NOCASE ORDER BY name"
    )
    let names = rows.compactMap { $0[0].asText.map { Value.quoted($0) } }
    let cause =
      names.isEmpty
      ? ""
      : " by \(names.count == 1 ? "the trigger" : "one of the triggers") "
        + names.joined(separator: ", ")
    return PersistenceError(
      .storeViolation,
      "\(identifier.entityName) \(keys.known(identifier)): the database removed the record or changed its key\(cause), so "
        + "the program cannot follow it; nothing was saved; run \"changes sql\" for the statements, and give them to sqlite3"
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

extension SQLiteWriter {
  /// Checks the constraints that models declare for several fields, after records were written.
  private func checkConstraints(_ changes: ChangeSet) throws {
    guard !reader.constraints.isEmpty else { return }
    for record in changes.inserted + changes.updated.map(\.after) {
      let name = record.persistentIdentifier.entityName
      for names in reader.constraints[name] ?? [] {
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
    let conditions: [SQLText] = try slots.map { slot in
      "\(table.columns[slot].name.quotedName) = \(try table.stored(record, slot))"
    }
    guard let parts = table.key.parts(of: record.persistentIdentifier) else { return }
    let sql: SQLText =
      "SELECT \(table.selection([])) FROM \(table.source) WHERE "
      + .joined(conditions, by: " AND ") + " AND NOT (" + table.condition(forKey: parts)
      + ") LIMIT 1"
    guard let other = try connection.rows(sql).first,
      let identifier = table.key.identifier(other, in: table.scope)
    else { return }
    throw PersistenceError(
      .notUnique,
      names.map { "\(table.entity.name).\($0)" }.joined(separator: " and ")
        + ": must be unique\(names.count > 1 ? " in combination" : ""); records \(keys.known(identifier)) "
        + "and \(keys.known(record.persistentIdentifier)) would both have "
        + values.map { Value.quoted($0.text) }.joined(separator: ", ")
    )
  }

  /// The error of a statement in the terms of the record that it was for.
  func explained(_ failure: SQLiteFailure, _ step: CommitPlan.Step, _ changes: ChangeSet)
    throws -> any Error
  {
    guard failure.isOfConstraint else { return failure }
    let name = step.identifier.entityName
    let records = (changes.inserted + changes.updated.map(\.after)).filter {
      $0.persistentIdentifier == step.identifier
    }
    let fields = schema.entitiesByName[name]?.fields.filter(\.isUnique).map { [$0.name] } ?? []
    for record in records {
      for names in fields + (reader.constraints[name] ?? []) { try checkIsAlone(record, names) }
    }
    return PersistenceError(
      failure.error(path).code,
      "\(name) \(keys.known(step.identifier)): the database refused the record: \(failure.description); nothing was saved",
      cause: failure
    )
  }
}
