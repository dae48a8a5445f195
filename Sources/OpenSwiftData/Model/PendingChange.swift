/// What a context has changed of one record and not saved.
struct PendingChange {
  /// What the next save does with the record.
  enum Kind { case inserted, updated, deleted }

  let state: ModelState
  var kind: Kind
  /// The values that the store has; meaningless for inserted records.
  var original: [Value]
  /// Keeps an object alive that somebody changed and let go.
  var model: (any PersistentModel)?
}
