// Every public type of OpenSwiftData whose name Apple's SwiftData lacks, as another module could
// declare it.

/// An unrelated type of this name.
public struct AttributeType {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct AttributeValue {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct BlobSummary {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct CalendarDate {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ChangeFeedingStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ChangeSet {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct CommitResult {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct DataStorePermanentChanges {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct Filter {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FilterExpression {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FilterParser {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FilterSyntaxError {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FormatChanges {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FormatContents {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FormatContext {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FormatStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct FormatStoreConfiguration {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct HistoryKeepingStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct HistoryLimit {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct IdentifierMap {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct LinkedDeletion {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct MaintainableStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct MigratableStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct MigrationRecords {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct MigrationStep {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ModelDescription {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ModelState {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct PendingKind {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct PersistenceError {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct Query {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct QueryableStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct Record {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct RecordConflict {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct RecordKey {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct RecordKeyGenerator {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct RecordUpdate {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SchemaChange {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SchemaChangingStore {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SchemaMigration {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SchemaReplacement {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SnapshotLayout {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SortKey {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SortableValue {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct StateBackingData {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct StoreChange {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct HistoryRetention {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ResultsSequence {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct SessionHistory {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct StoreChangeFeed {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct StoreFormat {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct StoredRecords {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct TextMatch {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct Transaction {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct UndoStep {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct Value {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ValueError {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct IdentifierListing {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ListedRecord {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct Listing {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ListingCount {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct PagedListing {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct ValueSummary {
  /// Creates an instance.
  public init() {}
}

/// An unrelated type of this name.
public struct RecordDoubt {
  /// Creates an instance.
  public init() {}
}
