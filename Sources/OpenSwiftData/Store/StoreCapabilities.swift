/// A store that keeps a history of saved changes, at least while it is open.
///
/// Conform if `transactions(after:touching:)` is implemented; contexts then use it instead of keeping their
/// own history. `deleteTransactions(_:)` may still throw.
public protocol HistoryKeepingStore: QueryableStore {}

/// A store whose schema can change while it is open.
///
/// Conform if `apply(_:author:)` is implemented. Other capabilities have protocols with their own
/// requirements: `MigratableStore`, `MaintainableStore`, `ChangeFeedingStore`.
public protocol SchemaChangingStore: QueryableStore {}
