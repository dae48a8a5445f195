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
    /// True if any record was changed.
    package var changesRecords: Bool { inserted + updated + deleted > 0 }
  }

  /// Restores the values that all records had before the transactions, as unsaved changes.
  ///
  /// Deleted records are restored with their identifiers, new ones are deleted. The schema stays as it is.
  ///
  /// A field whose type has changed since then keeps its type: values that have not changed stay, and former ones are
  /// converted.
  ///
  /// - Parameters:
  ///   - transactions: The transactions to undo, oldest first; no other ones follow them.
  ///   - conversion: How a former value becomes one of the type of its field.
  /// - Returns: The numbers of changed records.
  /// - Throws: `PersistenceError` with code `.historyExpired` when the history does not know all changes of a
  ///   transaction, with code `.unknownRecord` when earlier values of a record are not known, with code
  ///   `.unsupported` when a field cannot hold its earlier value any longer, the
  ///   error of a store that cannot be read, or `Interruption.Stopped`. Some records may have changed then.
  /// - Precondition: There are no unsaved changes of records.
  /// - Complexity: O(n) in the number of changes of the transactions.
  package func revertAll(
    undoing transactions: [Transaction],
    converting conversion: ValueConversion = .exact
  ) throws -> RevertedRecords {
    try Self.requireKnown(transactions)
    var result = RevertedRecords()
    var former = try formerRecords(before: transactions, conversion, &result)
    var lost = try valuesWithoutField(before: transactions)
    let misfits = former.flatMap { self.misfits(of: $0, countsTexts: true) }
    if try widenTypes(toHold: misfits + lost, after: transactions) {
      former = try formerRecords(before: transactions, conversion, &result)
      lost = try valuesWithoutField(before: transactions)
    }
    try requireFound(former)
    if let misfit = former.lazy.flatMap({ self.misfits(of: $0) }).first ?? lost.first {
      throw misfit.error("cannot revert", then: "revert again")
    }
    if let first = transactions.first { stores.goBack(before: first.token) }
    var gone: [PersistentIdentifier] = []
    var restored: [FormerRecord] = []
    var linked: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for record in former {
      try meter.count(record.entity.fields.count)
      if record.wanted == nil, record.present != nil { gone.append(record.identifier) }
      if record.wanted != nil, record.present == nil { restored.append(record) }
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

  /// Checks that it is certain what became of each record that a transaction has changed.
  private func requireFound(_ former: [FormerRecord]) throws {
    let missing = former.filter { $0.present == nil && $0.wanted == nil }.map(\.identifier)
    let doubts = stores.doubts(about: missing)
    try requireSame(former.map(\.identifier), doubts)
  }

  /// Checks that records are the ones that the history knows.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord`.
  func requireSame(
    _ identifiers: [PersistentIdentifier],
    _ known: [PersistentIdentifier: RecordDoubt] = [:]
  ) throws {
    let doubts = try known.merging(stores.doubts(aboutSaved: identifiers)) { first, _ in first }
    guard let (record, doubt) = doubts.min(by: { $0.key < $1.key }) else { return }
    throw PersistenceError(
      .unknownRecord,
      "cannot revert: \(record.entityName) record \(record): \(doubt.reason)"
    )
  }

  /// Checks that the history lists all changes of the transactions: a state before others is not known.
  static func requireKnown(_ transactions: [Transaction]) throws {
    try requireSameReading(transactions)
    guard let unknown = transactions.last(where: \.isIncomplete) else { return }
    throw PersistenceError(
      .historyExpired,
      "cannot revert: the history does not have the changes of transaction \(unknown.token), "
        + (unknown.isExternal ? "made by another program" : "which were not kept")
        + "; revert to \(unknown.token) or later"
    )
  }

  /// The records that the transactions have changed, with their values before, in the order of their first changes.
  private func formerRecords(
    before transactions: [Transaction],
    _ conversion: ValueConversion,
    _ result: inout RevertedRecords
  ) throws -> [FormerRecord] {
    var seen: Set<PersistentIdentifier> = []
    var records: [FormerRecord] = []
    let named = transactions.flatMap(\.changedIdentifiers)
    let stored = try fetching.storedSnapshots(
      inBatches: named.filter { schema.entitiesByName[$0.entityName] != nil }
    )
    var skipped: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for identifier in named where seen.insert(identifier).inserted {
      guard let entity = schema.entitiesByName[identifier.entityName] else {
        skipped.insert(identifier)
        continue
      }
      try meter.count()
      let present = stored[identifier].map { entity.arranged($0).orderedValues }
      records.append(FormerRecord(identifier, of: entity, present: present))
    }
    result.skipped = skipped.count
    var known = try FormerRecords(records, before: transactions, in: schema, conversion)
    try known.takeReturnedValues {
      let first = transactions.first?.token ?? 0
      return try self.transactions().filter { $0.token < first }
    }
    try known.convert(by: conversion)
    return known.records
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

extension Transaction {
  /// The records that the transaction has changed.
  fileprivate var changedIdentifiers: [PersistentIdentifier] {
    changes.inserted.map(\.persistentIdentifier) + changes.updated.map(\.persistentIdentifier)
      + changes.deleted.map(\.persistentIdentifier) + formerValues.map(\.persistentIdentifier)
  }
}
