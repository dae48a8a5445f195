import Foundation
package import OpenSwiftData
import SQL
import Stores

extension SQLiteStore: SaveTracingStore {
  /// Looks for the transaction of the save in the history, or, in a database of another program, for its records.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? {
    try reading { session in
      if session.isUnwritten { return false }
      if let entry = trace.transaction, session.isOwn { return try session.holds(entry) }
      guard let records = trace.records, !session.isOwn else { return nil }
      return try session.holds(records)
    }
  }
}

extension SQLiteSession {
  /// The number of records in a trace; some are enough, because a save is made completely or not at all.
  private static let tracedCount = 64

  /// What shows later that a save was made.
  func trace(of id: UUID, _ saved: ChangeSet) -> SaveTrace {
    if isOwn { return SaveTrace(transaction: .init(id: id, token: lastToken + 1)) }
    let inserted = saved.inserted.prefix(Self.tracedCount).map { $0.traced(before: nil) }
    let updated = saved.updated.prefix(Self.tracedCount).map { $0.after.traced(before: $0.before) }
    return SaveTrace(records: inserted + updated)
  }

  fileprivate func holds(_ entry: SaveTrace.Entry) throws -> Bool? {
    let count = try connection.number(
      SQLText(
        "SELECT count(*) FROM catalog_history WHERE token >= ? AND id = ?",
        [.integer(entry.token), .text(entry.id.uuidString.lowercased())]
      )
    )
    if count > 0 { return true }
    let horizon = try meta("horizon")
    return entry.token <= max(horizon, self.horizon) ? nil : false
  }

  /// Compares the records with what the save was to write: it is made completely or not at all.
  ///
  /// Another program may have changed some of the records since, to the same values or to others, or inserted its own under
  /// the same numbers. If some have the values after the save and some those before it, nothing is known.
  fileprivate func holds(_ records: [SaveTrace.SavedRecord]) throws -> Bool? {
    var (isAsAfter, isAsBefore, isOther) = (false, false, false)
    for record in records {
      guard let table = tables[record.entity] else { continue }
      let identifier = table.key.identifier(parsing: record.key, in: table.scope)
      let found = try snapshots(for: [identifier], attributes: nil)[identifier]
      guard let digest = found?.digestOfValues else { continue }
      if digest == record.after {
        isAsAfter = true
      } else if digest == record.before {
        isAsBefore = true
      } else {
        isOther = true
      }
    }
    if isAsAfter { return isAsBefore ? nil : true }
    // Without any record there are only deletions, which can be repeated.
    return isOther && !isAsBefore ? nil : false
  }
}

extension DefaultSnapshot {
  /// The record in a trace.
  fileprivate func traced(before: DefaultSnapshot?) -> SaveTrace.SavedRecord {
    SaveTrace.SavedRecord(
      entity: persistentIdentifier.entityName,
      key: persistentIdentifier.description,
      before: before?.digestOfValues,
      after: digestOfValues
    )
  }

  /// A digest of the names and the values.
  fileprivate var digestOfValues: String {
    var text = ""
    for (name, value) in zip(layout.names, orderedValues) where !value.isNull {
      text += "\(name)\u{0}\(value.text)\u{0}"
    }
    return ContentDigest(of: text).text
  }
}
