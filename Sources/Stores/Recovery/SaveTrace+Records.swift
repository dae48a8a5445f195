package import OpenSwiftData

/// The trace of a save in a database that has no place for a history: the records themselves.
extension ChangeSet {
  /// The number of records in a trace; some are enough, because a save is made completely or not at all.
  private static let tracedCount = 64

  /// Some of the inserted and changed records.
  package var traceOfRecords: SaveTrace {
    let new = inserted.prefix(Self.tracedCount).map { $0.traced(before: nil) }
    let changed = updated.prefix(Self.tracedCount).map { $0.after.traced(before: $0.before) }
    return SaveTrace(records: new + changed)
  }
}

extension SaveTrace {
  /// Compares the records with what the save was to write.
  ///
  /// Another program may have changed some of the records since, to the same values or to others, or inserted its own under
  /// the same numbers. If some have the values after the save and some those before it, nothing is known.
  ///
  /// - Parameter read: The record as it is stored now; nil if it does not exist.
  /// - Returns: True if the save was made, false if it was not; nil if that is not certain.
  /// - Throws: What the closure throws.
  package func isMade(_ read: (SavedRecord) throws -> DefaultSnapshot?) rethrows -> Bool? {
    guard let records else { return nil }
    var (isAsAfter, isAsBefore, isOther) = (false, false, false)
    for record in records {
      guard let digest = try read(record)?.digestOfValues else { continue }
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
