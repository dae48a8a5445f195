import Foundation
import OpenSwiftData
import SQL
import Stores

/// What other programs do with the database.
extension SQLiteSession {
  /// Notices what other programs have saved since the last look.
  ///
  /// - Returns: What changed; nil if nothing did.
  func takeInOthers() throws -> StoreChange? {
    if isUnwritten { return nil }
    if try connection.number("PRAGMA data_version") == dataVersion { return nil }
    // Another save between the statements would be taken in with this one, and look like a change outside the history
    // later.
    return try connection.atOneMoment {
      let version = try connection.number("PRAGMA data_version")
      settled = []
      let change = isOwn ? try takeInOwn() : try takeInForeign()
      schemaVersion = try connection.number("PRAGMA schema_version")
      // Last, so that a look that fails is repeated by the next one.
      dataVersion = version
      return change
    }
  }

  /// Checks the file before each statement that begins to read it.
  ///
  /// SQLite finds the rollback journal of a file by its name. Once another file has this name, reading the former one
  /// would remove the journal of the new one, and with it the way back from an interrupted save of another program.
  func checkFileBeforeReading() {
    connection.willRead = { [weak self] in try self?.checkFile() }
  }

  /// Checks that the path still leads to the file that is open: its records could be read for ever without a change.
  func checkFile(isSaving: Bool = false) throws {
    guard let file else { return }
    guard FileIdentity(path) == file else {
      throw PersistenceError(
        .conflict,
        "\(path): the file was replaced or removed by another program; "
          + (isSaving ? "nothing was saved; " : "") + "reopen it"
      )
    }
    if isSaving { try checkHasOneName() }
  }

  /// Refuses to save a file with several names: SQLite finds its log or its journal by the name, so that under two names
  /// two programs would write at the same time, each without what the other one has saved.
  ///
  /// Source: <https://www.sqlite.org/howtocorrupt.html#multiple_links_to_the_same_file>
  private func checkHasOneName() throws {
    let count = Self.nameCount(path)
    guard count > 1 else { return }
    throw PersistenceError(
      .inaccessible,
      "\(path): has \(count) hard links, each with a journal of its own; nothing was saved; "
        + "remove the others or make them symbolic links"
    )
  }

  /// The number of names of a file; 0 if there is none.
  static func nameCount(_ path: String) -> Int {
    // A file that cannot be looked at is refused by what comes next.
    (try? LocalFileSystem().status(of: path, in: nil).linkCount) ?? 0
  }

  private func takeInOwn() throws -> StoreChange? {
    try Self.checkFormat(connection, path)
    let newSchema = try connection.number("SELECT max(token) FROM catalog_schema")
    let newToken = try connection.number("SELECT max(token) FROM catalog_history")
    // VACUUM changes the version of the schema, too.
    let newHorizon = try meta("horizon")
    let newVersion = try connection.number("PRAGMA schema_version")
    if newSchema != schemaToken {
      try loadOwn()
      return StoreChange(isIncomplete: true, isSchemaChanged: true)
    }
    let isMaintained = (newHorizon, newVersion) != (horizon, schemaVersion)
    horizon = newHorizon
    schemaVersion = newVersion
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
      SQLText(
        "SELECT sum(length(changes)) FROM catalog_history WHERE token > ?",
        [.integer(formerToken)]
      )
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
        generator.note(key)
      }
    }
    return change
  }

  private func takeInForeign() throws -> StoreChange {
    let former = schema
    if try connection.number("PRAGMA schema_version") != schemaVersion { try loadForeign() }
    var change = StoreChange.everything
    change.isSchemaChanged = schema != former
    lastToken = history.append(outside: change, id: UUID(), at: Date())
    return change
  }
}

// MARK: Databases of other programs

extension SQLiteSession {
  /// Describes the tables.
  func loadForeign() throws {
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
        if failure.isDamage { damagedTables.insert(name) }
      }
    }
    isWide = try connection.value("PRAGMA encoding") != .text("UTF-8")
    mayChangeOthers = try connection.number(Self.otherChanges) != 0
    useForeign(found)
  }

  /// Chooses the fields of described tables.
  func useForeign(_ described: [ForeignTable]) {
    self.described = described.contains(where: \.isUnread) ? described : []
    let tables = ForeignTables(
      described,
      mixed: mixed,
      store: identifier,
      isWide: isWide
    ).tables
    use(Schema(tables.map(\.entity)), tables)
  }

  /// Tells whether there may be triggers, actions of foreign keys or replaced rows.
  private static let otherChanges: SQLText = """
    SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' \
    OR sql LIKE '%references%' OR sql LIKE '%conflict%')
    """

  private func insertingTriggers() throws -> InsertingTriggers {
    let rows = try connection.rows("SELECT sql FROM main.sqlite_schema WHERE type = 'trigger'")
    return InsertingTriggers(
      rows.compactMap { if case .text(let sql) = $0[0] { sql } else { nil } }
    )
  }

  private func describe(_ table: inout ForeignTable) throws {
    try addColumns(&table)
    try addReferences(&table)
    try addIndexes(&table)
    try checkKey(&table)
    omitColumnsOverLimit(&table)
    if table.kind == "view" { try addKnownSamples(&table) } else { try addSamples(&table) }
  }

  func addColumns(_ table: inout ForeignTable) throws {
    let name = table.name
    let rows = try connection.rows(
      SQLText(
        "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)",
        [.text(name)]
      )
    )
    for row in rows {
      guard case .text(let column) = row[0], case .integer(let place) = row[4],
        case .integer(let hidden) = row[5], hidden != 1
      else { continue }
      var type = ""
      if case .text(let text) = row[1] { type = text }
      var result = ForeignColumn(column, type)
      result.isNotNull = row[2] == .integer(1)
      if case .text(let text) = row[3] { result.defaultValue = ColumnDefault(text) }
      result.keyPlace = Int(place)
      result.isGenerated = hidden > 1
      if result.isGenerated, !isComputable(column, of: name) { continue }
      let collation = connection.collation(column, of: name)
      (result.hasCollation, result.ignoresCase) = (collation != "BINARY", collation == "NOCASE")
      table.columns.append(result)
    }
  }

  /// False for a column that the database cannot compute, as without a function of the program that made it; a note says
  /// so.
  private func isComputable(_ column: String, of table: String) -> Bool {
    do {
      try connection.checkIsValid("SELECT \(column.quotedName) FROM main.\(table.quotedName)")
      return true
    } catch {
      notes.append("\(path): \(table): column \(Value.quoted(column)) is not shown: \(error)")
      return false
    }
  }

  /// Looks whether a row lacks a part of the primary key: then numbers identify the rows.
  ///
  /// An index tells it of the first part at once; of another one, the keys of all rows do.
  private func checkKey(_ table: inout ForeignTable) throws {
    guard table.kind == "table", !tablesWithoutKey.contains(table.name) else { return }
    let parts = table.columns.filter { $0.keyPlace > 0 }
    if parts.isEmpty { return }
    table.mayLackKey = false
    guard table.hasKeyIndex, !table.lacksRowNumber else { return }
    for part in parts where !part.isNotNull && !table.mayLackKey {
      let sql =
        "SELECT EXISTS (SELECT 1 FROM main.\(table.name.quotedName) WHERE \(part.name.quotedName) IS NULL)"
      table.mayLackKey = try connection.number(SQLText(sql)) != 0
    }
  }

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
      try loadForeign()
    } catch {
      tablesWithoutKey.remove(missing.table)
      throw error
    }
  }

  /// Leaves out columns that results have no room for; a key that is not a column needs a place, too.
  func omitColumnsOverLimit(_ table: inout ForeignTable) {
    let excess = table.columns.count + 1 - connection.columnLimit
    guard excess > 0, table.hasHiddenKey else { return }
    table.omittedColumns = table.columns.suffix(excess).map(\.name)
    table.columns.removeLast(excess)
    let omitted = table.omittedColumns.map { Value.quoted($0) }.joined(separator: ", ")
    notes.append("\(path): \(table.name): too many columns; \(omitted) not shown")
  }

  private func addReferences(_ table: inout ForeignTable) throws {
    let parts = try connection.rows(
      SQLText("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)", [.text(table.name)])
    )
    for part in parts {
      guard case .text(let column) = part[0], case .text(let parent) = part[1] else { continue }
      table.referringColumns.insert(ExactName(folding: column))
      table.parents.insert(ExactName(folding: parent))
    }
    let rows = try connection.rows(
      SQLText(
        """
        SELECT id, "from", "table", "to", on_delete, count(*) FROM pragma_foreign_key_list(?) \
        GROUP BY id HAVING count(*) = 1
        """,
        [.text(table.name)]
      )
    )
    for row in rows {
      guard case .text(let column) = row[1], case .text(let other) = row[2],
        case .text(let action) = row[4]
      else { continue }
      var target: String?
      if case .text(let name) = row[3] { target = name }
      table.references.append(
        .init(column: column, table: other, target: target, onDelete: action)
      )
    }
  }

  private func addIndexes(_ table: inout ForeignTable) throws {
    let rows = try connection.rows(
      SQLText(
        "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?)",
        [.text(table.name)]
      )
    )
    for row in rows {
      guard case .text(let index) = row[0] else { continue }
      if row[2] == .text("pk") { table.hasKeyIndex = true }
      if row[3] == .integer(0) { try addFirstColumn(of: index, &table) }
      guard row[1] == .integer(1) else { continue }
      let columns = try connection.rows(
        SQLText("SELECT name FROM pragma_index_info(?)", [.text(index)])
      )
      table.uniqueIndexes.append(
        columns.map { if case .text(let name) = $0[0] { ExactName(folding: name) } else { nil } }
      )
      if row[3] == .integer(0), columns.count == 1, case .text(let column) = columns[0][0] {
        table.uniqueColumns.insert(ExactName(column))
      }
    }
  }

  private func addFirstColumn(of index: String, _ table: inout ForeignTable) throws {
    let sql = "SELECT name FROM pragma_index_xinfo(?) WHERE seqno = 0 AND coll = 'BINARY'"
    if case .text(let name)? = try connection.value(SQLText(sql, [.text(index)])) {
      table.indexedColumns.insert(ExactName(folding: name))
    }
  }

  /// The refusal to change the tables of another program, with the statements that would.
  func foreignSchemaError(_ change: SchemaChange?) -> PersistenceError {
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

  // MARK: Maintenance

  func compact() throws -> String {
    guard isOwn else {
      throw PersistenceError(
        .unsupported,
        "\(path): the database belongs to another program and is not rewritten; "
          + "with sqlite3: VACUUM"
      )
    }
    if isUnwritten { return "nothing to compact" }
    let former = try connection.number("PRAGMA page_count")
    try connection.run("VACUUM")
    // An empty log would look like a change to other catalogs that have seen the new schema version already.
    try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
    schemaVersion = try connection.number("PRAGMA schema_version")
    let size = try connection.number("PRAGMA page_size")
    let now = try connection.number("PRAGMA page_count")
    return "compacted \(sizeText(Int(former * size))) to \(sizeText(Int(now * size)))"
  }
}

/// The database of another program has another version of its schema than the session has read.
struct NewSchemaVersion: Error {}
