/// A store that keeps a history of what was saved, beyond the program that saved it or at least while it is
/// open.
///
/// Conforming says that `transactions(after:touching:)` is implemented; contexts ask it instead of keeping
/// a history of their own. `deleteTransactions(_:)` may still be refused.
public protocol HistoryKeepingStore: QueryableStore {}

/// A store whose schema can change while it is open.
///
/// Conforming says that `apply(_:author:)` is implemented. What else a store can do has protocols with
/// requirements of their own: `MigratableStore`, `MaintainableStore`, `ChangeFeedingStore`.
public protocol SchemaChangingStore: QueryableStore {}
