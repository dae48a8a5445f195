import Foundation
import OpenSwiftData
import SwiftData

/// A snapshot with the revision number that a server assigned to the record.
struct RevisionSnapshot: DataStoreSnapshot {
  var values: DefaultSnapshot
  var serverRevision: Int

  var persistentIdentifier: PersistentIdentifier { values.persistentIdentifier }

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    values = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
    serverRevision = 0
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> RevisionSnapshot {
    var copy = self
    copy.values = values.copy(
      persistentIdentifier: persistentIdentifier,
      remappedIdentifiers: remappedIdentifiers
    )
    return copy
  }
}

struct RevisionConfiguration: DataStoreConfiguration {
  typealias Store = RevisionStore
  var name = "server"
  var schema: Schema?
  /// The file that simulates the server; nil for a server without storage.
  var fileURL: URL?
  var correctsNames = true
  var historyLimit = HistoryLimit()
  /// True if a save returns the records with their new revisions.
  var returnsRevisions = false
  /// A planted bug: the server accepts changes that are based on an older revision.
  var ignoresRevisions = false
}

/// A store whose server counts revisions and corrects values: it capitalizes names.
///
/// It rejects changes that are based on an older revision.
final class RevisionStore: DataStore {
  typealias Snapshot = RevisionSnapshot

  let configuration: RevisionConfiguration
  private(set) var records: [RevisionSnapshot] = []
  /// The revisions of the updated and deleted records of each save.
  private(set) var receivedRevisions: [[Int]] = []
  private(set) var fetchCount = 0
  private var lastNumber = 0
  private var readBytes: Data?

  init(_ configuration: RevisionConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?)
    throws
  {
    self.configuration = configuration
    try read()
  }

  /// Reads what other containers have saved to the file.
  private func read() throws {
    guard let url = configuration.fileURL, FileManager.default.fileExists(atPath: url.path) else {
      return
    }
    let bytes = try Data(contentsOf: url)
    guard bytes != readBytes else { return }
    readBytes = bytes
    records = try JSONDecoder().decode([RevisionSnapshot].self, from: bytes)
    lastNumber = max(
      lastNumber,
      records.compactMap { Int($0.persistentIdentifier.description) }.max() ?? 0
    )
  }

  private func checkRevisions(_ request: DataStoreSaveChangesRequest<RevisionSnapshot>) throws {
    let received = request.updated + request.deleted
    receivedRevisions.append(received.map(\.serverRevision))
    guard !configuration.ignoresRevisions else { return }
    for record in received {
      let stored = records.first { $0.persistentIdentifier == record.persistentIdentifier }
      guard stored?.serverRevision != record.serverRevision else { continue }
      throw PersistenceError(.conflict, "\(record.persistentIdentifier): changed on the server")
    }
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, RevisionSnapshot>
  {
    fetchCount += 1
    try read()
    let name = Schema.entityName(for: T.self)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: records.filter { $0.persistentIdentifier.entityName == name }
    )
  }

  func save(_ request: DataStoreSaveChangesRequest<RevisionSnapshot>) throws
    -> DataStoreSaveChangesResult<RevisionSnapshot>
  {
    try read()
    try checkRevisions(request)
    var number = lastNumber
    let changes = try request.assignPermanentIdentifiers(for: identifier) { _ in
      number += 1
      return number
    }
    var corrected: [PersistentIdentifier: RevisionSnapshot] = [:]
    var kept = records
    for var record in changes.inserted + changes.updated {
      let place = kept.firstIndex { $0.persistentIdentifier == record.persistentIdentifier }
      record.serverRevision = (place.map { kept[$0].serverRevision } ?? 0) + 1
      if configuration.correctsNames, case .text(let name) = record.values["name"],
        name != name.capitalized
      {
        record.values.orderedValues[0] = .text(name.capitalized)
        corrected[record.persistentIdentifier] = record
      }
      if configuration.returnsRevisions { corrected[record.persistentIdentifier] = record }
      if let place { kept[place] = record } else { kept.append(record) }
    }
    let gone = Set(request.deleted.map(\.persistentIdentifier))
    kept.removeAll { gone.contains($0.persistentIdentifier) }
    if let url = configuration.fileURL {
      let bytes = try JSONEncoder().encode(kept)
      try bytes.write(to: url)
      readBytes = bytes
    }
    records = kept
    lastNumber = number
    return DataStoreSaveChangesResult(
      for: identifier,
      remappedIdentifiers: changes.remappedIdentifiers,
      snapshotsToReregister: corrected
    )
  }
}

/// A snapshot that is encoded like a row: its own fields next to those of the model.
struct RowSnapshot: DataStoreSnapshot, Equatable {
  var persistentIdentifier: PersistentIdentifier
  var revision: Int
  var name: String
  var start: Date
  var days: Int
  var price: Decimal
  var code: UUID
  var note: String?
  var ticket: Fare
  var tags: [String]
  var legs: [PersistentIdentifier]
  var riders: [PersistentIdentifier]

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let plain = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
    let model = Journey(persistentState: backingData.state)
    func links(_ name: String) -> [PersistentIdentifier] {
      if case .links(let links) = plain[name] { links } else { [] }
    }
    persistentIdentifier = plain.persistentIdentifier
    revision = 1
    (name, start, days, price) = (model.name, model.start, model.days, model.price)
    (code, note, ticket, tags) = (model.code, model.note, model.ticket, model.tags)
    (legs, riders) = (links("legs"), links("riders"))
  }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> RowSnapshot {
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    copy.legs = legs.map { remappedIdentifiers?[$0] ?? $0 }
    copy.riders = riders.map { remappedIdentifiers?[$0] ?? $0 }
    return copy
  }
}
