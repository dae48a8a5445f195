import Foundation
import OpenSwiftData
import SQL
import Stores

/// The tables of databases of our own.
extension SQLiteSession {
  /// Reads schema, last transaction and greatest key.
  func loadOwn() throws {
    let row = try connection.rows(
      "SELECT token, schema FROM catalog_schema ORDER BY token DESC LIMIT 1"
    ).first
    guard let row, case .integer(let token) = row[0], case .text(let text) = row[1] else {
      throw PersistenceError(
        .damaged,
        "\(path): its table catalog_schema is empty; restore a copy of the file, or read the other tables with sqlite3"
      )
    }
    schemaToken = token
    use(try Self.schema(text, path))
    lastToken = try connection.number("SELECT max(token) FROM catalog_history")
    lastToken = max(lastToken, try meta("last_token"))
    (overtakenToken, ownTokens) = (nil, [])
    horizon = try meta("horizon")
    if case .text(let text)? = try connection.value(
      "SELECT value FROM catalog_meta WHERE name = 'greatest_key'"
    ), let key = RecordKey(text) {
      generator.note(key)
    }
    for table in ordered {
      let key = table.keyColumns[0]
      let sql = SQLText(
        "SELECT max(\(key)) FROM \(table.source) WHERE \(key) >= ? AND \(key) < ?",
        [.text(OwnKey.recordKeys.first), .text(OwnKey.recordKeys.end)]
      )
      if case .text(let text)? = try connection.value(sql),
        let key = OwnKey.identifier(text, in: table.scope)?.recordKey
      {
        generator.note(key)
      }
    }
  }

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

  /// A number of `catalog_meta`; 0 if it is not there.
  func meta(_ name: String) throws -> Int64 {
    try connection.number(SQLText("SELECT value FROM catalog_meta WHERE name = ?", [.text(name)]))
  }

  func setMeta(_ name: String, _ value: SQLValue) throws {
    try connection.run(
      SQLText(
        "INSERT OR REPLACE INTO catalog_meta (name, value) VALUES (?, ?)",
        [.text(name), value]
      )
    )
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
      SQLText(
        "INSERT INTO catalog_schema (token, schema) VALUES (0, ?)",
        [.text(try Self.text(of: schema))]
      )
    )
    try connection.run(SQLText("PRAGMA application_id = \(OwnTables.applicationID)"))
    try connection.run(SQLText("PRAGMA user_version = \(OwnTables.formatVersion)"))
  }

  func createIndexes() throws {
    let own = OwnTables(schema, store: identifier)
    for table in own.ordered {
      for statement in own.indexes(of: table, constraints: constraints[table.entity.name] ?? []) {
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
      SQLText(
        "SELECT min(\(key)), max(\(key)), \(name) FROM \(table.source) WHERE \(name) IS NOT NULL "
          + "GROUP BY \(name) HAVING count(*) > 1 LIMIT 1"
      )
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
  func writing<Result>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    if isInDoubt { throw doubtError() }
    try checkIsIntact()
    guard isUnwritten else { return try body(self) }
    let former = connection
    return try lockingCreation {
      let size = (try? LocalFileSystem().status(of: path, in: nil))?.sizeBytes
      guard size ?? 0 == 0 else { throw FileError.alreadyExists(path: path).persistenceError }
      do {
        try createFile()
        let result = try body(self)
        keepLogFromNowOn()
        return result
      } catch  where !isInDoubt {
        // The first save failed, so the file does not exist yet, unless another program has put its own in its place.
        let isCreated = file.map { FileIdentity(path) == $0 } ?? true
        connection = former
        isUnwritten = true
        file = nil
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

  private func createFile() throws {
    connection = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    try configure(lockTimeoutSeconds: lockTimeoutSeconds)
    try connection.transaction { try createTables(of: schema) }
    isUnwritten = false
    file = FileIdentity(path)
    try noteVersions()
  }

  /// Switches a new database to a write-ahead log, except on network file systems.
  ///
  /// The first save comes before: a log would write all records twice, and the switch writes the file, too, so that a
  /// file without tables, which is opened as a database of another program, could be left.
  private func keepLogFromNowOn() {
    if Self.isOnNetwork(path) { return }
    // The save is complete. Another program that reads the file already can prevent the switch, which only costs speed.
    Interruption.ignored {
      let version = try? connection.number("PRAGMA data_version")
      _ = try? connection.run("PRAGMA journal_mode = WAL")
      // The switch counts as a change of the data; those of other programs are still to be found.
      if version == dataVersion { try? noteVersions() }
    }
  }

  private static func isOnNetwork(_ path: String) -> Bool {
    let fileSystem = LocalFileSystem()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard let directory = try? fileSystem.openDirectory(folder) else { return false }
    defer { try? fileSystem.close(directory) }
    return (try? fileSystem.isNetworkFile(directory)) ?? false
  }
}

// MARK: Changes of the schema

extension SQLiteSession {
  /// Changes the schema, then records, in one transaction.
  ///
  /// - Parameters:
  ///   - change: The change of the schema.
  ///   - changes: The changes of records, which have the new layouts.
  ///   - steps: The single changes that `change` combines.
  ///   - isSave: False for a change whose maker has checked the records.
  ///   - author: Who makes the change.
  ///   - message: What it is for.
  ///   - check: Called in the transaction, before anything is written; its error ends the save.
  /// - Returns: The identifiers of new records, and the number of the transaction.
  /// - Throws: `PersistenceError`; nothing is changed then.
  func apply(
    _ change: SchemaChange,
    _ changes: ChangeSet,
    steps: [SchemaChange] = [],
    isSave: Bool = false,
    author: String?,
    message: String? = nil,
    checking check: (StagedReading) throws -> Void = { _ in }
  ) throws -> CommitResult {
    guard isOwn else { throw foreignSchemaError(change) }
    let former = schema
    let replacement = try replacement(change)
    let replaced = ReplacedFields(
      replacement,
      of: former,
      steps: steps.compactMap { SchemaStep($0) }
    )
    let bytes = codec.encode(change, steps: steps)
    let id = HistoryEntry.newIdentifier()
    var token: Int64 = 0
    var result = CommitResult()
    var kept: [KeptFields] = []
    do {
      _ = try saving(as: id) {
        try checkIsCurrent()
        try check(stagedReading())
        kept = try keepDroppedValues(replacement)
        let formerValues =
          isSave
          ? try replaced.formerValues(changedBy: changes) {
            try stagedReading().forEachPage($0, [], $1)
          } : []
        try rebuild(for: replacement)
        use(replacement.schema)
        let (assigned, identifiers) = try assignIdentifiers(changes)
        result = CommitResult(identifiers)
        let saved = isSave ? try checked(assigned) : assigned
        try write(saved)
        if isSave { try checkRequiredValues(after: replacement) }
        // Afterward, because only the changes of records may make values unique.
        try createIndexes()
        token = try appendOutsideChange()
        try appendSchema(token, bytes)
        try appendFormerValues(formerValues, replaced, of: token)
        try appendHistory(
          EncodedChanges(saved, codec),
          HistoryEntry(token: token, id: id, author: author, message: message)
        )
        return saved
      }
    } catch {
      use(former)
      throw error
    }
    if isRehearsal {
      use(former)
      return result
    }
    for fields in kept { fields.hold() }
    noteSave(token)
    schemaToken = token
    result.token = token
    // The change is saved. With the former number, the next look only reads more than it would have to.
    Interruption.ignored {
      if let version = try? connection.number("PRAGMA schema_version") { schemaVersion = version }
    }
    return result
  }

  /// The change as the replacement of the whole schema.
  private func replacement(_ change: SchemaChange) throws -> SchemaReplacement {
    _ = try schema.applying(change)
    if case .replaceSchema(let whole) = change { return whole }
    return try SchemaStep.replacement(SchemaStep(change).map { [$0] } ?? [], from: schema)
  }

  private func appendSchema(_ token: Int64, _ change: [UInt8]) throws {
    try connection.run(
      SQLText(
        "INSERT INTO catalog_schema (token, schema, change) VALUES (?, ?, ?)",
        [.integer(token), .text(try Self.text(of: schema)), .bytes(change)]
      )
    )
  }

  /// Checks that records have values in new required fields without a default.
  private func checkRequiredValues(after replacement: SchemaReplacement) throws {
    for table in ordered {
      let origins = replacement.origins[table.entity.name]
      for column in table.columns
      where !column.field.isOptional && column.field.defaultValue.isNull
        && origins?[column.field.name] == nil
      {
        let sql = try table.select(
          [],
          where: SQLText("\(column.name.quotedName) IS NULL"),
          limit: 1
        )
        guard let row = try connection.rows(sql).first,
          let identifier = table.key.identifier(row, in: table.scope)
        else { continue }
        throw PersistenceError(
          .invalidValue,
          "\(table.entity.name).\(column.field.name): a value is required (record \(identifier))"
        )
      }
    }
  }

  /// Gives each table the columns of the new schema, by a copy if they differ.
  private func rebuild(for replacement: SchemaReplacement) throws {
    let own = OwnTables(replacement.schema, store: identifier)
    var kept: Set<String> = []
    var renamed: [(from: String, to: String)] = []
    connection.releaseStatements()
    for (place, table) in own.ordered.enumerated() {
      let origins = replacement.origins[table.entity.name]
      let old = origins == nil ? nil : tables[table.entity.name]
      let names = table.entity.fields.map(\.name)
      if let old, old.name == table.name, names.allSatisfy({ origins?[$0] == $0 }),
        own.creation(of: table)
          == OwnTables(schema, store: identifier).creation(of: old)
      {
        kept.insert(old.name)
        continue
      }
      let name = "catalog_new_\(place)"
      for statement in own.creation(of: table, as: name) { try connection.run(statement) }
      renamed.append((name, table.name))
      if let old, let origins { try copy(old, to: table, named: name, origins) }
    }
    for table in ordered where !kept.contains(table.name) {
      try connection.run(SQLText("DROP TABLE main.\(table.name.quotedName)"))
    }
    for (from, to) in renamed {
      try connection.run(
        SQLText("ALTER TABLE main.\(from.quotedName) RENAME TO \(to.quotedName)")
      )
    }
  }

  private func copy(
    _ old: TableDescription,
    to new: TableDescription,
    named name: String,
    _ origins: [String: String]
  ) throws {
    var sources: [SQLText] = [SQLText(old.keyColumns[0])]
    for column in new.columns {
      if let origin = origins[column.field.name], let slot = old.entity.layout.slot(of: origin) {
        sources.append(SQLText(old.columns[slot].name.quotedName))
      } else {
        sources.append(SQLText("?", [column.form.stored(column.field.defaultValue) ?? .null]))
      }
    }
    try connection.run(
      SQLText(
        "INSERT INTO main.\(name.quotedName) (\(new.selection(Array(new.columns.indices)))) SELECT "
      )
        + .joined(sources, by: ", ") + SQLText(" FROM \(old.source)")
    )
  }
}
