import OpenSwiftData
import SQL

/// What a database says about itself, its schemas and its tables.
///
/// Two round trips: the first one finds the schemas, the second one everything else.
struct ServerCatalog {
  /// The tables in the order of their schemas and names.
  private(set) var tables: [ServerTable] = []
  /// The schema whose tables are named without it; nil if there is none.
  private(set) var firstSchema: String?
  /// The table after `#`; nil if a schema is named, or nothing.
  private(set) var table: String?
  /// Why the server saves nothing; nil if it does.
  private(set) var readOnlyReason: String?
  /// About how many rows each table has, by its number; none for a table of which it is not known.
  private var estimates: [UInt32: Int] = [:]

  /// Reads the descriptions.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - part: What follows `#` in the location: a schema, a table, or both.
  ///   - isAgain: True if the part was there before.
  ///   - shown: The location for messages.
  /// - Throws: `PersistenceError` for an unknown part or a server that is too old; `PostgresFailure`.
  init(
    _ connection: PostgresConnection,
    part: String?,
    isAgain: Bool = false,
    shown: String
  ) throws {
    try Self.checkVersion(connection, shown)
    let about = try connection.simple(Self.about(part))
    var schemas = (0..<about[0].rowCount).compactMap { about[0].text($0, 0) }
    (schemas, table) = Self.choose(part, about[1], schemas)
    firstSchema = schemas.first
    if about[2].isTrue(0, 0) {
      readOnlyReason = "the server is a standby"
    } else if about[2].isTrue(0, 1) {
      readOnlyReason = "the server makes transactions read-only for you"
    }
    guard !schemas.isEmpty else { return }
    try read(connection.simple(Self.descriptions(schemas)), schemas)
    if !isAgain, let part, let table, !tables.contains(where: { $0.name == table }) {
      let names = tables.map(\.name)
      throw PersistenceError(
        .unknownEntity,
        "\(shown): unknown schema or table \(Value.quoted(part)); "
          + Suggestion.text(for: table, among: names)
      )
    }
  }

  private static func checkVersion(_ connection: PostgresConnection, _ shown: String) throws {
    let version = connection.serverVersion
    guard version < 120_000 else { return }
    throw PersistenceError(
      .unsupported,
      "\(shown): the server has version \(version / 10_000); PostgreSQL 12 or newer is needed"
    )
  }

  private static func about(_ part: String?) -> String {
    let names = part.map { part in
      [part] + (part.firstIndex(of: ".").map { [String(part[..<$0])] } ?? [])
    }
    let list = (names ?? []).map(SQLText.constant).joined(separator: ", ")
    return """
      SELECT unnest(current_schemas(false));
      SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname IN (\(list.isEmpty ? "NULL" : list));
      SELECT pg_catalog.pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'
      """
  }

  /// The schemas that are shown, and the table that a location names.
  private static func choose(
    _ part: String?,
    _ found: PostgresResult,
    _ path: [String]
  ) -> ([String], String?) {
    guard let part else { return (path, nil) }
    let known = (0..<found.rowCount).compactMap { found.text($0, 0) }
    if known.contains(part) { return ([part], nil) }
    if let point = part.firstIndex(of: "."), known.contains(String(part[..<point])) {
      return ([String(part[..<point])], String(part[part.index(after: point)...]))
    }
    return (path, part)
  }

  // MARK: Tables

  /// About how many rows a table has; nil if that is not known.
  func estimate(ofTable place: Int) -> Int? {
    tables.indices.contains(place) ? estimates[tables[place].number] : nil
  }

  private static func descriptions(_ schemas: [String]) -> String {
    let list = schemas.map(SQLText.constant).joined(separator: ", ")
    let tables = """
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname IN (\(list)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      """
    return """
      SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples::bigint, \
      c.relkind = 'r' AND c.relhassubclass, pg_catalog.has_table_privilege(c.oid, 'SELECT'), \
      pg_catalog.has_table_privilege(c.oid, 'UPDATE'), c.relhasrules OR c.oid IN (\(Self.withOtherChanges)) \
      \(tables) ORDER BY c.relname, n.nspname;
      SELECT a.attrelid, a.attnum, a.attname, \
      CASE coalesce(b.typnamespace, t.typnamespace) WHEN 11 THEN coalesce(b.typname, t.typname) ELSE '' END, \
      a.attnotnull, a.atthasdef OR a.attidentity <> '', a.attgenerated <> '' OR a.attidentity = 'a', \
      coalesce(NOT l.collisdeterministic, false) OR t.typname = 'citext', a.attidentity = 'a', \
      coalesce(b.typtype, t.typtype) = 'e' OR coalesce(b.typname, t.typname) IN ('citext', 'bpchar'), \
      a.attacl IS NOT NULL AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT'), \
      a.attacl IS NOT NULL AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'UPDATE'), \
      CASE WHEN a.attidentity <> '' THEN format('nextval(pg_catalog.pg_get_serial_sequence(%L, %L))', \
      a.attrelid::regclass, a.attname) WHEN a.attnotnull AND a.attgenerated = '' \
      THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END \
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
      LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype AND t.typtype = 'd' \
      LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation \
      LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
      WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid IN (SELECT c.oid \(tables)) \
      ORDER BY a.attrelid, a.attnum;
      SELECT i.indrelid, i.indkey, i.indnkeyatts FROM pg_catalog.pg_index i \
      WHERE i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL \
      AND i.indexprs IS NULL AND i.indrelid IN (SELECT c.oid \(tables)) \
      ORDER BY i.indrelid, NOT i.indisprimary, i.indexrelid;
      SELECT k.conrelid, k.conkey[1], k.confrelid, k.confkey[1], k.confdeltype \
      FROM pg_catalog.pg_constraint k WHERE k.contype = 'f' AND array_length(k.conkey, 1) = 1 \
      AND k.conrelid IN (SELECT c.oid \(tables)) ORDER BY k.conrelid, k.oid
      """
  }

  /// The tables whose changes change rows that no link names: by triggers, or by foreign keys of several columns.
  private static let withOtherChanges = """
    SELECT g.tgrelid FROM pg_catalog.pg_trigger g WHERE NOT g.tgisinternal UNION \
    SELECT k.confrelid FROM pg_catalog.pg_constraint k WHERE k.contype = 'f' AND (k.confupdtype IN ('c', 'n', 'd') \
    OR k.confdeltype IN ('c', 'n', 'd') AND array_length(k.conkey, 1) > 1)
    """

  private mutating func read(_ results: [PostgresResult], _ schemas: [String]) throws {
    guard results.count == 4 else { throw PostgresFailure(message: "no description of the tables") }
    var found: [UInt32: ServerTable] = [:]
    var order: [UInt32] = []
    var rights: (readable: Set<UInt32>, writable: Set<UInt32>) = ([], [])
    for row in 0..<results[0].rowCount {
      let number = UInt32(results[0].number(row, 0))
      order.append(number)
      found[number] = ServerTable(
        number,
        schema: results[0].text(row, 1) ?? "",
        name: results[0].text(row, 2) ?? "",
        kind: results[0].text(row, 3) ?? ""
      )
      found[number]?.hasHeirs = results[0].isTrue(row, 5)
      found[number]?.mayChangeOthers = results[0].isTrue(row, 8)
      if results[0].isTrue(row, 6) { rights.readable.insert(number) }
      if results[0].isTrue(row, 7) { rights.writable.insert(number) }
      let estimate = results[0].number(row, 4)
      if estimate > 0 { estimates[number] = estimate }
    }
    Self.readColumns(results[1], rights.readable, rights.writable, &found)
    Self.readKeys(results[2], &found)
    Self.readReferences(results[3], &found)
    let places = Dictionary(
      schemas.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    // A table without a column that may be read cannot be shown.
    let all = order.compactMap { found[$0] }.filter { !$0.columns.isEmpty }
    tables = all.sorted { places[$0.schema] ?? 0 < places[$1.schema] ?? 0 }
  }

  private static func readColumns(
    _ result: PostgresResult,
    _ readable: Set<UInt32>,
    _ writable: Set<UInt32>,
    _ found: inout [UInt32: ServerTable]
  ) {
    for row in 0..<result.rowCount {
      let table = UInt32(result.number(row, 0))
      let name = result.text(row, 2) ?? ""
      guard readable.contains(table) || result.isTrue(row, 10) else {
        found[table]?.omittedColumns.append(name)
        continue
      }
      var column = ServerColumn(result.number(row, 1), name, result.text(row, 3) ?? "")
      column.isNotNull = result.isTrue(row, 4)
      column.hasDefault = result.isTrue(row, 5)
      column.isGenerated = result.isTrue(row, 6)
      column.isLoose = result.isTrue(row, 7)
      column.isAlwaysNumbered = result.isTrue(row, 8)
      column.isSpelled = result.isTrue(row, 9)
      column.isWritable = writable.contains(table) || result.isTrue(row, 11)
      column.defaultValue = result.text(row, 12)
      found[table]?.columns.append(column)
    }
  }

  private static func readKeys(_ result: PostgresResult, _ found: inout [UInt32: ServerTable]) {
    for row in 0..<result.rowCount {
      let number = UInt32(result.number(row, 0))
      let columns = (result.text(row, 1) ?? "").split(separator: " ").compactMap { Int($0) }
        .prefix(result.number(row, 2))
      found[number]?.uniques.append(Array(columns))
      let isComplete = columns.allSatisfy { place in
        found[number]?.columns.contains { $0.number == place && $0.isNotNull } ?? false
      }
      if isComplete, !columns.isEmpty { found[number]?.keys.append(Array(columns)) }
    }
  }

  private static func readReferences(
    _ result: PostgresResult,
    _ found: inout [UInt32: ServerTable]
  ) {
    for row in 0..<result.rowCount {
      found[UInt32(result.number(row, 0))]?.references.append(
        ServerReference(
          column: result.number(row, 1),
          table: UInt32(result.number(row, 2)),
          target: result.number(row, 3),
          onDelete: result.text(row, 4) ?? ""
        )
      )
    }
  }
}
