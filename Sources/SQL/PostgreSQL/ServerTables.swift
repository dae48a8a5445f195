import OpenSwiftData

/// A column of a table, as a server describes it.
package struct ServerColumn: Sendable {
  /// Its number in the table.
  package let number: Int
  /// Its name.
  package let name: String
  /// The name of its type, without a schema; that of the base of a domain.
  package let type: String
  /// True if no row lacks a value.
  package var isNotNull = false
  /// True if the server makes a value for a new row.
  package var hasDefault = false
  /// True if the server computes each value.
  package var isGenerated = false
  /// True if different texts may be equal.
  package var isLoose = false
  /// True if the text that the server makes of a value is the value, as in an enumeration.
  package var isSpelled = false
  /// True if the server numbers the rows, and takes another number only when it is told to.
  package var isAlwaysNumbered = false
  /// True if the user may change the values, or the table.
  package var isWritable = true
  /// What makes a value for a new row, as SQL; nil if there is nothing, or if it is not known.
  package var defaultValue: String?

  /// Describes a column.
  package init(_ number: Int, _ name: String, _ type: String) {
    (self.number, self.name, self.type) = (number, name, type)
  }
}

/// A foreign key of one column.
package struct ServerReference: Sendable {
  /// The number of the column.
  package let column: Int
  /// The number of the table that it refers to.
  package let table: UInt32
  /// The number of the column there.
  package let target: Int
  /// What happens when the other row is deleted: `c`, `n`, `d`, `r` or `a`.
  package let onDelete: String

  /// Describes a foreign key.
  package init(column: Int, table: UInt32, target: Int, onDelete: String) {
    (self.column, self.table, self.target, self.onDelete) = (column, table, target, onDelete)
  }
}

/// A table or a view, as a server describes it.
package struct ServerTable: Sendable {
  /// Its number in the database.
  package let number: UInt32
  /// The schema.
  package let schema: String
  /// Its name.
  package let name: String
  /// `r` for a table, `p` for one in partitions, `v` for a view, `m` for a materialized view, `f` for a foreign table.
  package let kind: String
  /// True if the rows of other tables are also its own: then its keys and the places of its rows can occur twice.
  package var hasHeirs = false
  /// The columns that can be read, in their order.
  package var columns: [ServerColumn] = []
  /// The numbers of the columns of each key without missing values, the primary key first.
  package var keys: [[Int]] = []
  /// The numbers of the columns of each unique index.
  package var uniques: [[Int]] = []
  /// The foreign keys.
  package var references: [ServerReference] = []
  /// The columns that cannot be read.
  package var omittedColumns: [String] = []
  /// True if triggers may change other rows, or foreign keys that are not links.
  package var mayChangeOthers = false

  /// Describes a table.
  package init(_ number: UInt32, schema: String, name: String, kind: String) {
    (self.number, self.schema, self.name, self.kind) = (number, schema, name, kind)
  }

  /// The columns that identify a row; empty if there are none.
  fileprivate var keyColumns: [ServerColumn] {
    if hasHeirs { return [] }
    return keys.lazy.map { numbers in
      numbers.compactMap { number in columns.first { $0.number == number } }
    }
    .enumerated().first { place, found in
      found.count == keys[place].count && found.allSatisfy { !Self.keyless.contains($0.type) }
    }?.element ?? []
  }

  /// Types whose values have no text that names them, as numbers that may be infinite.
  private static let keyless: Set<String> = ["bytea", "float4", "float8"]
}

/// The entities that show the tables of a server.
package struct ServerTables {
  /// The tables in the order of their names.
  package private(set) var tables: [TableDescription] = []
  private let names: [UInt32: String]
  private let keys: [UInt32: [ServerColumn]]
  private let store: String
  private let misfits: Set<String>

  /// Describes the tables.
  ///
  /// - Parameters:
  ///   - found: What the server says.
  ///   - first: The schema whose tables have names without it.
  ///   - misfits: The columns, each after the name of its table as it is written, with values that the form of their type has no room for.
  ///   - store: The identifier of the store.
  package init(_ found: [ServerTable], first: String?, misfits: Set<String>, store: String) {
    var used: Set<String> = []
    var names: [UInt32: String] = [:]
    for (place, table) in found.enumerated() {
      let name = table.schema == first ? table.name : "\(table.schema).\(table.name)"
      names[table.number] = ForeignTables.validName(name, "table", place, &used)
    }
    keys = Dictionary(found.map { ($0.number, $0.keyColumns) }, uniquingKeysWith: { $1 })
    (self.names, self.store, self.misfits) = (names, store, misfits)
    tables = found.map(description)
  }

  private func description(of table: ServerTable) -> TableDescription {
    let key = table.keyColumns
    let links = links(of: table)
    var used: Set<String> = []
    let obstacle = Self.obstacle(of: table, hasKey: !key.isEmpty)
    let columns = table.columns.enumerated().map { place, column in
      let operand = operand(for: column, in: table)
      let name = ForeignTables.validName(column.name, "column", place, &used)
      let part = key.firstIndex { $0.number == column.number }
      return self.column(column, operand, named: name, links[column.number], part, obstacle)
    }
    let entity = Schema.Entity(names[table.number] ?? table.name, attributes: columns.map(\.field))
    var result = TableDescription(
      entity,
      table: table.name,
      columns: columns,
      key: .number,
      keyColumns: [],
      store: store
    )
    result.dialect = .postgres
    result.dialect.schema = table.schema.quotedName + "."
    result.source = result.qualifiedName
    result.obstacle = obstacle
    result.omittedColumns = table.omittedColumns
    result.mayChangeOthers = table.mayChangeOthers
    // One record in a statement, so that it is known which one the server refuses.
    result.isGuarded = true
    setKey(key, of: table, &result)
    setOrder(of: table, &result)
    return result
  }

  /// Sets what the order of the statements of a save follows from.
  private func setOrder(of table: ServerTable, _ result: inout TableDescription) {
    let places = Dictionary(
      table.columns.enumerated().map { ($0.element.number, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    result.uniqueIndexes = table.uniques.map { numbers in
      let slots = numbers.compactMap { places[$0] }
      let isExact = slots.count == numbers.count && !slots.contains { table.columns[$0].isLoose }
      return UniqueIndex(slots: slots, isExact: isExact)
    }
    result.referringSlots = Set(table.references.compactMap { places[$0.column] })
    result.parents = Set(
      table.references.compactMap { names[$0.table] }.map { ExactName(folding: $0) }
    )
  }

  private static func obstacle(of table: ServerTable, hasKey: Bool)
    -> TableDescription.Obstacle?
  {
    switch table.kind {
    case "v": .view
    case "m": .materializedView
    case "f": .foreignTable
    default:
      if hasKey {
        table.columns.contains(where: \.isWritable) ? nil : .noPrivilege
      } else {
        .noPrimaryKey
      }
    }
  }

  /// Chooses what identifies the rows: a key, or the place in the table, or for the rows of a query their number.
  private func setKey(
    _ key: [ServerColumn],
    of table: ServerTable,
    _ result: inout TableDescription
  ) {
    if key.isEmpty {
      guard ["r", "m"].contains(table.kind), !table.hasHeirs else { return count(&result) }
      result.key = .columns(convertsText: [true], isText: true)
      result.keyOperands = [ServerOperand("ctid", as: .tid)]
      result.isKeyUnstable = true
    } else {
      let operands = key.map { operand(for: $0, in: table) }
      let isNumber = operands.count == 1 && operands[0].type.form == .integer
      let isText = operands.count == 1
      result.key =
        isNumber
        ? .number : .columns(convertsText: operands.map { _ in true }, isText: isText)
      result.keyOperands = operands
    }
    result.keyColumns = result.keyOperands.map(\.expression)
  }

  /// Counts the rows as they are read.
  ///
  /// The server plans what is to be materialized for all rows and all columns, whatever a statement asks for: with another
  /// plan the rows would come in another order.
  private func count(_ table: inout TableDescription) {
    let names = [ForeignMapping.counter] + table.columns.map(\.name.quotedName)
    let all = names.joined(separator: ", ")
    table.isCounted = true
    table.keyColumns = [ForeignMapping.counter]
    table.keyOperands = [ServerOperand(ForeignMapping.counter, as: .int8)]
    table.source = """
      (WITH catalog_all AS MATERIALIZED (SELECT row_number() OVER () AS \(all) FROM \(table.qualifiedName)) \
      SELECT \(all) FROM catalog_all) AS catalog_rows
      """
  }

  // MARK: Columns

  /// How a column is read and compared.
  private func operand(for column: ServerColumn, in table: ServerTable) -> ServerOperand {
    let name = column.name.quotedName
    let isMisfit = misfits.contains(
      "\(table.schema.quotedName).\(table.name.quotedName).\(column.name)"
    )
    switch column.type {
    case "text", "varchar": return ServerOperand(name, as: .text, isLoose: column.isLoose)
    default:
      guard let type = ServerType(rawValue: column.type), type != .tid, !isMisfit else {
        return ServerOperand(name, as: .text, isText: false, isLoose: column.isLoose)
      }
      return ServerOperand(name, as: type)
    }
  }

  private func column(
    _ column: ServerColumn,
    _ operand: ServerOperand,
    named name: String,
    _ link: (form: LinkForm, rule: Schema.Relationship.DeleteRule)?,
    _ keyPart: Int?,
    _ obstacle: TableDescription.Obstacle?
  ) -> ColumnDescription {
    let isJSON = ["json", "jsonb"].contains(column.type)
    let form = link.map { ColumnForm.link($0.form) } ?? (isJSON ? .json : operand.type.form)
    let cause = obstacle?.cause ?? cause(column, operand, isKey: keyPart != nil)
    var field = Schema.Attribute(
      name,
      Self.type(of: form),
      isOptional: cause != nil || column.hasDefault || !column.isNotNull,
      deleteRule: link?.rule ?? .nullify,
      isReadOnly: cause != nil,
      isBlob: form == .blob()
    )
    if let cause {
      field = field.readOnly(because: cause)
    } else if keyPart != nil {
      field = field.asKey()
    }
    var result = ColumnDescription(column.name, field.kept(in: form), form)
    result.server = operand
    result.hasComputedDefault = column.hasDefault
    result.isGenerated = column.isGenerated
    result.isNeverNull = column.isNotNull
    result.keyPart = keyPart
    if keyPart != nil {
      (result.isAlwaysNumbered, result.generator) = (column.isAlwaysNumbered, column.defaultValue)
    }
    return result
  }

  /// Why the values of a column cannot be changed; nil if they can.
  private func cause(_ column: ServerColumn, _ operand: ServerOperand, isKey: Bool) -> String? {
    if column.isGenerated { return "the database computes its value" }
    if isKey { return nil }
    if !column.isWritable { return "you have no privilege to change the column" }
    if ["text", "varchar"].contains(column.type) || column.isSpelled { return nil }
    guard operand.type == .text, !["json", "jsonb"].contains(column.type) else { return nil }
    return ServerType(rawValue: column.type) == nil
      ? "values of its type are shown as texts only"
      : "some of its values have no form of its type, so that texts are shown"
  }

  private static func type(of form: ColumnForm) -> AttributeType {
    switch form {
    case .integer: .integer
    case .number: .number
    case .boolean: .boolean
    case .decimal: .decimal
    case .date: .date
    case .moment: .datetime
    case .uuid: .uuid
    case .json: .json
    case .link(let link): .link(link.entity)
    default: .text
    }
  }

  /// The links by the numbers of their columns: foreign keys that refer to the whole key of a table.
  private func links(of table: ServerTable) -> [Int: (
    form: LinkForm, rule: Schema.Relationship.DeleteRule
  )] {
    var links: [Int: (form: LinkForm, rule: Schema.Relationship.DeleteRule)] = [:]
    for reference in table.references {
      guard let name = names[reference.table], let key = keys[reference.table], key.count == 1,
        key[0].number == reference.target
      else { continue }
      let isNumber = ServerType(rawValue: key[0].type)?.form == .integer
      let form: KeyForm = isNumber ? .number : .columns(convertsText: [true], isText: true)
      links[reference.column] = (
        LinkForm(to: name, key: form, store: store), Self.rule(reference.onDelete)
      )
    }
    return links
  }

  private static func rule(_ action: String) -> Schema.Relationship.DeleteRule {
    switch action {
    case "c": .cascade
    case "n": .nullify
    case "d": .noAction
    default: .deny
    }
  }
}
