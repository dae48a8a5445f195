import OpenSwiftData

/// What became of a record in another version of its file.
///
/// Only the same record may receive an edit.
package enum RecordFate: Hashable, Sendable {
  /// The record is in this row of the other version, counted from its beginning.
  case same(Int)
  /// The record was deleted for certain.
  case gone(Reason)
  /// No row is the record for certain; perhaps it is this one.
  case unsure(Reason, Int?)

  /// Why a record was not found for certain.
  package enum Reason: Hashable, Sendable {
    /// No record has the values of its key.
    case missingKey
    /// Another record has all of its other values.
    case changedKey
    /// Several records have the values of its key.
    case repeatedKey
    /// Its key is on a record with the values of another one.
    case contradiction
    /// Many records have the keys of others.
    case newKeys
    /// Hardly anything but the key agrees.
    case onlyKey
    /// Of several equal records some are left.
    case fewerCopies
    /// A record is alike, but that may be chance.
    case alike
    /// No record is alike, and there are new ones.
    case replaced
    /// The fields of the key are no longer in the file.
    case keyFieldGone
    /// The file has no column that it had before.
    case otherColumns
    /// Two keys lead to different records.
    case keysDisagree
  }

  /// The row of the record; nil if it is not certain.
  var place: Int? { if case .same(let place) = self { place } else { nil } }
}
