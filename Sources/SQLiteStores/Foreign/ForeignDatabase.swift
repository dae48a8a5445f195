import Foundation
import OpenSwiftData
import SQL
import Stores

/// A database of another program: it chooses the tables, and makes values by itself.
final class ForeignDatabase: SQLiteDatabase {
  let reader: SQLiteReader
  let keys = NewKeys()
  let isUnwritten = false
  let makesValues = true
  let schemaToken: Int64 = 0
  /// The saves of this session, and those of other programs that it has noticed.
  private var history: SessionHistory
  /// True if foreign keys, triggers or replaced rows of the database may change more than the records of a save.
  private(set) var mayChangeOthers = false
  var notes: [String] = []
  /// The columns that the call in progress found to have values of several types.
  var widened: [WidenedColumn] = []
  /// The queries in whose records each value is of the form of its column; without order and limits.
  var settled: Set<Query> = []
  /// The tables as they were described last, as long as there are views that have not been used.
  private(set) var described: [ForeignTable] = []
  /// By view, the values of each column that were read when it was used first.
  var viewSamples: [String: [String: [SQLValue]]] = [:]
  /// The tables in which a row without a part of the primary key was found.
  var tablesWithoutKey: Set<String> = []
  /// True if texts are kept as UTF-16.
  private var isWide = false

  init(_ reader: SQLiteReader, _ limit: HistoryLimit) {
    (self.reader, history) = (reader, SessionHistory(limit))
  }

  func configure() throws { try connection.run("PRAGMA foreign_keys = ON") }

  func begin(isSaving: Bool) {
    widened = []
    if isSaving { settled = [] }
  }

  /// Takes in what other programs have saved.
  func takeIn() throws -> StoreChange? {
    settled = []
    let former = schema
    if try connection.number("PRAGMA schema_version") != reader.schemaVersion { try load() }
    var change = StoreChange.everything
    change.isSchemaChanged = schema != former
    _ = history.append(outside: change, id: UUID(), at: Date())
    return change
  }

  /// Describes the tables.
  func load() throws {
    var found: [ForeignTable] = []
    notes = []
    connection.knownSchemaVersion = try connection.number("PRAGMA schema_version")
    let list = try connection.rows(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY name"
    )
    let triggers = try insertingTriggers()
    for row in list {
      guard case .text(let name) = row[0], case .text(let kind) = row[1], kind != "shadow",
        !name.lowercased().hasPrefix("sqlite_")
      else { continue }
      var table = ForeignTable(name)
      table.kind = kind
      table.lacksRowNumber = row[2] == .integer(1)
      table.isStrict = row[3] == .integer(1)
      table.isFilledByTriggers = triggers.mayFill(name)
      do {
        try describe(&table)
        found.append(table)
      } catch let failure as SQLiteFailure {
        // A view of a table that is gone, or a module that this program lacks, cannot be read.
        notes.append("\(path): \(kind) \(Value.quoted(name)) is not shown: \(failure)")
        if failure.isDamage { reader.damagedTables.insert(name) }
      }
    }
    isWide = try connection.value("PRAGMA encoding") != .text("UTF-8")
    mayChangeOthers = try connection.number(Self.otherChanges) != 0
    use(found)
  }

  /// Chooses the fields of described tables.
  func use(_ described: [ForeignTable]) {
    self.described = described.contains(where: \.isUnread) ? described : []
    let tables = ForeignTables(
      described,
      mixed: reader.mixed,
      store: identifier,
      isWide: isWide
    ).tables
    reader.use(Schema(tables.map(\.entity)), tables)
  }

  /// Tells whether there may be triggers, actions of foreign keys or replaced rows.
  private static let otherChanges: SQLText = """
    SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' \
    OR sql LIKE '%references%' OR sql LIKE '%conflict%')
    """

  private func insertingTriggers() throws -> InsertingTriggers {
    let rows = try connection.rows("SELECT sql FROM main.sqlite_schema WHERE type = 'trigger'")
    return InsertingTriggers(rows.compactMap(\.[0].asText))
  }
}

// MARK: Tables without a key

extension ForeignDatabase {
  /// Identifies the rows of a table by their numbers, after one was found that lacks a part of the primary key.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` if its rows were identified by their numbers already.
  func dropKey(_ missing: MissingKey) throws {
    guard tablesWithoutKey.insert(missing.table).inserted else {
      throw PersistenceError(
        .conflict,
        "\(path): \(missing.table): rows without a key were added; open the database again"
      )
    }
    do {
      try load()
    } catch {
      tablesWithoutKey.remove(missing.table)
      throw error
    }
  }
}

// MARK: Saves

extension ForeignDatabase {
  var lastToken: Int64 { history.lastToken }

  /// Checks that no other program has changed the schema since it was read; foreign keys are checked at the end.
  func prepareToWrite() throws {
    if try connection.number("PRAGMA schema_version") != reader.schemaVersion {
      throw NewSchemaVersion()
    }
    try connection.run("PRAGMA defer_foreign_keys = ON")
  }

  func noteSave(_ entry: HistoryEntry) -> Int64 {
    history.append(
      entry.allChanges,
      author: entry.author,
      message: entry.message,
      isIncomplete: entry.isBulk
    )
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try history.transactions(after: token, touching: identifier)
  }

  func deleteTransactions(_ tokens: Set<Int64>) throws { history.delete(tokens) }

  func checkAllows(_ change: SchemaChange?) throws { throw refusal(of: change) }

  /// The refusal to change the tables of another program, with the statements that would.
  private func refusal(of change: SchemaChange?) -> PersistenceError {
    let all = SchemaStatements(tables: tables, schema: schema)
    if let obstacle = change.flatMap(all.obstacle) {
      return PersistenceError(.unsupported, "\(path): \(obstacle)")
    }
    let statements = change.map { all.statements(for: $0) } ?? []
    return PersistenceError(
      .unsupported,
      "\(path): the tables belong to another program and are not changed"
        + (statements.isEmpty ? "" : "; with sqlite3: " + statements.joined(separator: "; "))
    )
  }

  func tableChange(_ change: SchemaChange, steps: [SchemaStep]) throws -> OwnTableChange {
    throw refusal(of: change)
  }

  func compact() throws -> String {
    throw PersistenceError(
      .unsupported,
      "\(path): the database belongs to another program and is not rewritten; "
        + "with sqlite3: VACUUM"
    )
  }
}

/// The database of another program has another version of its schema than the session has read.
struct NewSchemaVersion: Error {}
