/// New records of a command that updates the record with a key or adds it: until the save, another program may add it.
package struct SoughtRecords: Sendable {
  let entityName: String
  /// The fields of the key.
  let fields: [String]
  /// The fields that the command has set; nil for those that differ from their defaults.
  let assigned: Set<String>?
  /// The numbers in the temporary identifiers of the records.
  fileprivate(set) var serials: Range<UInt64>

  /// True if the record is one of them.
  func contains(_ identifier: PersistentIdentifier) -> Bool {
    identifier.isTemporary && serials.contains(identifier.words.low)
      && identifier.entityName == entityName
  }

  /// True if the command has set the field of a new record.
  func assigns(_ field: Schema.Attribute, _ value: Value) -> Bool {
    assigned?.contains(field.name) ?? (!value.isNull && value != field.defaultValue)
  }
}

/// In the order of their numbers.
extension [SoughtRecords] {
  /// Adds the latest records; those of one command after the other are held together.
  mutating func add(_ records: SoughtRecords) {
    if let last, last.entityName == records.entityName, last.fields == records.fields,
      last.assigned == records.assigned, last.serials.upperBound == records.serials.lowerBound
    {
      self[count - 1].serials = last.serials.lowerBound..<records.serials.upperBound
    } else {
      append(records)
    }
  }

  /// Those to which a record belongs; nil for a record that was not sought.
  ///
  /// - Complexity: O(log n).
  func containing(_ identifier: PersistentIdentifier) -> SoughtRecords? {
    guard identifier.isTemporary, !isEmpty else { return nil }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].serials.upperBound <= identifier.words.low {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < count && self[low].contains(identifier) ? self[low] : nil
  }
}

/// The cause of a conflict: others have added the records that a save was about to add.
struct TakenKeys: Error {
  /// By the new record here, the one with the same key.
  let records: [PersistentIdentifier: PersistentIdentifier]

  var error: PersistenceError {
    PersistenceError(
      .conflict,
      "another program has added records with the same keys",
      cause: self
    )
  }
}
