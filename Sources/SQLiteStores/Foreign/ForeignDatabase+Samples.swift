import OpenSwiftData
import SQL

/// A view of which no value has been read, so that the types of its fields are those that it declares.
struct UnreadView: Error {
  let name: String
}

/// The values that help to choose the types of fields.
///
/// Those of a view are computed, which may take any time, so they are read when the view is used.
extension ForeignDatabase {
  /// The number of rows at each end of a table whose values are read.
  private static let sampleCount = 100
  /// The size of a value of which only the beginning is read.
  private static let sampleSizeBytes = 256
  /// The size of computed values after which no more rows are read.
  private static let computedSizeBytes = 1 << 20

  /// Reads values of the first rows, and of the last ones if rows are numbered.
  func addSamples(_ table: inout ForeignTable) throws {
    if table.columns.isEmpty { return }
    let source = "main.\(table.name.quotedName)"
    let isStored = table.kind == "table"
    let text = "SELECT \(Self.beginnings(table.columns, isStored: isStored)) FROM \(source)"
    var texts = ["\(text) LIMIT \(Self.sampleCount)"]
    if isStored, !table.lacksRowNumber, connection.canPrepare("SELECT rowid FROM \(source)") {
      texts.append("\(text) ORDER BY rowid DESC LIMIT \(Self.sampleCount)")
    }
    for text in texts { try read(text, &table) }
  }

  /// Takes the values that were read when a view was used first.
  ///
  /// - Throws: `SQLiteFailure` if it uses what does not exist.
  func addKnownSamples(_ table: inout ForeignTable) throws {
    if table.columns.isEmpty { return }
    let names = Self.beginnings(table.columns, isStored: false)
    try connection.checkIsValid("SELECT \(names) FROM main.\(table.name.quotedName)")
    let known = viewSamples[table.name] ?? [:]
    table.isUnread = table.columns.contains { known[$0.name] == nil }
    if table.isUnread { return }
    for place in table.columns.indices {
      table.columns[place].samples = known[table.columns[place].name] ?? []
    }
  }

  /// Reads values of a view and chooses the types of its fields.
  ///
  /// - Returns: True if its fields have other types now.
  func readTypes(of view: UnreadView) throws -> Bool {
    let former = schema
    var table = ForeignTable(view.name)
    table.kind = "view"
    try addColumns(&table)
    omitColumnsOverLimit(&table)
    try addSamples(&table)
    viewSamples[view.name] = Dictionary(
      table.columns.map { ($0.name, $0.samples) },
      uniquingKeysWith: { first, _ in first }
    )
    try useSamples(of: view)
    return schema != former
  }

  /// Notes a number with a point in a column of a view that had whole numbers so far, and chooses its type again.
  ///
  /// - Returns: False for any other value, of which no number can be made.
  func readFurther(_ misfit: MisfitValue) throws -> Bool {
    let (table, column) = (misfit.table, misfit.table.columns[misfit.slot])
    guard table.isComputed, column.form == .integer, case .real = misfit.value,
      let known = viewSamples[table.name]?[column.name]
    else { return false }
    viewSamples[table.name]?[column.name] = known + [misfit.value]
    do {
      try useSamples(of: UnreadView(name: table.name))
    } catch {
      // The user may have stopped it: then the types are as they were.
      viewSamples[table.name]?[column.name] = known
      throw error
    }
    return true
  }

  /// Chooses the types of the fields of a view; all tables are described again only if they may have changed.
  private func useSamples(of view: UnreadView) throws {
    var tables = described
    guard try connection.number("PRAGMA schema_version") == connection.knownSchemaVersion,
      let place = tables.firstIndex(where: { $0.name == view.name })
    else { return try load() }
    try addKnownSamples(&tables[place])
    use(tables)
  }

  private func read(_ text: String, _ table: inout ForeignTable) throws {
    var size = 0
    try connection.visit(SQLText(text)) { row in
      for place in table.columns.indices {
        size += row.cell(Int32(place)).sizeBytes
        table.columns[place].samples.append(row.beginning(place, Self.sampleSizeBytes))
      }
      return size < Self.computedSizeBytes
    }
  }

  private static func beginnings(_ columns: [ForeignColumn], isStored: Bool) -> String {
    columns.map { beginning(of: $0, isStored: isStored) }.joined(separator: ", ")
  }

  /// The beginning of a value; SQLite finds the length of stored bytes without reading them.
  ///
  /// A column without a declared type that is not one of a table may be an expression, which is not to be computed
  /// several times.
  private static func beginning(of column: ForeignColumn, isStored: Bool) -> String {
    let (name, size) = (column.name.quotedName, sampleSizeBytes)
    if !isStored, column.type.isEmpty { return name }
    return """
      CASE typeof(\(name)) WHEN 'blob' THEN iif(length(\(name)) > \(size), zeroblob(\(size)), \(name)) \
      WHEN 'text' THEN substr(\(name), 1, \(size)) ELSE \(name) END
      """
  }
}
