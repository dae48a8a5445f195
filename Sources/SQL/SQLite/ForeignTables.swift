import OpenSwiftData

/// A column of somebody else's table, as the database describes it.
package struct ForeignColumn: Sendable {
  /// Its name.
  package var name: String
  /// The declared type, perhaps empty.
  package var type: String
  /// True if it is declared NOT NULL.
  package var isNotNull = false
  /// The value in a new row.
  package var defaultValue = ColumnDefault.none
  /// The place in the primary key from 1; 0 for other columns.
  package var keyPlace = 0
  /// True if the database computes it.
  package var isGenerated = false
  /// True if the database compares it by its own rules.
  package var hasCollation = false
  /// The rules by which it is compared where it is unique, in capital letters: those of the index, which may differ from
  /// its own.
  package var keyCollation = "BINARY"
  /// Some of the values.
  package var samples: [SQLValue] = []

  /// Describes a column.
  package init(_ name: String, _ type: String) { (self.name, self.type) = (name, type) }
}

/// A foreign key, as the database describes it.
package struct ForeignKey: Sendable {
  /// Its number in the table.
  package let id: SQLValue
  /// The table that it refers to.
  package let parent: String
  /// The columns, in their order.
  package var columns: [String] = []
  /// The columns that they refer to; none for the primary key.
  package var targets: [String] = []
  /// What happens to the row when the key of the other one changes, in capital letters.
  package let onUpdate: String
  /// What happens to the row when the other one is deleted, in capital letters.
  package let onDelete: String

  /// Describes a foreign key whose columns are still to be added.
  package init(_ id: SQLValue, parent: String, onUpdate: String, onDelete: String) {
    (self.id, self.parent) = (id, parent)
    (self.onUpdate, self.onDelete) = (onUpdate.uppercased(), onDelete.uppercased())
  }
}

/// Somebody else's table, as the database describes it.
package struct ForeignTable: Sendable {
  /// Its name.
  package var name: String
  /// `table`, `view` or `virtual`.
  package var kind = "table"
  /// True for WITHOUT ROWID.
  package var lacksRowNumber = false
  /// True if a row may lack a part of the primary key, which SQLite allows unless it is declared NOT NULL.
  package var mayLackKey = true
  /// True for STRICT.
  package var isStrict = false
  /// True if an index keeps the primary key: then it is not the number of the row.
  package var hasKeyIndex = false
  /// True if a trigger may add rows.
  package var isFilledByTriggers = false
  /// True for a view whose values are to be read when it is used.
  package var isUnread = false
  /// The columns.
  package var columns: [ForeignColumn] = []
  /// The names of columns that are not among them, because a result has no room for them.
  package var omittedColumns: [String] = []
  /// The foreign keys, in the order of their numbers.
  package var foreignKeys: [ForeignKey] = []
  /// The columns that an index of all rows begins with, if it compares their bytes.
  package var indexedColumns: Set<ExactName> = []
  /// The columns that are unique.
  package var uniqueColumns: Set<ExactName> = []
  /// The columns of each unique index; nil for an expression, and for a column that is compared by rules of its own.
  package var uniqueIndexes: [[ExactName?]] = []

  /// Describes a table.
  package init(_ name: String) { self.name = name }

  /// True if the key is not among the columns.
  package var hasHiddenKey: Bool {
    let key = ForeignTables.key(of: self)
    return key.isUnstable || key.isCounted
  }

  /// The columns of the primary key, in its order.
  var keyColumns: [ForeignColumn] {
    columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
  }

  /// The column that is the number of the row.
  var numberColumn: ForeignColumn? {
    guard !lacksRowNumber, !hasKeyIndex, keyColumns.count == 1, kind == "table" else { return nil }
    return keyColumns[0].type.uppercased() == "INTEGER" ? keyColumns[0] : nil
  }

  /// A name for the number of the row that no column has.
  var rowNumberName: String? {
    if lacksRowNumber || kind == "view" { return nil }
    let taken = Set(columns.map { ExactName(folding: $0.name) })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains(ExactName($0)) }
  }
}

/// The entities that show the tables of somebody else's database.
package struct ForeignTables: Sendable {
  /// The tables in order.
  package let tables: [TableDescription]

  /// Describes the tables.
  ///
  /// - Parameters:
  ///   - found: What the database says.
  ///   - mixed: By table, the columns that are known to have values of several types, with the form that they had before.
  ///   - store: The identifier of the store.
  ///   - isWide: True if texts are kept as UTF-16.
  package init(
    _ found: [ForeignTable],
    mixed: [String: [String: ColumnForm]],
    store: String,
    isWide: Bool = false
  ) {
    let keys = Dictionary(
      found.map { (ExactName(folding: $0.name), Self.key(of: $0)) },
      uniquingKeysWith: { $1 }
    )
    let names = Self.entityNames(found)
    let targets = Dictionary(
      found.map { table in
        let name = ExactName(folding: table.name)
        let key = keys[name]?.form ?? .number
        return (name, ForeignMapping.Target(table, entity: names[name] ?? table.name, key: key))
      },
      uniquingKeysWith: { first, _ in first }
    )
    tables = found.map { table in
      var mapping = ForeignMapping(
        table: table,
        mixed: mixed[table.name] ?? [:],
        store: store,
        key: Self.key(of: table)
      )
      mapping.isWide = isWide
      mapping.findLinks(targets)
      return mapping.tableDescription(named: names[ExactName(folding: table.name)] ?? table.name)
    }
  }

  /// The names of the entities by those of the tables.
  private static func entityNames(_ found: [ForeignTable]) -> [ExactName: String] {
    var used: Set<String> = []
    var names: [ExactName: String] = [:]
    for (place, table) in found.enumerated() {
      let name = validName(table.name, "table", place, &used)
      names[ExactName(folding: table.name)] = name
    }
    return names
  }

  /// A name that a schema accepts.
  static func validName(
    _ name: String,
    _ kind: String,
    _ place: Int,
    _ used: inout Set<String>
  ) -> String {
    var result = name
    if name.isEmpty || name.utf8.count > 255 || used.contains(name) {
      result = "\(name.prefix(40))_\(kind)\(place + 1)"
    }
    while !used.insert(result).inserted { result += "_" }
    return result
  }

  /// The form of the key of a table and its columns.
  static func key(of table: ForeignTable) -> ForeignKeyChoice {
    if let column = table.numberColumn {
      return ForeignKeyChoice(form: .number, columns: [column.name.quotedName])
    }
    let parts = table.keyColumns
    let isComplete = table.lacksRowNumber || !table.mayLackKey || parts.allSatisfy(\.isNotNull)
    if table.kind == "table", !parts.isEmpty, isComplete {
      return ForeignKeyChoice(
        form: .columns(
          convertsText: parts.map { Affinity($0.type) != .blob },
          isText: parts.count == 1 && Affinity(parts[0].type) == .text
        ),
        columns: parts.map(\.name.quotedName)
      )
    }
    guard let name = table.rowNumberName else {
      return ForeignKeyChoice(form: .number, columns: [ForeignMapping.counter], isCounted: true)
    }
    return ForeignKeyChoice(form: .number, columns: [name], isUnstable: true)
  }
}

/// How records of somebody else's table are identified.
struct ForeignKeyChoice {
  var form: KeyForm
  var columns: [String]
  /// True for the number of a row that the database may give to another one.
  var isUnstable = false
  /// True if rows are counted as they are read.
  var isCounted = false
}

/// The affinity of a column: the storage that SQLite converts values to.
enum Affinity: String {
  case text = "TEXT"
  case numeric = "NUMERIC"
  case integer = "INTEGER"
  case real = "REAL"
  case blob = "BLOB"

  /// True if texts that look like numbers become numbers.
  var isNumeric: Bool {
    switch self {
    case .numeric, .integer, .real: true
    case .text, .blob: false
    }
  }

  /// The affinity that follows from a declared type.
  init(_ declared: String) {
    let type = declared.uppercased()
    if type.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
      self = .text
    } else if type.contains("BLOB") || type.isEmpty {
      self = .blob
    } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
      self = .real
    } else {
      self = .numeric
    }
  }
}
