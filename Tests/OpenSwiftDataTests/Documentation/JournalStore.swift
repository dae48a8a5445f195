import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData

// The code of the page "Write your own store". `DocumentedCodeTests` compares the two.

struct JournalConfiguration: DataStoreConfiguration {
  typealias Store = JournalStore

  var name = "journal"
  var schema: Schema?
  var fileURL: URL
}

final class JournalStore: DataStore {
  typealias Snapshot = DefaultSnapshot

  struct File: Codable {
    var schema: Schema
    var records: [DefaultSnapshot]
  }

  let configuration: JournalConfiguration
  private var records: [DefaultSnapshot] = []

  init(_ configuration: JournalConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
  {
    self.configuration = configuration
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return }
    let data = try Data(contentsOf: configuration.fileURL)
    let file = try JSONDecoder().decode(File.self, from: data)
    records = try file.schema.arranged(file.records)
    try migrate(from: file.schema, migrationPlan)
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: records)
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: identifier)
    var updated: [PersistentIdentifier: DefaultSnapshot] = [:]
    for snapshot in changes.updated { updated[snapshot.persistentIdentifier] = snapshot }
    let deleted = Set(request.deleted.map(\.persistentIdentifier))
    let kept = records.filter { !deleted.contains($0.persistentIdentifier) }
      .map { updated[$0.persistentIdentifier] ?? $0 }
    try write(kept + changes.inserted)
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }

  private func write(_ records: [DefaultSnapshot]) throws {
    let data = try JSONEncoder().encode(File(schema: schema, records: records))
    try data.write(to: configuration.fileURL, options: .atomic)
    self.records = records
  }

  private func migrate(from former: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws {
    guard let wanted = configuration.schema,
      let migration = try SchemaMigration(
        of: records,
        from: former,
        to: wanted,
        plan: plan,
        storeIdentifier: identifier
      )
    else { return }
    let migrated = DataStoreSaveChangesRequest(inserted: migration.migrated(records))
    try write(migrated.assignPermanentIdentifiers(for: identifier).inserted)
  }
}

struct NumberedSnapshot: DataStoreSnapshot {
  var values: DefaultSnapshot
  var revision = 0

  var persistentIdentifier: PersistentIdentifier { values.persistentIdentifier }

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    values = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> NumberedSnapshot {
    var copy = self
    copy.values = values.copy(
      persistentIdentifier: persistentIdentifier,
      remappedIdentifiers: remappedIdentifiers
    )
    return copy
  }
}

struct LedgerConfiguration: DataStoreConfiguration {
  typealias Store = LedgerStore

  var name = "ledger"
  var schema: Schema?
}

/// Stores the numbered snapshots of the page, and counts the saves of each.
final class LedgerStore: DataStore {
  let configuration: LedgerConfiguration
  private(set) var records: [PersistentIdentifier: NumberedSnapshot] = [:]

  init(_ configuration: LedgerConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, NumberedSnapshot>
  {
    DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: Array(records.values)
    )
  }

  func save(_ request: DataStoreSaveChangesRequest<NumberedSnapshot>) throws
    -> DataStoreSaveChangesResult<NumberedSnapshot>
  {
    let changes = request.assignPermanentIdentifiers(for: identifier)
    for var snapshot in changes.inserted + changes.updated {
      snapshot.revision = (records[snapshot.persistentIdentifier]?.revision ?? 0) + 1
      records[snapshot.persistentIdentifier] = snapshot
    }
    for snapshot in request.deleted { records[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: changes.remappedIdentifiers
    )
  }
}
