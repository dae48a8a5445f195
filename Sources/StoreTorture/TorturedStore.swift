import Foundation
package import OpenSwiftData
import SQLiteStores
package import Stores

/// An open store under test.
package typealias OpenTorturedStore =
  HistoryKeepingStore & MigratableStore & MaintainableStore

/// The kind of file store under test.
package enum TorturedStore: String, Sendable {
  case log
  case json
  /// A JSON Lines file without a header.
  case lines
  /// A CSV file.
  case csv
  /// A SQLite database of our own, which does not use `FileSystem`.
  case database

  /// The stores that access their files through `FileSystem`.
  package static let files: [TorturedStore] = [.log, .json, .lines, .csv]
  /// Those in our own formats, with a schema and identifiers in the file.
  package static let ownForms: [TorturedStore] = [.log, .json]
  /// The stores in our own formats, for tests of processes with real files.
  package static let ofProcesses: [TorturedStore] = [.log, .json, .database]

  /// The ending of their files.
  package var ending: String {
    switch self {
    case .log: "catlog"
    case .json: "json"
    case .lines: "jsonl"
    case .csv: "csv"
    case .database: "db"
    }
  }

  /// The path of the store in workloads.
  package var path: String { joinPath(SimulatedDisk.folder, fileName) }

  private var fileName: String {
    switch self {
    case .log, .json, .database: "films.\(ending)"
    // The entity has the name of the file.
    case .lines, .csv: "Film.\(ending)"
    }
  }

  /// The path in a folder that must be created first.
  var pathInNewFolder: String {
    joinPath(joinPath(SimulatedDisk.folder, "a/b"), splitPath(path).name)
  }

  /// The entity of every workload: one text that identifies the save, and one of any length.
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

  /// Opens the store, or starts a new one if the file does not exist.
  ///
  /// - Parameters:
  ///   - fileSystem: The file system that contains it.
  ///   - path: The file, if not that of the workloads.
  ///   - schema: The requested schema; `nil` uses that of the store.
  ///   - lockTimeoutSeconds: How long to wait for another writer.
  /// - Returns: The store.
  /// - Throws: The error of the store.
  package func open(
    _ fileSystem: any FileSystem,
    path: String? = nil,
    schema: Schema? = Self.schema,
    lockTimeoutSeconds: Double = 1
  ) throws -> any OpenTorturedStore {
    try open(fileSystem, path, schema, lockTimeoutSeconds, plan: nil)
  }

  /// Opens the store for a version of the films, and migrates an older one.
  ///
  /// - Throws: The error of the store, which is unchanged then.
  package func open(
    _ fileSystem: any FileSystem,
    path: String? = nil,
    migratingTo version: FilmVersion
  ) throws -> any OpenTorturedStore {
    try open(fileSystem, path, version.schema, 1, plan: FilmPlan.self)
  }

  /// Migrates with the first changes in separate saves.
  ///
  /// No migration may do that; instruments prove that they find it.
  func open(
    _ fileSystem: any FileSystem,
    path: String,
    migratingInPiecesTo version: FilmVersion
  ) throws -> any OpenTorturedStore {
    let open = try open(fileSystem, path: path, schema: nil)
    if open.schema.version == FilmVersion.first.schema.version {
      let second = FilmVersion.second.schema
      let length = try second.entity(named: "Film").attribute(named: "length")
      let tag = try second.entity(named: "Tag")
      try open.apply(.addAttribute(entity: "Film", length), author: nil)
      try open.apply(.createEntity(Schema.Entity("Tag", attributes: tag.fields)), author: nil)
    }
    return try self.open(fileSystem, path: path, migratingTo: version)
  }

  private func open(
    _ fileSystem: any FileSystem,
    _ path: String?,
    _ schema: Schema?,
    _ lockTimeoutSeconds: Double,
    plan: (any SchemaMigrationPlan.Type)?
  ) throws -> any OpenTorturedStore {
    switch self {
    case .log:
      try LogStore(
        logConfiguration(fileSystem, path: path, schema: schema, lockTimeoutSeconds),
        migrationPlan: plan
      )
    case .json, .lines, .csv:
      try JSONStore(
        jsonConfiguration(fileSystem, path: path, schema: schema, lockTimeoutSeconds),
        migrationPlan: plan
      )
    case .database:
      try SQLiteStore(
        databaseConfiguration(path: path, schema: schema, lockTimeoutSeconds),
        migrationPlan: plan
      )
    }
  }

  /// The configuration with which a container opens the store.
  package func configuration(_ fileSystem: any FileSystem, path: String? = nil)
    -> any DataStoreConfiguration
  {
    switch self {
    case .log: logConfiguration(fileSystem, path: path, schema: Self.schema, 1)
    case .json, .lines, .csv: jsonConfiguration(fileSystem, path: path, schema: Self.schema, 1)
    case .database: databaseConfiguration(path: path, schema: Self.schema, 1)
    }
  }

  private func databaseConfiguration(
    path: String?,
    schema: Schema?,
    _ lockTimeoutSeconds: Double
  ) -> SQLiteConfiguration {
    SQLiteConfiguration(
      path: path ?? self.path,
      schema: schema,
      lockTimeoutSeconds: lockTimeoutSeconds
    )
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
      form: self == .csv ? .delimited : .json,
      schema: schema,
      lockTimeoutSeconds: lockTimeoutSeconds,
      fileSystem: fileSystem,
      now: { Date(timeIntervalSince1970: Double(fileSystem.now()) / 1e9) },
      // Without random numbers keys are still unique in the store, because they grow.
      random: { (try? fileSystem.random()) ?? 0 }
    )
  }
}

extension QueryableStore {
  /// Inserts films and returns their identifiers.
  @discardableResult
  package func insertFilms(
    _ titles: [String],
    note: String = "",
    message: String? = nil
  ) throws -> [PersistentIdentifier] {
    let entity = try schema.entity(named: "Film")
    let scope = IdentifierScope(store: nil, entity: entity.name)
    let films = titles.enumerated().map { serial, title in
      DefaultSnapshot(
        persistentIdentifier: scope.temporaryIdentifier(UInt64(serial + 1), context: 1),
        layout: entity.layout,
        orderedValues: entity.fields.map { field in
          switch field.name {
          case "title": .text(title)
          case "year" where field.type == .text: .text("\(1900 + serial)")
          case "year": .integer(Int64(1900 + serial))
          case "note", "remark", "memo": .text(note)
          default: field.isOptional ? .null : field.defaultValue
          }
        }
      )
    }
    let changes = ChangeSet(inserted: films)
    let keeper = message == nil ? nil : self as? any StagingStore
    let result =
      try keeper?.commit(changes, after: [], author: nil, message: message)
      ?? commit(changes, author: nil)
    return films.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
  }

  /// Changes the title and the note of a film.
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
      throw PersistenceError(.unknownRecord, "record \(identifier) not found")
    }
    return film
  }

  /// The identifiers of all films, in a fixed order.
  package func filmIdentifiers() throws -> [PersistentIdentifier] {
    try identifiers(matching: Query("Film", sort: [SortKey("title")]))
  }
}
