package import OpenSwiftData

/// The tables of a database of our own: one for each entity, and three with schema and history.
package struct OwnTables: Sendable {
  /// The number in the header of the file that marks it: "CTLG".
  package static let applicationID: Int64 = 0x4354_4C47
  /// The version of the format.
  package static let formatVersion: Int64 = 1

  /// The tables by entity.
  package let tables: [String: TableDescription]
  /// The tables in the order of the schema.
  package let ordered: [TableDescription]
  private let schema: Schema

  /// Describes the tables of a schema.
  ///
  /// Names that SQLite takes for equal, because it ignores case, get a number.
  package init(_ schema: Schema, store: String) {
    self.schema = schema
    var used: Set<String> = []
    ordered = schema.entities.map { entity in
      Self.table(entity, named: Self.unused(Self.unreserved(entity.name), &used), store)
    }
    tables = Dictionary(ordered.map { ($0.entity.name, $0) }, uniquingKeysWith: { $1 })
  }

  private static func unreserved(_ name: String) -> String {
    let small = name.lowercased()
    return small.hasPrefix("sqlite_") || small.hasPrefix("catalog_") ? "_" + name : name
  }

  private static func unused(_ name: String, _ used: inout Set<String>) -> String {
    let name = name.replacing("\0", with: "\u{2400}")
    var (result, number) = (name, 1)
    while !used.insert(result.lowercased()).inserted {
      number += 1
      result = "\(name)_\(number)"
    }
    return result
  }

  private static func table(_ entity: Schema.Entity, named name: String, _ store: String)
    -> TableDescription
  {
    var used: Set<String> = []
    let key = unused(entity.identifierKey, &used)
    let columns = entity.fields.map { field in
      ColumnDescription(unused(field.name, &used), field, form(of: field, store))
    }
    return TableDescription(
      entity,
      table: name,
      columns: columns,
      key: .own,
      keyColumns: [key.quotedName],
      store: store
    )
  }

  private static func form(of field: Schema.Attribute, _ store: String) -> ColumnForm {
    switch field.type {
    case .text: field.isBlob ? .blob(keepsTexts: true) : .text
    case .integer: .integer
    case .number: .number
    case .decimal: .decimal
    case .boolean: .boolean
    case .date: .date
    case .datetime: .moment(.own)
    case .uuid: .uuid
    case .json: .json
    case .link(let entity): .link(LinkForm(to: entity, key: .own, store: store))
    case .links(let entity): .links(LinkForm(to: entity, key: .own, store: store))
    }
  }

  /// The statements that create the tables of schema and history.
  package static let creation: [SQLText] = [
    "CREATE TABLE catalog_meta (name TEXT NOT NULL PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE catalog_schema (token INTEGER NOT NULL PRIMARY KEY, schema TEXT NOT NULL, \
    change BLOB) STRICT
    """,
    """
    CREATE TABLE catalog_history (token INTEGER NOT NULL PRIMARY KEY, id TEXT NOT NULL, \
    at TEXT NOT NULL, author TEXT, message TEXT, changes BLOB NOT NULL) STRICT
    """,
  ]

  /// The statements that create the table of an entity and its indexes; the table gets another name if one is given.
  package func creation(of table: TableDescription, as name: String? = nil) -> [SQLText] {
    let columns = table.columns.map { "\($0.name.quotedName) \(declaration($0))" }
    let all = ["\(table.keyColumns[0]) TEXT NOT NULL PRIMARY KEY"] + columns
    return [
      "CREATE TABLE main.\((name ?? table.name).quotedName) (\(all.joined(separator: ", "))) "
        + "STRICT, WITHOUT ROWID"
    ]
  }

  /// The statements that create the indexes of a table.
  package func indexes(of table: TableDescription, constraints: [[String]]) -> [SQLText] {
    func columns(_ names: [String]) -> [ColumnDescription] {
      names.compactMap { name in table.entity.layout.slot(of: name).map { table.columns[$0] } }
    }
    func index(_ names: [String], isUnique: Bool) -> SQLText? {
      let columns = columns(names)
      guard !columns.isEmpty, columns.count == names.count else { return nil }
      let list = columns.map(\.name.quotedName).joined(separator: ", ")
      let name = (["catalog_index", table.name] + columns.map(\.name)).joined(separator: ".")
      return "CREATE \(isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS main.\(name.quotedName) ON "
        + "\(table.name.quotedName) (\(list))"
    }
    let unique = table.entity.fields.filter(\.isUnique).map { [$0.name] }
    let others = (constraints + table.entity.indices).filter { !unique.contains($0) }
    return unique.compactMap { index($0, isUnique: true) }
      + others.compactMap { index($0, isUnique: false) }
  }

  private func declaration(_ column: ColumnDescription) -> String {
    let name = column.name.quotedName
    switch column.form {
    case .integer: return "INTEGER"
    // Comparisons and no lists: SQLite builds a table of a list for each row that it checks.
    case .boolean: return "INTEGER CHECK (\(name) BETWEEN 0 AND 1)"
    case .number:
      return
        "ANY CHECK (\(name) IS NULL OR typeof(\(name)) = 'real' OR typeof(\(name)) = 'integer' "
        + "OR \(name) = 'NaN')"
    case .blob: return "ANY"
    case .link(let link):
      // A link may also refer to a record of an entity with the same fields and more.
      let others = schema.entities.filter { schema.accepts($0.name, for: link.entity) }
      guard others.count == 1, let target = tables[link.entity] else { return "TEXT" }
      return "TEXT REFERENCES \(target.name.quotedName) (\(target.keyColumns[0])) "
        + "DEFERRABLE INITIALLY DEFERRED"
    default: return "TEXT"
    }
  }
}
