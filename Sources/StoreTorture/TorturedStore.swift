import Foundation
package import OpenSwiftData
package import Stores

/// Which of the stores with a file is put to the test.
package enum TorturedStore: String, CaseIterable, Sendable {
  case log
  case json

  /// Where workloads keep the store.
  package var path: String {
    joinPath(SimulatedDisk.folder, self == .log ? "films.catlog" : "films.json")
  }

  /// The same in a folder that has to be made first.
  var pathInNewFolder: String {
    joinPath(joinPath(SimulatedDisk.folder, "a/b"), splitPath(path).name)
  }

  /// The entity of every workload: a text that tells which save it is of, and one of any length.
  package static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text, isOptional: false),
        Schema.Attribute("year", .integer),
        Schema.Attribute("note", .text),
      ]
    )
  )

  /// Opens the store, or begins one where there is no file.
  ///
  /// - Parameters:
  ///   - fileSystem: Where it lies.
  ///   - path: The file, if not that of the workloads.
  ///   - schema: What it is opened for; `nil` takes the store as it is.
  ///   - lockTimeoutSeconds: How long to wait for another writer.
  /// - Returns: The store.
  /// - Throws: What the store says.
  package func open(
    _ fileSystem: any FileSystem,
    path: String? = nil,
    schema: Schema? = Self.schema,
    lockTimeoutSeconds: Double = 1
  ) throws -> any MaintainableStore {
    switch self {
    case .log:
      try LogStore(
        logConfiguration(fileSystem, path: path, schema: schema, lockTimeoutSeconds)
      )
    case .json:
      try JSONStore(
        jsonConfiguration(fileSystem, path: path, schema: schema, lockTimeoutSeconds),
        migrationPlan: nil
      )
    }
  }

  /// What a container opens the store by.
  package func configuration(_ fileSystem: any FileSystem, path: String? = nil)
    -> any DataStoreConfiguration
  {
    switch self {
    case .log: logConfiguration(fileSystem, path: path, schema: Self.schema, 1)
    case .json: jsonConfiguration(fileSystem, path: path, schema: Self.schema, 1)
    }
  }

  private func logConfiguration(
    _ fileSystem: any FileSystem,
    path: String?,
    schema: Schema?,
    _ lockTimeoutSeconds: Double
  ) -> LogStoreConfiguration {
    LogStoreConfiguration(
      path: path ?? self.path,
      schema: schema,
      history: .last(1),
      lockTimeoutSeconds: lockTimeoutSeconds,
      fileSystem: fileSystem
    )
  }

  private func jsonConfiguration(
    _ fileSystem: any FileSystem,
    path: String?,
    schema: Schema?,
    _ lockTimeoutSeconds: Double
  ) -> JSONStoreConfiguration {
    JSONStoreConfiguration(
      path: path ?? self.path,
      schema: schema,
      lockTimeoutSeconds: lockTimeoutSeconds,
      fileSystem: fileSystem,
      now: { Date(timeIntervalSince1970: Double(fileSystem.now()) / 1e9) },
      // Without random numbers keys are still unique in the store, because they grow.
      random: { (try? fileSystem.random()) ?? 0 }
    )
  }
}

/// All records of a store, to be compared.
package struct StoreContents: Hashable, Sendable {
  package private(set) var values: [PersistentIdentifier: [Value]] = [:]

  /// No records.
  package init() {}

  /// Reads everything that a store has.
  package init(of store: some QueryableStore) throws {
    for entity in store.schema.entities {
      for snapshot in try store.snapshots(matching: Query(entity.name)) {
        values[snapshot.persistentIdentifier] = snapshot.orderedValues
      }
    }
  }

  /// How many records are not the same in both.
  package func differences(from other: StoreContents) -> Int {
    Set(values.keys).union(other.values.keys).count { values[$0] != other.values[$0] }
  }
}

extension QueryableStore {
  /// Inserts films and returns their identifiers.
  @discardableResult
  package func insertFilms(_ titles: [String], note: String = "") throws -> [PersistentIdentifier] {
    let entity = try schema.entity(named: "Film")
    let scope = IdentifierScope(store: nil, entity: entity.name)
    let films = titles.enumerated().map { serial, title in
      DefaultSnapshot(
        persistentIdentifier: scope.temporaryIdentifier(UInt64(serial + 1), context: 1),
        layout: entity.layout,
        orderedValues: entity.fields.map { field in
          switch field.name {
          case "title": .text(title)
          case "year": .integer(Int64(1900 + serial))
          case "note": .text(note)
          default: .null
          }
        }
      )
    }
    let result = try commit(ChangeSet(inserted: films), author: nil)
    return films.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
  }

  /// Gives a film another title and note.
  package func updateFilm(_ identifier: PersistentIdentifier, title: String, note: String = "")
    throws
  {
    let before = try film(identifier)
    var after = before
    for (name, text) in [("title", title), ("note", note)] {
      if let slot = before.layout.slot(of: name) { after.orderedValues[slot] = .text(text) }
    }
    _ = try commit(ChangeSet(updated: [RecordUpdate(before: before, after: after)]), author: nil)
  }

  /// Deletes a film.
  package func deleteFilm(_ identifier: PersistentIdentifier) throws {
    _ = try commit(ChangeSet(deleted: [film(identifier)]), author: nil)
  }

  private func film(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
    guard let film = try snapshots(for: [identifier])[identifier] else {
      throw PersistenceError(.unknownRecord, "there is no record \(identifier)")
    }
    return film
  }

  /// The identifiers of all films, in a fixed order.
  package func filmIdentifiers() throws -> [PersistentIdentifier] {
    try identifiers(matching: Query("Film", sort: [SortKey("title")]))
  }
}
