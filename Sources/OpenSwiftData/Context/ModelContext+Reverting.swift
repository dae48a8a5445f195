/// Restoring all records to an earlier state.
extension ModelContext {
  /// What `revertAll(undoing:)` has changed.
  package struct RevertedRecords: Sendable {
    /// The numbers of records.
    package fileprivate(set) var inserted = 0
    package fileprivate(set) var updated = 0
    package fileprivate(set) var deleted = 0
    /// The links that are left empty, because their destinations do not exist.
    package fileprivate(set) var lostLinks = 0
    /// The number of records that cannot be restored, because their entities were removed.
    package fileprivate(set) var skipped = 0
  }

  /// Restores the values that all records had before the transactions, as unsaved changes.
  ///
  /// Deleted records are restored with their identifiers, new ones are deleted. The schema stays as it is.
  ///
  /// - Parameter transactions: The transactions to undo, oldest first; no other ones follow them.
  /// - Returns: The numbers of changed records.
  /// - Throws: `PersistenceError` with code `.unknownRecord` when earlier values of a record are not known, with code
  ///   `.unsupported` when a field cannot hold its earlier value any longer, the
  ///   error of a store that cannot be read, or `Interruption.Stopped`. Some records may have changed then.
  /// - Precondition: There are no unsaved changes of records.
  /// - Complexity: O(n) in the number of changes of the transactions.
  package func revertAll(undoing transactions: [Transaction]) throws -> RevertedRecords {
    var result = RevertedRecords()
    let former = try formerRecords(before: transactions, &result)
    var gone: [PersistentIdentifier] = []
    var restored: [FormerRecord] = []
    var linked: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for record in former {
      try meter.count(record.entity.fields.count)
      if record.wanted == nil, record.present != nil { gone.append(record.identifier) }
      if record.wanted != nil, record.present == nil { restored.append(record) }
      if let misfit = record.wantedSnapshot.flatMap({ misfit(of: $0, among: record.changedSlots) })
      {
        throw misfit.error("cannot revert")
      }
      for value in record.wanted ?? [] { linked.formUnion(value.linkedIdentifiers) }
    }
    let links = try KnownLinks(
      existing: existing(Array(linked)),
      restored: Set(restored.map(\.identifier)),
      gone: Set(gone)
    )
    let counter = WorkCounter(of: former.count)
    for record in restored {
      try counter.add()
      let values = links.possible(record.fittedValues, &result.lostLinks)
      tracker.insertAgain(record.identifier, values, in: record.entity)
      result.inserted += 1
    }
    var changed: [(record: FormerRecord, values: [Value])] = []
    for record in former {
      try meter.count(record.entity.fields.count)
      guard record.wanted != nil, let present = record.present else { continue }
      let values = links.possible(record.fittedValues, &result.lostLinks)
      if values != present { changed.append((record, values)) }
    }
    let states = try fetching.states(inBatches: changed.map(\.record.identifier))
    for (record, values) in changed {
      try counter.add()
      for (slot, value) in values.enumerated() where !record.entity.fields[slot].isReadOnly {
        states[record.identifier]?.set(value, at: slot)
      }
    }
    result.updated = changed.count
    if !gone.isEmpty { _ = try delete(gone) }
    result.deleted = gone.count
    return result
  }

  /// A record that the transactions have changed.
  private struct FormerRecord {
    let identifier: PersistentIdentifier
    let entity: Schema.Entity
    /// Its values in the store; nil if it does not exist.
    let present: [Value]?
    /// Its values before the transactions; nil if it did not exist.
    var wanted: [Value]?

    var wantedSnapshot: DefaultSnapshot? {
      wanted.map {
        DefaultSnapshot(
          persistentIdentifier: identifier,
          layout: entity.layout,
          orderedValues: $0
        )
      }
    }
    /// The values before the transactions as the fields hold them.
    var fittedValues: [Value] { wantedSnapshot.map { entity.fitted($0) } ?? [] }
    /// The places of the values to restore.
    var changedSlots: [Int] {
      guard let wanted else { return [] }
      return wanted.indices.filter { present?[$0] != wanted[$0] }
    }
  }

  /// The records that the transactions have changed, with their values before, in the order of their first changes.
  private func formerRecords(
    before transactions: [Transaction],
    _ result: inout RevertedRecords
  ) throws -> [FormerRecord] {
    var places: [PersistentIdentifier: Int] = [:]
    var records: [FormerRecord] = []
    let named = transactions.flatMap(\.changes.changedIdentifiers)
    let stored = try fetching.storedSnapshots(
      inBatches: named.filter { schema.entitiesByName[$0.entityName] != nil }
    )
    var skipped: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for identifier in named where places[identifier] == nil {
      guard let entity = schema.entitiesByName[identifier.entityName] else {
        skipped.insert(identifier)
        continue
      }
      try meter.count()
      let present = stored[identifier].map { entity.arranged($0).orderedValues }
      places[identifier] = records.count
      records.append(
        FormerRecord(identifier: identifier, entity: entity, present: present, wanted: present)
      )
    }
    result.skipped = skipped.count
    for transaction in transactions.reversed() {
      try undo(transaction, in: &records, places)
    }
    return records
  }

  private func undo(
    _ transaction: Transaction,
    in records: inout [FormerRecord],
    _ places: [PersistentIdentifier: Int]
  ) throws {
    var meter = WorkMeter()
    for snapshot in transaction.changes.inserted {
      try meter.count()
      if let place = places[snapshot.persistentIdentifier] { records[place].wanted = nil }
    }
    for update in transaction.changes.updated {
      try meter.count(update.before.orderedValues.count)
      guard let place = places[update.persistentIdentifier] else { continue }
      if transaction.isExternal, update.before == update.after {
        throw Self.unknownValues(of: update.persistentIdentifier, before: transaction)
      }
      let entity = records[place].entity
      let before = entity.arranged(update.before)
      for slot in RecordUpdate(before: before, after: entity.arranged(update.after)).changedSlots {
        records[place].wanted?[slot] = before.orderedValues[slot]
      }
    }
    for deleted in transaction.changes.deleted {
      try meter.count()
      guard let place = places[deleted.persistentIdentifier] else { continue }
      let entity = records[place].entity
      guard deleted.hasValues || entity.fields.isEmpty else {
        throw Self.unknownValues(of: deleted.persistentIdentifier, before: transaction)
      }
      records[place].wanted = entity.arranged(deleted).orderedValues
    }
  }
}

/// The records that links can refer to after all records were restored.
private struct KnownLinks {
  let existing: Set<PersistentIdentifier>
  let restored: Set<PersistentIdentifier>
  let gone: Set<PersistentIdentifier>

  private func has(_ identifier: PersistentIdentifier) -> Bool {
    restored.contains(identifier) || (existing.contains(identifier) && !gone.contains(identifier))
  }

  /// The values without links to records that do not exist.
  func possible(_ values: [Value], _ lost: inout Int) -> [Value] {
    var count = 0
    let possible = values.map { value -> Value in
      count += value.linkedIdentifiers.count { !has($0) }
      return switch value {
      case .link(let link): has(link) ? value : .null
      case .links(let links): .links(links.filter(has))
      default: value
      }
    }
    lost += count
    return possible
  }
}

extension ChangeSet {
  /// The records that the change set affects.
  fileprivate var changedIdentifiers: [PersistentIdentifier] {
    inserted.map(\.persistentIdentifier) + updated.map(\.persistentIdentifier)
      + deleted.map(\.persistentIdentifier)
  }
}
