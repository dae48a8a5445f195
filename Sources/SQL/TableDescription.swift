package import OpenSwiftData

/// A column of a table, and the field that shows it.
package struct ColumnDescription: Hashable, Sendable {
  /// The name of the column.
  package var name: String
  /// The field.
  package var field: Schema.Attribute
  /// How values are kept.
  package var form: ColumnForm
  /// True if the database compares the column by its own rules, such as NOCASE, unless it is told otherwise.
  package var hasCollation = false
  /// True if texts are kept as UTF-16, which the database does not compare as the program does.
  package var isWide = false
  /// True if the database lets the column have values that are not of its form, as in tables that are not STRICT.
  package var isLoose = false
  /// True if an index of the database, which has all rows, begins with the bytes of the column.
  package var isIndexed = false
  /// True if the database computes a value for a new record without one.
  package var hasComputedDefault = false
  /// True if the database computes each value from others.
  package var isGenerated = false
  /// True if the database lets no record be without a value.
  package var isNeverNull = false
  /// The part of the key that the column is; nil if it is none.
  package var keyPart: Int?
  /// For a link to keys that are compared by rules of their own, such as NOCASE: the key as the other record has it, as
  /// SQL; nil for other columns.
  var linkedKey: String?
  /// True for a part of the key whose numbers the database makes unless it is told otherwise.
  var isAlwaysNumbered = false
  /// What makes a value for a part of the key of a new record, as SQL; nil for other columns.
  package var generator: String?
  /// The column of a database in which columns have types; nil in other databases.
  package var server: ServerOperand?
  /// What the database converts values to that are stored in the column, or compared with it.
  var affinity = Affinity.blob

  /// Describes a column.
  package init(_ name: String, _ field: Schema.Attribute, _ form: ColumnForm) {
    (self.name, self.field, self.form) = (name, field, form)
  }
}

extension [TableDescription] {
  /// True if the tables have the same columns and keys.
  package func isSame(as other: [TableDescription]) -> Bool {
    elementsEqual(other) {
      ($0.name, $0.source, $0.key, $0.keyColumns) == ($1.name, $1.source, $1.key, $1.keyColumns)
        && $0.columns == $1.columns
    }
  }
}

/// What occurs once in a table.
package struct UniqueIndex: Hashable, Sendable {
  /// The slots of the columns that are compared byte by byte.
  package var slots: [Int]
  /// False if the index has expressions or columns that are compared in another way.
  package var isExact: Bool

  /// Describes an index.
  package init(slots: [Int], isExact: Bool) { (self.slots, self.isExact) = (slots, isExact) }
}

/// A table, or a view, and the entity that shows it.
package struct TableDescription: Sendable {
  /// Why a table cannot be changed.
  package enum Obstacle: Hashable, Sendable {
    /// It is a view.
    case view
    /// It is a view whose rows are stored.
    case materializedView
    /// Another server has its rows.
    case foreignTable
    /// Its rows have no primary key, and nothing else that is never missing and occurs once.
    case noPrimaryKey
    /// The user may not change its rows.
    case noPrivilege
    /// A module of the database makes its rows.
    case virtual
    /// Its rows have nothing that identifies them.
    case noKey

    /// The reason as a clause.
    var cause: String {
      switch self {
      case .view: "the table is a view"
      case .materializedView: "the table is a materialized view"
      case .foreignTable: "the table is a foreign table"
      case .noPrimaryKey: "the table has no primary key"
      case .noPrivilege: "you have no privilege to change the table"
      case .virtual: "the table is a virtual table"
      case .noKey: "the rows of the table have no key"
      }
    }

    /// The reason in words.
    package var description: String {
      switch self {
      case .view: "a view"
      case .materializedView: "a materialized view"
      case .foreignTable: "a foreign table"
      case .noPrimaryKey: "a table without a primary key"
      case .noPrivilege: "a table without the privilege UPDATE for you"
      case .virtual: "a virtual table"
      case .noKey: "a table whose rows have no key"
      }
    }
  }

  /// The entity.
  package var entity: Schema.Entity
  /// The name of the table.
  package var name: String
  /// The rows, as they follow `FROM`.
  package var source: String
  /// True if the rows are counted as they are read; false for a key that is stored.
  package var isCounted = false
  /// True for a view of which no value has been read, so that the types of its fields are those that it declares.
  package var isUnread = false
  /// The number of a row, as SQL; nil if rows have none, or no name for it is left.
  package var rowNumber: String?
  /// The columns, in the order of the fields.
  package var columns: [ColumnDescription]
  /// How keys are kept.
  package var key: KeyForm
  /// The columns of the key, as SQL.
  package var keyColumns: [String]
  /// The same with their types; empty if the database knows none.
  package var keyOperands: [ServerOperand] = []
  /// Nil if records can be changed.
  package var obstacle: Obstacle?
  /// True if rows have no key but their numbers, which the database may give to other rows.
  package var isKeyUnstable = false
  /// The columns of the table that no field shows, because a result has no room for them.
  package var omittedColumns: [String] = []
  /// What is unique in a table of another program.
  package var uniqueIndexes: [UniqueIndex] = []
  /// The foreign keys of a table of another program.
  package var foreignKeys: [ForeignKey] = []
  /// The tables that they refer to.
  package var parents: Set<ExactName> = []
  /// The slots of the columns that refer to other records in a table of another program.
  package var referringSlots: Set<Int> = []
  /// True if a trigger of another program may add rows, so that the number of a new row is known only when it is there.
  package var isFilledByTriggers = false
  /// True if triggers or conflict clauses refuse or change what is written, so that each record gets a statement of its
  /// own.
  package var isGuarded = false
  /// True if triggers or foreign keys may change other rows than a save does, so that nobody can tell which.
  package var mayChangeOthers = false
  /// How the database spells what SQL leaves open.
  package var dialect = SQLDialect.sqlite
  /// The scope of the identifiers.
  package let scope: IdentifierScope

  /// Describes a table.
  package init(
    _ entity: Schema.Entity,
    table: String,
    columns: [ColumnDescription],
    key: KeyForm,
    keyColumns: [String],
    store: String
  ) {
    self.entity = entity
    name = table
    source = dialect.schema + table.quotedName
    self.columns = columns
    self.key = key
    self.keyColumns = keyColumns
    scope = IdentifierScope(store: store, entity: entity.name)
  }

  /// The name of the table, as it stands in a statement that writes.
  package var qualifiedName: String { dialect.schema + name.quotedName }

  /// The places of the key among the columns, in its order.
  package var keyPlaces: [Int] {
    columns.indices.filter { columns[$0].keyPart != nil }
      .sorted { columns[$0].keyPart ?? 0 < columns[$1].keyPart ?? 0 }
  }

  /// The types of columns that keep the parts of a key and compare them as the table does; empty for a number.
  package var keyTypes: [String] {
    if case .columns = key { return keyPlaces.map { columns[$0].affinity.rawValue } }
    return keyColumns.map { _ in "" }
  }

  /// How much the key of a record tells about which record it is.
  package enum KeyMeaning {
    /// It is a text, or names other records: no other record has it.
    case sure
    /// It is a number, which another program can give to another record: the other values must not contradict it.
    case number
    /// It is the number of a row, which may become that of another one: all values must be the same.
    case place
  }

  /// What the key means.
  package var keyMeaning: KeyMeaning {
    if obstacle != nil || key == .own { return .sure }
    if isKeyUnstable { return .place }
    let parts = keyPlaces.map { columns[$0] }
    func isLink(_ form: ColumnForm) -> Bool { if case .link = form { true } else { false } }
    let areNumbers = parts.allSatisfy { $0.form == .integer || isLink($0.form) }
    return areNumbers && parts.contains { $0.form == .integer } ? .number : .sure
  }

  /// The places of the columns whose values tell beside the key which record it is.
  package var tellingSlots: [Int] {
    columns.indices.filter { columns[$0].keyPart == nil && !columns[$0].isGenerated }
  }

  /// True if nothing identifies a row but a number that is not one of its values.
  package var lacksKey: Bool { isKeyUnstable || isCounted }

  /// True if the rows are those of a query, which may take any time or fail.
  package var isComputed: Bool { obstacle == .view || obstacle == .foreignTable }

  /// True if an update of these slots changes nothing else, and depends on no other row.
  func isPlainUpdate(of slots: [Int]) -> Bool {
    !isGuarded && keyColumns.count == 1 && !columns.contains(where: \.isGenerated)
      && !slots.contains { columns[$0].field.isUnique || columns[$0].keyPart != nil }
      && uniqueIndexes.allSatisfy { $0.isExact && !$0.slots.contains(where: slots.contains) }
  }

  /// What a user has to know about the rows, in a few words; nil for nothing.
  package var note: String? {
    switch obstacle {
    case .view: "read-only: view"
    case .materializedView: "read-only: materialized view"
    case .foreignTable: "read-only: foreign table"
    case .noPrimaryKey: "read-only: no primary key; add one with ALTER TABLE … ADD PRIMARY KEY (…)"
    case .noPrivilege: "read-only: no privilege UPDATE"
    case .virtual: "read-only: virtual table"
    case .noKey: "read-only: rows have no key"
    case nil: isKeyUnstable ? "rows have no key" : nil
    }
  }

  /// The columns of fields; all for nil.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`.
  package func slots(of attributes: [String]?) throws -> [Int] {
    guard let attributes else { return Array(columns.indices) }
    return try attributes.map { name in
      guard let slot = entity.layout.slot(of: name) else {
        _ = try entity.attribute(named: name)
        return 0
      }
      return slot
    }
  }

  /// The condition that the key has these values.
  package func condition(forKey parts: [SQLValue]) -> SQLText {
    if !keyOperands.isEmpty { return serverCondition(forKeys: [parts]) }
    return .joined(zip(keyColumns, parts).map { "\($0) = \($1)" }, by: " AND ")
  }

  /// The columns of the key, then those of some fields that are not part of it, as they follow `SELECT`.
  package func selection(_ slots: [Int]) -> String {
    let others = slots.filter { !columns[$0].isReadWithKey }
    return (keyColumns + others.map { columns[$0].expression }).joined(separator: ", ")
  }

  /// The places of the fields in a row of `selection(_:)`.
  package func places(of slots: [Int]) -> [Int] {
    var next = keyColumns.count
    return slots.map { slot in
      if let part = columns[slot].keyPart, columns[slot].isReadWithKey { return part }
      defer { next += 1 }
      return next
    }
  }
}
