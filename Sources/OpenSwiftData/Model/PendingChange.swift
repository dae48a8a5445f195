/// The unsaved change of one record.
struct PendingChange {
  /// The effect of the next save on the record.
  enum Kind { case inserted, updated, deleted }

  let state: ModelState
  var kind: Kind
  /// The stored values; meaningless for inserted records.
  var original: [Value]
  /// Keeps a changed object alive that is no longer referenced elsewhere.
  var model: (any PersistentModel)?
}
