import Foundation
import OpenSwiftData
import SQL
import Stores

/// The history, in a table.
extension OwnDatabase {
  /// Adds a transaction to the table, without changes that are too many to keep.
  func appendHistory(_ entry: HistoryEntry) throws {
    let changes =
      entry.isBulk ? nil : entry.encoded ?? EncodedChanges(entry.allChanges, reader.codec)
    let values: [SQLValue] = [
      .integer(entry.token), .text(entry.id.uuidString.lowercased()),
      .text(Timestamp.text(of: Date())), entry.author.map { .text($0) } ?? .null,
      entry.message.map { .text($0) } ?? .null,
    ]
    let bytes = try changes?.bytes() ?? []
    let insertion = """
      INSERT INTO catalog_history (token, id, at, author, message, changes) \
      VALUES (?, ?, ?, ?, ?, ?)
      """
    try connection.repeating(insertion) { run in
      for (place, value) in values.enumerated() { try run.bind(value, Int32(place + 1)) }
      try bytes.withUnsafeBytes {
        try run.bind($0, Int32(values.count + 1))
        _ = try run.step()
      }
    }
    guard let greatest = changes?.greatestKey ?? entry.greatestKey else { return }
    if try greatestKey().map({ $0 < greatest }) ?? true {
      try setMeta("greatest_key", .text(greatest.description))
    }
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try PersistenceError.check(token, horizon: try meta("horizon"), last: lastToken)
    var schemas = try HistorySchemas(reader)
    let formerValues = try formerValues()
    var found: [Transaction] = []
    let sql: SQLText = """
      SELECT token, id, at, author, message, changes FROM catalog_history \
      WHERE token > \(.integer(token ?? 0)) ORDER BY token
      """
    try connection.forEach(sql) { row in
      var transaction = try self.transaction(row.values, &schemas)
      if let bytes = formerValues[transaction.token] {
        try transaction.takeFormerValues(bytes, storeIdentifier: self.identifier)
      }
      guard let identifier else { return found.append(transaction) }
      if let part = transaction.restricted(to: identifier) { found.append(part) }
    }
    return found
  }

  /// Reads all transactions and calls the body with each that is damaged.
  func forEachTransactionError(_ body: (String, PersistenceError) -> Void) throws {
    var schemas = try HistorySchemas(reader)
    try connection.forEach(Self.allTransactions) { row in
      do {
        _ = try transaction(row.values, &schemas)
      } catch let error as PersistenceError {
        body(row[0].literal, error)
      }
    }
  }

  private static let allTransactions: SQLText = """
    SELECT token, id, at, author, message, changes FROM catalog_history ORDER BY token
    """

  private func transaction(_ row: [SQLValue], _ schemas: inout HistorySchemas) throws -> Transaction
  {
    guard case .integer(let token) = row[0], case .text(let id) = row[1],
      case .text(let time) = row[2], case .bytes(let bytes) = row[5],
      let uuid = UUID(uuidString: id), let date = Timestamp.reading(of: time)?.date
    else {
      throw PersistenceError(.damaged, "\(path): damaged row in catalog_history: \(row[0].literal)")
    }
    let (codec, change, steps, former) = try schemas.at(token)
    let isUnknown = bytes.isEmpty && change == nil
    var transaction = Transaction(
      token: token,
      id: uuid,
      timestamp: date,
      author: row[3].asText,
      changes: isUnknown ? ChangeSet() : try codec.decode(bytes),
      schemaChange: change
    )
    if case .replaceSchema = change { transaction.formerSchema = former }
    transaction.steps = steps
    transaction.message = row[4].asText
    transaction.isIncomplete = isUnknown
    // A copy or a deletion by a query of this library has a message.
    transaction.isExternal = isUnknown && transaction.message == nil
    return transaction
  }

  func deleteTransactions(_ tokens: Set<Int64>) throws {
    guard let last = tokens.filter({ $0 <= lastToken }).max() else { return }
    let newHorizon = max(last, horizon, try meta("horizon"))
    try connection.transaction {
      for token in tokens.sorted() {
        try connection.run(
          "DELETE FROM catalog_history WHERE token = \(.integer(token))"
        )
        try connection.run(
          "DELETE FROM catalog_meta WHERE name = \(.text(Self.formerValuesName + String(token)))"
        )
      }
      try setMeta("horizon", .integer(newHorizon))
      try setMeta("last_token", .integer(max(lastToken, try meta("last_token"))))
    }
    horizon = newHorizon
  }
}

// MARK: Former values of converted fields

extension OwnDatabase {
  /// Their name in `catalog_meta`, without the number of the transaction that follows it.
  private static let formerValuesName = "former_values_"

  /// Adds the former values of the fields that a transaction converts.
  func appendFormerValues(
    _ values: [DefaultSnapshot],
    _ fields: ReplacedFields,
    of token: Int64
  ) throws {
    guard !values.isEmpty else { return }
    let bytes = try ChangeSetCodec.bytes(of: values, fields, storeIdentifier: identifier)
    try setMeta(Self.formerValuesName + String(token), .bytes(bytes))
  }

  /// The former values of converted fields, by transaction.
  private func formerValues() throws -> [Int64: [UInt8]] {
    var found: [Int64: [UInt8]] = [:]
    let name = Self.formerValuesName
    let sql: SQLText = """
      SELECT name, value FROM catalog_meta \
      WHERE substr(name, 1, \(.integer(Int64(name.utf8.count)))) = \(.text(name))
      """
    try connection.forEach(sql) { row in
      guard case .text(let name) = row.values[0], case .bytes(let bytes) = row.values[1],
        let token = Int64(name.dropFirst(Self.formerValuesName.count))
      else { return }
      found[token] = bytes
    }
    return found
  }
}

/// The schemas of the transactions of a history.
private struct HistorySchemas {
  private struct Version {
    let token: Int64
    let schema: Schema
    let codec: ChangeSetCodec
    let change: [UInt8]?
  }

  private var versions: [Version] = []

  init(_ reader: SQLiteReader) throws {
    try reader.connection.forEach(
      "SELECT token, schema, change FROM catalog_schema ORDER BY token"
    ) { row in
      guard case .integer(let token) = row[0], case .text(let text) = row[1] else { return }
      let schema = try OwnDatabase.schema(text, reader.path)
      var change: [UInt8]?
      if case .bytes(let bytes) = row[2] { change = bytes }
      let codec = ChangeSetCodec(schema, storeIdentifier: reader.identifier)
      versions.append(Version(token: token, schema: schema, codec: codec, change: change))
    }
  }

  /// The codec of a transaction, and the change of the schema if it was one, with the changes that this combines.
  func at(_ token: Int64) throws -> (
    ChangeSetCodec, SchemaChange?, steps: [SchemaStep], former: Schema?
  ) {
    guard let place = versions.lastIndex(where: { $0.token <= token }) else {
      throw PersistenceError(.damaged, "damaged history: no schema for transaction \(token)")
    }
    let version = versions[place]
    guard version.token == token, place > 0, let change = version.change else {
      return (version.codec, nil, [], nil)
    }
    let former = versions[place - 1]
    let (whole, steps) = try former.codec.schemaChanges(change)
    return (version.codec, whole, steps, former.schema)
  }
}
