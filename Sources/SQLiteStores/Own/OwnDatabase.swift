import Foundation
import OpenSwiftData
import SQL
import Stores

/// A database of our own: one table for each entity, and three with schema and history.
final class OwnDatabase: SQLiteDatabase {
  let reader: SQLiteReader
  let keys = NewKeys()
  let lockTimeoutSeconds: Double
  /// False: only triggers of other programs change more than a save.
  let mayChangeOthers = false
  let makesValues = false
  /// True until the file exists.
  var isUnwritten: Bool
  private(set) var lastToken: Int64 = 0
  private(set) var schemaToken: Int64 = 0
  /// The token after which others have saved just before a save of this session, without having been taken in; nil if
  /// there is nothing like that.
  private var overtakenToken: Int64?
  /// The saves of this session since then.
  private var ownTokens: Set<Int64> = []
  /// The number of the last transaction that was discarded from the history.
  var horizon: Int64 = 0
  /// When a program without a history was seen to have changed records, and the last token then; nil after a save.
  private var outsideChange: (date: Date, token: Int64)?

  init(_ reader: SQLiteReader, isUnwritten: Bool, lockTimeoutSeconds: Double) {
    (self.reader, self.isUnwritten) = (reader, isUnwritten)
    self.lockTimeoutSeconds = lockTimeoutSeconds
  }

  /// Takes the schema.
  func use(_ schema: Schema) {
    reader.use(schema, OwnTables(schema, store: identifier).ordered)
  }

  /// Sets what concerns a connection, not the file: only other databases check their foreign keys.
  func configure() throws {
    try connection.run("PRAGMA foreign_keys = OFF")
    try connection.run("PRAGMA journal_size_limit = 67108864")
  }

  /// Refuses a database in a format of a later version.
  static func checkFormat(_ connection: SQLiteConnection, _ path: String) throws {
    let version = try connection.number("PRAGMA user_version")
    guard version > OwnTables.formatVersion else { return }
    throw PersistenceError(
      .notAStore,
      "\(path): format \(version) is newer than this program supports "
        + "(\(OwnTables.formatVersion)); use a newer version"
    )
  }

  /// Reads schema, last transaction and greatest key.
  func load() throws {
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
    if let key = try greatestKey() { keys.given.generator.note(key) }
    for table in ordered {
      let key = table.keyColumns[0]
      let (first, end) = (
        SQLValue.text(OwnKey.recordKeys.first), SQLValue.text(OwnKey.recordKeys.end)
      )
      let greatest = try connection.value(
        "SELECT max(\(key)) FROM \(table.source) WHERE \(key) >= \(first) AND \(key) < \(end)"
      )
      if let text = greatest?.asText,
        let key = OwnKey.identifier(text, in: table.scope)?.recordKey
      {
        keys.given.generator.note(key)
      }
    }
  }

  /// The greatest key that was ever given to a record.
  func greatestKey() throws -> RecordKey? {
    try connection.value("SELECT value FROM catalog_meta WHERE name = 'greatest_key'")?.asText
      .flatMap { RecordKey($0) }
  }

  /// A number of `catalog_meta`; 0 if it is not there.
  func meta(_ name: String) throws -> Int64 {
    try connection.number("SELECT value FROM catalog_meta WHERE name = \(.text(name))")
  }

  func setMeta(_ name: String, _ value: SQLValue) throws {
    try connection.run(
      "INSERT OR REPLACE INTO catalog_meta (name, value) VALUES (\(.text(name)), \(value))"
    )
  }
}

// MARK: Other programs

extension OwnDatabase {
  /// Takes in what other programs have saved.
  func takeIn() throws -> StoreChange? {
    try Self.checkFormat(connection, path)
    let newSchema = try connection.number("SELECT max(token) FROM catalog_schema")
    let newToken = try connection.number("SELECT max(token) FROM catalog_history")
    // VACUUM changes the version of the schema, too.
    let newHorizon = try meta("horizon")
    let newVersion = try connection.number("PRAGMA schema_version")
    if newSchema != schemaToken {
      try load()
      return StoreChange(isIncomplete: true, isSchemaChanged: true)
    }
    let isMaintained = (newHorizon, newVersion) != (horizon, reader.schemaVersion)
    horizon = newHorizon
    reader.schemaVersion = newVersion
    let takenIn = overtakenToken ?? lastToken
    if newToken <= takenIn {
      // Another catalog has discarded history or compacted the file.
      if isMaintained { return .everything }
      // Somebody used SQL. The next save writes this down; a look at the database must not.
      outsideChange = outsideChange ?? (Date(), lastToken)
      return .everything
    }
    let change = try changes(after: takenIn)
    lastToken = newToken
    (overtakenToken, ownTokens) = (nil, [])
    return change
  }

  /// The records that the transactions after this one changed.
  private func changes(after formerToken: Int64) throws -> StoreChange {
    let size = try connection.number(
      "SELECT sum(length(changes)) FROM catalog_history WHERE token > \(.integer(formerToken))"
    )
    guard size < 4 << 20 else { return .everything }
    var change = StoreChange()
    for transaction in try transactions(after: formerToken, touching: nil)
    where !ownTokens.contains(transaction.token) {
      if transaction.isIncomplete { change.isIncomplete = true }
      change.inserted += transaction.changes.inserted.map(\.persistentIdentifier)
      change.updated += transaction.changes.updated.map(\.persistentIdentifier)
      change.deleted += transaction.changes.deleted.map(\.persistentIdentifier)
      for key in transaction.changes.inserted.compactMap(\.persistentIdentifier.recordKey) {
        keys.given.generator.note(key)
      }
    }
    return change
  }
}

// MARK: Saves

extension OwnDatabase {
  func adapt(to error: any Error) throws -> Bool {
    throw (error as? MisfitValue)?.error(path) ?? error
  }

  func tableChange(_ change: SchemaChange, steps: [SchemaStep]) throws -> OwnTableChange {
    try OwnTableChange(change, steps: steps, of: self)
  }

  /// Checks that no other program has changed the schema since it was read.
  func prepareToWrite() throws {
    // No other program has saved since the last look.
    if try connection.number("PRAGMA data_version") == reader.dataVersion { return }
    if try connection.number("SELECT max(token) FROM catalog_schema") != schemaToken {
      throw reader.outdated
    }
    let last = try connection.number("SELECT max(token) FROM catalog_history")
    guard last > lastToken else { return }
    // The next look still has to take in what others have saved since the last one.
    overtakenToken = overtakenToken ?? lastToken
    lastToken = last
  }

  func record(_ entry: inout HistoryEntry) throws {
    entry.token = try appendOutsideChange()
    if let change = entry.change { try append(change, entry.token) }
    try appendHistory(entry)
  }

  private func append(_ change: OwnTableChange, _ token: Int64) throws {
    try connection.run(
      "INSERT INTO catalog_schema (token, schema, change) VALUES (\(.integer(token)), \(.text(try Self.text(of: schema))), \(.bytes(change.bytes)))"
    )
    try appendFormerValues(change.formerValues, change.replaced, of: token)
  }

  func noteSave(_ entry: HistoryEntry) -> Int64 {
    (lastToken, outsideChange) = (entry.token, nil)
    if overtakenToken != nil { ownTokens.insert(entry.token) }
    if entry.change != nil {
      schemaToken = entry.token
      // The change is saved. With the former number, the next look only reads more than it would have to.
      Interruption.ignored {
        if let version = try? connection.number("PRAGMA schema_version") {
          reader.schemaVersion = version
        }
      }
    }
    return lastToken
  }

  /// Adds a transaction without changes for what another program has changed with SQL since the last save.
  ///
  /// - Returns: The token of the next transaction.
  private func appendOutsideChange() throws -> Int64 {
    guard let outsideChange, outsideChange.token == lastToken else { return lastToken + 1 }
    try connection.run(
      "INSERT INTO catalog_history (token, id, at, changes) VALUES (\(.integer(lastToken + 1)), \(.text(UUID().uuidString.lowercased())), \(.text(Timestamp.text(of: outsideChange.date))), x'')"
    )
    return lastToken + 2
  }
}
