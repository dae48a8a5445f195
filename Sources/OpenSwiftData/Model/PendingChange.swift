/// The effect of the next save on a record.
public enum PendingKind: Hashable, Sendable {
  /// The record is new.
  case inserted
  /// The record's values change.
  case updated
  /// The record is deleted.
  case deleted
}

/// The unsaved change of one record.
struct PendingChange {
  typealias Kind = PendingKind

  let state: ModelState
  var kind: Kind
  /// The stored values; meaningless for inserted records.
  var original: [Value]
  /// Keeps a changed object alive that is no longer referenced elsewhere.
  var model: (any PersistentModel)?
  /// The fields of a record that two programs have restored with different values, until somebody decides.
  ///
  /// Such a record has no common ancestor: the original values are those of the store.
  var undecided: Set<String> = []

  /// The record as it was stored; meaningless for inserted records.
  var originalSnapshot: DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: state.identifier,
      layout: state.entity.layout,
      orderedValues: original
    )
  }
}
