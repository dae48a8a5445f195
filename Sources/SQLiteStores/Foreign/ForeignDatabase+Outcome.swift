import OpenSwiftData
import SQL
import Stores

/// Finding out from its records whether a save was made.
extension ForeignDatabase {
  /// Compares the rows with those of the save and those before it.
  func isSaved(_ entry: HistoryEntry) throws -> Bool? {
    let changes = entry.saved
    return changes.isSaved(in: try reader.snapshots(for: changes.allIdentifiers, attributes: nil))
  }

  /// The number of records in a trace; some are enough, because a save is made completely or not at all.
  private static let tracedCount = 64

  func trace(of entry: HistoryEntry) -> SaveTrace {
    let saved = entry.saved
    let inserted = saved.inserted.prefix(Self.tracedCount).map { $0.traced(before: nil) }
    let updated = saved.updated.prefix(Self.tracedCount).map { $0.after.traced(before: $0.before) }
    return SaveTrace(records: inserted + updated)
  }

  /// Compares the records with what the save was to write: it is made completely or not at all.
  ///
  /// Another program may have changed some of the records since, to the same values or to others, or inserted its own under
  /// the same numbers. If some have the values after the save and some those before it, nothing is known.
  func holds(_ trace: SaveTrace) throws -> Bool? {
    guard let records = trace.records else { return nil }
    var (isAsAfter, isAsBefore, isOther) = (false, false, false)
    for record in records {
      guard let table = tables[record.entity] else { continue }
      let identifier = table.key.identifier(parsing: record.key, in: table.scope)
      let found = try reader.snapshots(for: [identifier], attributes: nil)[identifier]
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
