import Foundation
import OpenSwiftData

@testable import Stores

/// A log in a separate folder, with films and studios.
struct LogFixture {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text, isOptional: false),
        Schema.Attribute("year", .integer),
        Schema.Attribute("rating", .number),
        Schema.Attribute("gross", .decimal),
        Schema.Attribute("seen", .boolean),
        Schema.Attribute("released", .date),
        Schema.Attribute("added", .datetime),
        Schema.Attribute("code", .uuid),
        Schema.Attribute("extra", .json),
        Schema.Attribute("studio", .link("Studio")),
      ]
    ),
    Schema.Entity(
      "Studio",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("films", .links("Film")),
      ]
    )
  )

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.file("films.catlog") }

  func open(
    isReadOnly: Bool = false,
    history: HistoryRetention = .all,
    schema: Schema? = Self.schema
  ) throws -> LogStore {
    try LogStore(
      LogStoreConfiguration(
        path: path,
        schema: schema,
        isReadOnly: isReadOnly,
        history: history,
        lockTimeoutSeconds: 1,
        fileSystem: files
      )
    )
  }

  func bytes() throws -> [UInt8] { try folder.bytes("films.catlog") }

  func put(_ bytes: [UInt8]) throws { try folder.put("films.catlog", bytes) }

  /// Removes files that a recovery kept.
  func removeKept() throws {
    for name in try folder.names() where name.contains(".lost-") {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
  }
}

extension LogStore {
  /// A new record with a temporary identifier.
  func new(_ entity: String, _ serial: Int, _ values: [String: Value]) throws -> DefaultSnapshot {
    let entity = try schema.entity(named: entity)
    return DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: entity.name)
        .temporaryIdentifier(UInt64(serial), context: 1),
      layout: entity.layout,
      orderedValues: entity.fields.map { values[$0.name] ?? $0.defaultValue }
    )
  }

  @discardableResult
  func insertFilm(_ title: String, year: Int64 = 2000) throws -> PersistentIdentifier {
    let film = try new("Film", 1, ["title": .text(title), "year": .integer(year)])
    let result = try commit(ChangeSet(inserted: [film]), author: nil)
    guard let identifier = result.remappedIdentifiers[film.persistentIdentifier] else {
      throw PersistenceError(.storeViolation, "no identifier")
    }
    return identifier
  }

  func update(_ identifier: PersistentIdentifier, _ name: String, to value: Value) throws {
    guard let before = try snapshots(for: [identifier])[identifier],
      let slot = before.layout.slot(of: name)
    else { throw PersistenceError(.unknownRecord, "no record") }
    var after = before
    after.orderedValues[slot] = value
    _ = try commit(
      ChangeSet(updated: [RecordUpdate(before: before, after: after)]),
      author: nil
    )
  }

  func delete(_ identifier: PersistentIdentifier) throws {
    guard let before = try snapshots(for: [identifier])[identifier] else {
      throw PersistenceError(.unknownRecord, "no record")
    }
    _ = try commit(ChangeSet(deleted: [before]), author: nil)
  }

  func films() throws -> [DefaultSnapshot] { try snapshots(matching: Query("Film")) }

  func titles() throws -> [String] {
    try films().map { film in
      if case .text(let title)? = film["title"] { title } else { "?" }
    }
  }

  /// Everything, for comparison.
  func everything() throws -> [DefaultSnapshot] {
    try schema.entities.flatMap { try snapshots(matching: Query($0.name)) }
  }
}

/// The code of what `body` throws; `nil` if it throws nothing.
func errorCode(_ body: () throws -> Void) -> PersistenceError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? PersistenceError)?.code ?? PersistenceError.Code("\(error)")
  }
}

extension LocalFileSystem {
  /// Truncates a file, as another program would.
  func cut(_ path: String, to sizeBytes: Int) throws {
    let file = try open(path, in: nil, .readWrite)
    defer { closeQuietly(file) }
    try truncate(file, to: sizeBytes)
  }

  /// Changes one byte, as another program or a bad disk would.
  func overwrite(_ path: String, at offset: Int, _ byte: UInt8) throws {
    let file = try open(path, in: nil, .readWrite)
    defer { closeQuietly(file) }
    try [byte].withUnsafeBytes { try writeAll(file, at: offset, $0) }
  }

  /// Appends bytes, as another program would.
  func append(_ bytes: [UInt8], to path: String) throws {
    let file = try open(path, in: nil, .readWrite)
    defer { closeQuietly(file) }
    try bytes.withUnsafeBytes { try writeAll(file, at: try status(of: file).sizeBytes, $0) }
  }
}
