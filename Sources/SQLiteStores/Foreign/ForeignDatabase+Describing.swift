import OpenSwiftData
import SQL

/// The tables as the database describes them.
extension ForeignDatabase {
  func describe(_ table: inout ForeignTable) throws {
    try addColumns(&table)
    try addForeignKeys(&table)
    try addIndexes(&table)
    try checkKey(&table)
    omitColumnsOverLimit(&table)
    if table.kind == "view" { try addKnownSamples(&table) } else { try addSamples(&table) }
  }

  func addColumns(_ table: inout ForeignTable) throws {
    let name = table.name
    if table.kind == "view" {
      // Texts in double quotes are accepted once a statement needs them; the one below compiles the view only as it runs.
      try connection.checkIsValid("SELECT 1 FROM main.\(name.quotedName)")
    }
    let rows = try connection.rows(
      "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(\(.text(name)))"
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
      (result.hasCollation, result.keyCollation) = (collation != "BINARY", collation)
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
      table.mayLackKey =
        try connection.number(
          "SELECT EXISTS (SELECT 1 FROM main.\(table.name.quotedName) WHERE \(part.name.quotedName) IS NULL)"
        ) != 0
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

  private func addForeignKeys(_ table: inout ForeignTable) throws {
    let sql: SQLText = """
      SELECT id, "table", on_update, on_delete, "from", "to" FROM pragma_foreign_key_list(\(.text(table.name))) \
      ORDER BY id, seq
      """
    for row in try connection.rows(sql) {
      guard case .text(let parent) = row[1], case .text(let onUpdate) = row[2],
        case .text(let onDelete) = row[3], case .text(let column) = row[4]
      else { continue }
      if table.foreignKeys.last?.id != row[0] {
        table.foreignKeys.append(
          ForeignKey(row[0], parent: parent, onUpdate: onUpdate, onDelete: onDelete)
        )
      }
      let last = table.foreignKeys.count - 1
      table.foreignKeys[last].columns.append(column)
      if case .text(let target) = row[5] { table.foreignKeys[last].targets.append(target) }
    }
  }

  private func addIndexes(_ table: inout ForeignTable) throws {
    let rows = try connection.rows(
      "SELECT name, \"unique\", origin, partial FROM pragma_index_list(\(.text(table.name)))"
    )
    var compared: Set<ExactName> = []
    for row in rows {
      guard case .text(let index) = row[0] else { continue }
      if row[2] == .text("pk") { table.hasKeyIndex = true }
      if row[3] == .integer(0) { try addFirstColumn(of: index, &table) }
      guard row[1] == .integer(1) else { continue }
      let columns = try connection.rows(
        "SELECT name, upper(coll) FROM pragma_index_xinfo(\(.text(index))) WHERE key = 1 ORDER BY seqno"
      )
      table.uniqueIndexes.append(
        columns.map { $0[1] == .text("BINARY") ? $0[0].asText.map(ExactName.init(folding:)) : nil }
      )
      guard row[3] == .integer(0) else { continue }
      addCollations(columns, &table, &compared)
      if columns.count == 1, case .text(let column) = columns[0][0] {
        table.uniqueColumns.insert(ExactName(column))
      }
    }
  }

  /// Notes by which rules a unique index compares its columns; of several indexes, those count that take more texts for
  /// one.
  private func addCollations(
    _ columns: [[SQLValue]],
    _ table: inout ForeignTable,
    _ compared: inout Set<ExactName>
  ) {
    for column in columns {
      guard let name = column[0].asText.map(ExactName.init(folding:)), let rules = column[1].asText,
        let place = table.columns.firstIndex(where: { ExactName(folding: $0.name) == name })
      else { continue }
      if compared.insert(name).inserted || rules != "BINARY" {
        table.columns[place].keyCollation = rules
      }
    }
  }

  private func addFirstColumn(of index: String, _ table: inout ForeignTable) throws {
    let sql: SQLText =
      "SELECT name FROM pragma_index_xinfo(\(.text(index))) WHERE seqno = 0 AND coll = 'BINARY'"
    if case .text(let name)? = try connection.value(sql) {
      table.indexedColumns.insert(ExactName(folding: name))
    }
  }
}
