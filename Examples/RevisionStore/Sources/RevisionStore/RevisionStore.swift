import Foundation
import OpenSwiftData
import StoreFiles
import SwiftData

/// Opens a ``RevisionStore``.
public struct RevisionStoreConfiguration: DataStoreConfiguration {
  /// The store that is opened.
  public typealias Store = RevisionStore

  /// The name of the store.
  public var name: String
  /// The models of the store.
  public var schema: Schema?
  /// The file that stands for the server.
  public var fileURL: URL

  /// Names the file.
  public init(name: String = "server", schema: Schema? = nil, fileURL: URL) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
  }
}

/// A store with SwiftData's `fetch` and `save`, whose records have revisions.
///
/// A change of a record is a conflict if its revision is no longer the one that the context has read.
public final class RevisionStore: DataStore {
  /// The configuration that the store was opened with.
  public let configuration: RevisionStoreConfiguration
  private let file: StoreFile
  private var known: (stamp: FileStamp, records: [RevisionSnapshot])?

  /// Opens the file, which need not exist yet.
  public init(
    _ configuration: RevisionStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) {
    self.configuration = configuration
    file = StoreFile(configuration.fileURL)
  }

  /// Returns all records; the container filters and sorts them.
  public func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, RevisionSnapshot>
  {
    DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try records())
  }

  /// Saves everything, or throws a conflict and saves nothing.
  public func save(_ request: DataStoreSaveChangesRequest<RevisionSnapshot>) throws
    -> DataStoreSaveChangesResult<RevisionSnapshot>
  {
    try file.withLock {
      var records = try records()
      let revisions = Dictionary(
        records.map { ($0.persistentIdentifier, $0.revision) },
        uniquingKeysWith: { $1 }
      )
      for record in request.updated + request.deleted
      where revisions[record.persistentIdentifier] != record.revision {
        throw PersistenceError(
          .conflict,
          "\(record.persistentIdentifier) was changed on the server"
        )
      }
      let changes = request.assignPermanentIdentifiers(for: identifier)
      var saved: [PersistentIdentifier: RevisionSnapshot] = [:]
      for var record in changes.inserted + changes.updated {
        record.revision += 1
        saved[record.persistentIdentifier] = record
      }
      let deleted = Set(request.deleted.map(\.persistentIdentifier))
      records.removeAll { deleted.contains($0.persistentIdentifier) }
      records = records.map { saved[$0.persistentIdentifier] ?? $0 }
      records += changes.inserted.compactMap { saved[$0.persistentIdentifier] }
      let stamp = try file.write(JSONEncoder().encode(records), over: known?.stamp)
      known = (stamp, records)
      return DataStoreSaveChangesResult(
        for: identifier,
        remappedIdentifiers: changes.remappedIdentifiers,
        snapshotsToReregister: saved
      )
    }
  }

  private func records() throws -> [RevisionSnapshot] {
    let stamp = try file.stamp()
    if let known, known.stamp == stamp { return known.records }
    let data = try file.read() ?? Data("[]".utf8)
    let records = try JSONDecoder().decode([RevisionSnapshot].self, from: data)
    known = stamp.map { ($0, records) }
    return records
  }
}
