import Foundation
import OpenSwiftData
import SQL
import Stores

/// Creating the tables and the file.
extension OwnDatabase {
  static func schema(_ text: String, _ path: String) throws -> Schema {
    do {
      let schema = try JSONDecoder().decode(Schema.self, from: Data(text.utf8))
      try schema.validate()
      return schema
    } catch {
      throw PersistenceError(.damaged, "\(path): damaged schema in catalog_schema", cause: error)
    }
  }

  static func text(of schema: Schema) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(schema), as: UTF8.self)
  }

  /// Creates all tables of a new database.
  func createTables(of schema: Schema) throws {
    let own = OwnTables(schema, store: identifier)
    for statement in OwnTables.creation { try connection.run(statement) }
    for table in own.ordered {
      for statement in own.creation(of: table) { try connection.run(statement) }
    }
    use(schema)
    try createIndexes()
    try setMeta("store", .text(identifier))
    try connection.run(
      "INSERT INTO catalog_schema (token, schema) VALUES (0, \(.text(try Self.text(of: schema))))"
    )
    try connection.run("PRAGMA application_id = \(OwnTables.applicationID)")
    try connection.run("PRAGMA user_version = \(OwnTables.formatVersion)")
  }

  func createIndexes() throws {
    let own = OwnTables(schema, store: identifier)
    for table in own.ordered {
      for statement in own.indexes(
        of: table,
        constraints: reader.constraints[table.entity.name] ?? []
      ) {
        do {
          try connection.run(statement)
        } catch let failure as SQLiteFailure where failure.primaryCode == 19 {
          for field in table.entity.fields where field.isUnique { try checkIsUnique(field, table) }
          throw failure
        }
      }
    }
  }

  /// Throws if two records have the same value in a field.
  private func checkIsUnique(_ field: Schema.Attribute, _ table: TableDescription) throws {
    guard let slot = table.entity.layout.slot(of: field.name) else { return }
    let column = table.columns[slot]
    let (key, name) = (table.keyColumns[0], column.name.quotedName)
    let rows = try connection.rows(
      "SELECT min(\(key)), max(\(key)), \(name) FROM \(table.source) WHERE \(name) IS NOT NULL "
        + "GROUP BY \(name) HAVING count(*) > 1 LIMIT 1"
    )
    guard let row = rows.first, let first = table.key.identifier([row[0]], in: table.scope),
      let second = table.key.identifier([row[1]], in: table.scope)
    else { return }
    throw PersistenceError(
      .notUnique,
      "\(table.entity.name).\(field.name): must be unique; records \(first) and \(second) would "
        + "both have \(Value.quoted(column.form.value(of: row[2])?.text ?? row[2].literal))"
    )
  }

  /// Runs a body that writes; creates the file if there is none yet.
  ///
  /// The body can be canceled until it commits; nothing is left of it then.
  func creatingFile<Result>(_ body: () throws -> Result) throws -> Result {
    guard isUnwritten else { return try body() }
    let former = connection
    return try lockingCreation {
      let size = (try? LocalFileSystem().status(of: path, in: nil))?.sizeBytes
      guard size ?? 0 == 0 || SQLiteOpening.isDatabase(path) else { throw alreadyExists }
      do {
        try createFile()
        let result = try body()
        keepLogFromNowOn()
        return result
      } catch  where !reader.isInDoubt {
        // The first save failed, so the file does not exist yet, unless another program has put its own in its place.
        let isCreated = reader.file.map { FileIdentity(path) == $0 } ?? true
        reader.connection = former
        isUnwritten = true
        reader.file = nil
        use(schema)
        for ending in ["", "-wal", "-shm", "-journal"] where size == nil && isCreated {
          try? FileManager.default.removeItem(atPath: path + ending)
        }
        throw (error as? UncertainCommit)?.failure ?? error
      }
    }
  }

  /// Runs a body while no other catalog creates the file: one of them could remove what the other one has saved.
  private func lockingCreation<Result>(_ body: () throws -> Result) throws -> Result {
    let fileSystem = LocalFileSystem()
    let url = URL(fileURLWithPath: path)
    let lock: FileLock
    do {
      let directory = try fileSystem.openDirectory(url.deletingLastPathComponent().path)
      defer { fileSystem.closeQuietly(directory) }
      lock = try FileLock(
        fileSystem: fileSystem,
        directory: directory,
        name: url.lastPathComponent
      )
      try lock.acquire(timeoutSeconds: lockTimeoutSeconds)
    } catch let error as FileError {
      throw error.persistenceError
    } catch let error as FileSystemError {
      throw error.persistenceError
    }
    defer {
      lock.discard()
      lock.release()
    }
    return try body()
  }

  private var alreadyExists: PersistenceError {
    FileError.alreadyExists(path: path).persistenceError
  }

  private func createFile() throws {
    reader.connection = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    try reader.configure(lockTimeoutSeconds: lockTimeoutSeconds)
    try configure()
    try connection.transaction {
      guard try connection.isBlank else { throw alreadyExists }
      try createTables(of: schema)
    }
    isUnwritten = false
    reader.file = FileIdentity(path)
    try reader.noteVersions()
  }

  /// Switches a new database to a write-ahead log, except on network file systems.
  ///
  /// The first save comes before: a log would write all records twice.
  private func keepLogFromNowOn() {
    if Self.isOnNetwork(path) { return }
    // The save is complete. Another program that reads the file already can prevent the switch, which only costs speed.
    Interruption.ignored {
      let version = try? connection.number("PRAGMA data_version")
      _ = try? connection.run("PRAGMA journal_mode = WAL")
      // The switch counts as a change of the data; those of other programs are still to be found.
      if version == reader.dataVersion { try? reader.noteVersions() }
    }
  }

  private static func isOnNetwork(_ path: String) -> Bool {
    let fileSystem = LocalFileSystem()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard let directory = try? fileSystem.openDirectory(folder) else { return false }
    defer { try? fileSystem.close(directory) }
    return (try? fileSystem.isNetworkFile(directory)) ?? false
  }

  /// Rewrites the file without free pages.
  func compact() throws -> String {
    if isUnwritten { return "nothing to compact" }
    let former = try connection.number("PRAGMA page_count")
    try connection.run("VACUUM")
    // An empty log would look like a change to other catalogs that have seen the new schema version already.
    try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
    reader.schemaVersion = try connection.number("PRAGMA schema_version")
    let size = try connection.number("PRAGMA page_size")
    let now = try connection.number("PRAGMA page_count")
    return "compacted \(sizeText(Int(former * size))) to \(sizeText(Int(now * size)))"
  }
}
