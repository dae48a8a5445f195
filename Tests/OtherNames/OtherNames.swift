// Every public type of OpenSwiftData whose name Apple's SwiftData has not, as another module may declare it.

/// Another thing of this name.
public struct AttributeType {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct AttributeValue {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct CalendarDate {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct ChangeFeedingStore {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct ChangeSet {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct CommitResult {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct DataStorePermanentChanges {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct Filter {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct FilterExpression {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct FilterParser {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct FilterSyntaxError {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct IdentifierMap {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct MaintainableStore {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct HistoryKeepingStore {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SchemaChangingStore {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct MigratableStore {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct LinkedDeletion {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct MigrationRecords {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct MigrationStep {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct ModelDescription {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct ModelState {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct PersistenceError {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct Query {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct QueryableStore {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct Record {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct RecordConflict {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct RecordKey {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct RecordUpdate {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SchemaChange {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SchemaMigration {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SchemaReplacement {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SnapshotLayout {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SortKey {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct SortableValue {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct StateBackingData {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct StoreChange {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct StoreChangeFeed {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct TextMatch {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct Transaction {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct UndoStep {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct Value {
  /// Creates one.
  public init() {}
}

/// Another thing of this name.
public struct ValueError {
  /// Creates one.
  public init() {}
}
