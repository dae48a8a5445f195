/// A store whose schema can change while it is open.
///
/// Other abilities have protocols of their own as well: `MigratableStore`, `MaintainableStore`,
/// `ChangeFeedingStore`.
public protocol SchemaChangingStore: QueryableStore {
  /// Changes the schema and adapts the records immediately; the change cannot be undone.
  ///
  /// - Throws: `PersistenceError` with the reason; nothing is changed then.
  func apply(_ change: SchemaChange, author: String?) throws
}
