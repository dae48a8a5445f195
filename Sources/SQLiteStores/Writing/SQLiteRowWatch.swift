import CSQLite
import OpenSwiftData
import SQL

/// The rows that the database changes by itself while statements run: by foreign keys, triggers and replaced rows.
final class SQLiteRowWatch {
  /// A row, by its number or by the values of its key.
  struct Row: Hashable {
    let table: String
    let key: [SQLValue]
  }

  /// What is known about the change of a row.
  struct Change {
    /// The record of the statement that first changed the row.
    let cause: PersistentIdentifier
    /// True if the row was new then.
    let isNew: Bool
    /// True if a new row took its place.
    let isReplaced: Bool
  }

  /// The rows that changed, in no order.
  private(set) var rows: [Row: Change] = [:]
  /// By entity, the rows that changed without being known, because they are too many.
  private(set) var excess: [String: SideEffects.Counts] = [:]
  /// By entity, the rows that changed without being known, because their table has no key.
  private(set) var withoutKey: [String: SideEffects.Counts] = [:]
  private let tables: [String: TableDescription]
  private let limit: Int
  private var cause: PersistentIdentifier?
  private var operation: Int32 = 0

  /// The number of rows whose values are kept for the history and for undo.
  static let limit = 100_000

  init(_ tables: [TableDescription], limit: Int = SQLiteRowWatch.limit) {
    self.tables = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    self.limit = limit
  }

  /// Names the statement that runs next.
  func begin(_ action: CommitPlan.Action, _ record: PersistentIdentifier) {
    cause = record
    switch action {
    case .insert: operation = SQLITE_INSERT
    case .update: operation = SQLITE_UPDATE
    case .delete: operation = SQLITE_DELETE
    }
  }

  /// True if more rows changed than those of the save, or a trigger has inserted a deleted one again.
  func hasFound(
    beyond own: Set<PersistentIdentifier>,
    deleted: Set<PersistentIdentifier>
  ) -> Bool {
    if !excess.isEmpty || !withoutKey.isEmpty { return true }
    return rows.contains { row, change in
      guard let identifier = identifier(of: row) else { return true }
      return !own.contains(identifier) || change.isNew && deleted.contains(identifier)
    }
  }

  /// By record, that of the statement that made the database change it; only records whose rows tell their keys.
  var causes: [PersistentIdentifier: PersistentIdentifier] {
    rows.reduce(into: [:]) { found, row in
      if let identifier = identifier(of: row.key) { found[identifier] = row.value.cause }
    }
  }

  /// The identifier of a row; nil if its number does not tell its key.
  private func identifier(of row: Row) -> PersistentIdentifier? {
    guard let table = tables[row.table], table.rowNumber == nil || table.key == .number else {
      return nil
    }
    return table.key.identifier(row.key, in: table.scope)
  }

  /// Takes a change that the database reports.
  fileprivate func take(
    _ database: OpaquePointer,
    _ operation: Int32,
    _ name: String,
    _ numbers: (before: Int64, after: Int64)
  ) {
    let isIndirect = catalog_sqlite_is_indirect(database) != 0
    guard isIndirect || operation != self.operation, let table = tables[name], let cause else {
      return
    }
    let before =
      operation == SQLITE_INSERT ? nil : key(table, numbers.before, database, isNew: false)
    let after = operation == SQLITE_DELETE ? nil : key(table, numbers.after, database, isNew: true)
    let found = Set([before, after].compactMap { $0 }).map { Row(table: name, key: $0) }
    if !found.isEmpty, found.allSatisfy({ rows[$0] != nil }) { return }
    if found.isEmpty { return Self.count(operation, table.entity.name, &withoutKey) }
    if rows.count >= limit { return Self.count(operation, table.entity.name, &excess) }
    for row in found where rows[row] == nil {
      rows[row] = Change(cause: cause, isNew: row.key != before, isReplaced: !isIndirect)
    }
  }

  private static func count(
    _ operation: Int32,
    _ name: String,
    _ found: inout [String: SideEffects.Counts]
  ) {
    switch operation {
    case SQLITE_INSERT: found[name, default: .init()].inserted += 1
    case SQLITE_DELETE: found[name, default: .init()].deleted += 1
    default: found[name, default: .init()].updated += 1
    }
  }

  /// What identifies a row: its number, or else the values of its key; nil if it has neither.
  private func key(
    _ table: TableDescription,
    _ number: Int64,
    _ database: OpaquePointer,
    isNew: Bool
  ) -> [SQLValue]? {
    if table.isCounted { return nil }
    if table.rowNumber != nil { return [.integer(number)] }
    // The key of a table of our own is its first column.
    let places = table.key == .own ? [0] : table.keyPlaces
    return places.map { place in
      SQLValue(catalog_sqlite_changed_value(database, Int32(place), isNew ? 1 : 0))
    }
  }
}

extension SQLiteConnection {
  /// True if the library tells which rows change.
  static var canWatch: Bool { catalog_sqlite_can_watch() != 0 }

  /// Runs a body while a watch receives the rows that change.
  func watching<Result>(_ watch: SQLiteRowWatch, _ body: () throws -> Result) rethrows -> Result {
    withHandle { handle in
      catalog_sqlite_watch(
        handle,
        { context, database, operation, schema, table, before, after in
          guard let context, let database, let schema, let table,
            String(cString: schema) == "main"
          else { return }
          Unmanaged<SQLiteRowWatch>.fromOpaque(context).takeUnretainedValue().take(
            database,
            operation,
            String(cString: table),
            (before, after)
          )
        },
        Unmanaged.passUnretained(watch).toOpaque()
      )
    }
    defer { withHandle { catalog_sqlite_watch($0, nil, nil) } }
    return try body()
  }
}
