import OpenSwiftData
import Stores

/// Opens an `OutsideStore`.
struct OutsideStoreConfiguration: DataStoreConfiguration {
  typealias Store = OutsideStore

  var name = "outside"
  var schema: Schema?
}

/// A memory store as if another package had written it: the container checks every record that it returns.
final class OutsideStore: QueryableStore {
  let configuration: OutsideStoreConfiguration
  private let inner: MemoryStore

  init(_ configuration: OutsideStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    self.configuration = configuration
    inner = try MemoryStore(MemoryStoreConfiguration(schema: configuration.schema))
  }

  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try inner.snapshots(matching: query)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try inner.commit(changes, author: author)
  }
}
