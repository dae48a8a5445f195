import Foundation
import SwiftData

/// A store like the one in the WWDC session on custom stores, with its names: it reads and writes
/// the whole file, returns the snapshots of all entities, and copies links unchanged.
final class ArchiveConfiguration: DataStoreConfiguration {
  typealias StoreType = ArchiveStore

  var name: String
  var schema: Schema?
  var fileURL: URL

  init(name: String, schema: Schema? = nil, fileURL: URL) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
  }

  static func == (lhs: ArchiveConfiguration, rhs: ArchiveConfiguration) -> Bool {
    lhs.name == rhs.name
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

final class ArchiveStore: DataStore {
  typealias Configuration = ArchiveConfiguration
  typealias Snapshot = DefaultSnapshot

  var configuration: ArchiveConfiguration
  var name: String
  var schema: Schema
  var identifier: String
  /// Makes the next save fail.
  var isFull = false
  /// The contents read since the last save, because decoding the file for thousands of fetches is
  /// slow.
  private var known: [PersistentIdentifier: DefaultSnapshot]?

  init(_ configuration: ArchiveConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
  {
    self.configuration = configuration
    name = configuration.name
    schema = configuration.schema ?? Schema()
    identifier = configuration.fileURL.lastPathComponent
  }

  func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws
    -> DataStoreSaveChangesResult<DefaultSnapshot>
  {
    var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:]
    var kept = try read()
    for snapshot in request.inserted {
      let permanentIdentifier = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID()
      )
      kept[permanentIdentifier] = snapshot.copy(persistentIdentifier: permanentIdentifier)
      remappedIdentifiers[snapshot.persistentIdentifier] = permanentIdentifier
    }
    for snapshot in request.updated { kept[snapshot.persistentIdentifier] = snapshot }
    for snapshot in request.deleted { kept[snapshot.persistentIdentifier] = nil }
    try write(kept)
    return DataStoreSaveChangesResult<DefaultSnapshot>(
      for: identifier,
      remappedPersistentIdentifiers: remappedIdentifiers,
      deletedIdentifiers: request.deleted.map({ $0.persistentIdentifier })
    )
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel
  {
    if request.descriptor.predicate != nil {
      throw DataStoreError.preferInMemoryFilter
    } else if request.descriptor.sortBy.count > 0 {
      throw DataStoreError.preferInMemorySort
    }
    let kept = try known ?? read()
    known = kept
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: kept.values.map({ $0 }),
      relatedSnapshots: kept
    )
  }

  func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    let path = configuration.fileURL.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let snapshots = try decoder.decode(
      [DefaultSnapshot].self,
      from: try Data(contentsOf: configuration.fileURL)
    )
    return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
  }

  func write(_ kept: [PersistentIdentifier: DefaultSnapshot]) throws {
    if isFull {
      isFull = false
      throw ShelfError.full
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(kept.values.map({ $0 })).write(to: configuration.fileURL)
    known = nil
  }
}
