import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Synchronization

// The code of the page "Write your own store". `DocumentedCodeTests` compares the two.

@Model
final class Hike {
  var name: String
  var days: Int
  @Relationship(deleteRule: .cascade, inverse: \Hut.hike) var huts: [Hut] = []

  init(_ name: String, days: Int) {
    self.name = name
    self.days = days
  }
}

@Model
final class Hut {
  var place: String
  var hike: Hike?

  init(_ place: String) { self.place = place }
}

struct NotebookConfiguration: DataStoreConfiguration {
  typealias Store = NotebookStore

  var name = "notebook"
  var schema: Schema?
}

final class NotebookStore: MigratableStore, ChangeFeedingStore {
  let configuration: NotebookConfiguration
  let changeFeed = StoreChangeFeed()
  private let records: Mutex<StoredRecords>

  init(_ configuration: NotebookConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    self.configuration = configuration
    records = try Mutex(
      StoredRecords(
        schema: configuration.schema ?? Schema(),
        storeIdentifier: configuration.name
      )
    )
  }

  var schema: Schema { records.withLock { $0.schema } }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try records.withLock { try $0.snapshots(matching: query) }
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try records.withLock { try $0.commit(changes) }
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    try records.withLock { try $0.apply(change) }
  }

  func migrate(_ migration: SchemaMigration, author: String?) throws {
    _ = try records.withLock {
      try $0.commit(migration.changes, after: .replaceSchema(migration.replacement))
    }
  }

  func received(_ news: [DefaultSnapshot]) throws {
    let result = try commit(ChangeSet(inserted: news), author: "server")
    changeFeed.send(StoreChange(inserted: Array(result.remappedIdentifiers.values)))
  }
}
