extension ModelState {
  /// The error for a change of a value that the store makes; nil for other fields.
  func readOnlyError(at slot: Int) -> PersistenceError? {
    let field = entity.fields[slot]
    guard let cause = field.readOnlyCause,
      !(field.isSettableWhenNew && identifier.isTemporary)
    else { return nil }
    return PersistenceError(
      .readOnly,
      "\(entity.name).\(field.name): read-only field, \(cause) (record \(identifier))"
    )
  }

  /// The effect of the next save; nil if there are no unsaved changes.
  var pendingKindIfDirty: PendingChange.Kind? { isDirty ? pendingKind : nil }
}
