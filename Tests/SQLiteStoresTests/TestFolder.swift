import Foundation
import OpenSwiftData
import SQL
import Synchronization
import Testing

@testable import SQLiteStores

/// A folder that is removed after the test.
final class TestFolder: Sendable {
  let path: String
  private let count = Mutex(0)

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A path in a folder of its own.
  func newPath(_ name: String) throws -> String {
    let number = count.withLock {
      $0 += 1
      return $0
    }
    let folder = "\(path)/\(number)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return "\(folder)/\(name)"
  }

  /// A database that another program made, by these statements.
  func database(_ name: String = "other.db", _ statements: String...) throws -> String {
    let path = try newPath(name)
    let connection = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    for statement in statements { try connection.run(SQLText(statement)) }
    return path
  }
}

/// A connection of another program.
func otherProgram(_ path: String) throws -> SQLiteConnection {
  try SQLiteConnection(path, isReadOnly: false)
}

extension SQLiteStore {
  /// Opens a database.
  convenience init(
    at path: String,
    schema: Schema? = nil,
    isReadOnly: Bool = false,
    waiting seconds: Double = 0.2
  )
    throws
  {
    try self.init(
      SQLiteConfiguration(
        path: path,
        schema: schema,
        isReadOnly: isReadOnly,
        lockTimeoutSeconds: seconds
      )
    )
  }

  /// All records of an entity.
  func all(_ entity: String) throws -> [DefaultSnapshot] { try snapshots(matching: Query(entity)) }

  /// Changes fields of a record and saves.
  @discardableResult
  func set(_ record: DefaultSnapshot, _ values: [String: Value]) throws -> CommitResult {
    var after = record
    for (name, value) in values {
      after.orderedValues[try #require(record.layout.slot(of: name))] = value
    }
    return try commit(
      ChangeSet(updated: [RecordUpdate(before: record, after: after)]),
      author: nil
    )
  }

  /// Inserts a record and saves.
  @discardableResult
  func insert(_ entity: String, _ values: [String: Value]) throws -> CommitResult {
    let layout = try schema.entity(named: entity).layout
    let identifier = IdentifierScope(store: nil, entity: entity).temporaryIdentifier(1, context: 7)
    return try commit(
      ChangeSet(inserted: [
        DefaultSnapshot(
          persistentIdentifier: identifier,
          layout: layout,
          orderedValues: layout.names.map { values[$0] ?? .null }
        )
      ]),
      author: nil
    )
  }
}
