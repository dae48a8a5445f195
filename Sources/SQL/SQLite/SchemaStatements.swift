package import OpenSwiftData

/// The statements with which somebody can change the tables of another program, which we do not change.
package struct SchemaStatements {
  private let tables: [String: TableDescription]
  private let schema: Schema

  /// Uses the tables of a database by entity.
  package init(tables: [String: TableDescription], schema: Schema) {
    (self.tables, self.schema) = (tables, schema)
  }

  /// The statements that make a change; none for a change that SQL cannot make in place.
  package func statements(for change: SchemaChange) -> [String] {
    switch change {
    case .addAttribute(let entity, let field):
      // A new column cannot be unique, and without a default it cannot be required.
      let rule = field.isOptional || field.defaultValue.isNull ? "" : " NOT NULL"
      let column = "\(field.name.quotedName) \(type(of: field))\(rule)\(defaultText(field))"
      let addition = "ALTER TABLE \(name(entity)) ADD COLUMN \(column)"
      guard field.isUnique else { return [addition] }
      let index = "\(tables[entity]?.name ?? entity)_\(field.name)".quotedName
      return [
        addition, "CREATE UNIQUE INDEX \(index) ON \(name(entity)) (\(field.name.quotedName))",
      ]
    case .renameAttribute(let entity, let from, let to):
      return [
        "ALTER TABLE \(name(entity)) RENAME COLUMN \(column(from, entity)) TO \(to.quotedName)"
      ]
    case .dropAttribute(let entity, let field):
      return ["ALTER TABLE \(name(entity)) DROP COLUMN \(column(field, entity))"]
    case .createEntity(let entity):
      let columns = entity.fields.map { field in
        "\(field.name.quotedName) \(type(of: field))\(field.isOptional ? "" : " NOT NULL")"
          + "\(field.isUnique ? " UNIQUE" : "")\(defaultText(field))"
      }
      let key = "\(keyName(entity).quotedName) INTEGER PRIMARY KEY"
      return [
        "CREATE TABLE \(entity.name.quotedName) (\(([key] + columns).joined(separator: ", ")))"
      ]
    case .replaceSchema: return []
    }
  }

  /// Why no statement makes a change; nil if there are some.
  package func obstacle(to change: SchemaChange) -> String? {
    switch change {
    case .addAttribute(let entity, let field):
      if isView(entity) { return viewObstacle(entity) }
      guard case .links(let target) = field.type else { return nil }
      return "\(field.name): a column cannot hold a list of links; "
        + "add a table that refers to \(entity) and to \(target)"
    case .renameAttribute(let entity, _, _), .dropAttribute(let entity, _):
      return isView(entity) ? viewObstacle(entity) : nil
    case .createEntity(let entity):
      let lists = entity.fields.filter { if case .links = $0.type { true } else { false } }
      return lists.first.map {
        "\($0.name): a column cannot hold a list of links; add a table for it"
      }
    case .replaceSchema: return nil
    }
  }

  private func isView(_ entity: String) -> Bool { tables[entity]?.obstacle == .view }

  private func viewObstacle(_ entity: String) -> String {
    "\(entity) is a view, whose columns are those of its SELECT"
  }

  private func name(_ entity: String) -> String { (tables[entity]?.name ?? entity).quotedName }

  private func column(_ field: String, _ entity: String) -> String {
    let column = tables[entity]?.columns.first { $0.field.name == field }
    return (column?.name ?? field).quotedName
  }

  /// A name for the key that no field has.
  private func keyName(_ entity: Schema.Entity) -> String {
    let used = Set(entity.fields.map { $0.name.lowercased() })
    var name = "id"
    while used.contains(name) { name = "_" + name }
    return name
  }

  /// The declared type, from which the type of the field is known again.
  private func type(of field: Schema.Attribute) -> String {
    switch field.type {
    case .text: field.isBlob ? "BLOB" : "TEXT"
    case .integer: "INTEGER"
    case .number: "REAL"
    case .decimal: "NUMERIC"
    case .boolean: "BOOLEAN"
    case .date: "DATE"
    case .datetime: "DATETIME"
    case .uuid, .json, .links: "TEXT"
    case .link(let entity): reference(to: entity)
    }
  }

  private func reference(to entity: String) -> String {
    guard let target = tables[entity], target.keyColumns.count == 1 else {
      return "INTEGER REFERENCES \(entity.quotedName)"
    }
    let type = target.key == .number ? "INTEGER" : "TEXT"
    return "\(type) REFERENCES \(name(entity)) (\(target.keyColumns[0]))"
  }

  private func defaultText(_ field: Schema.Attribute) -> String {
    let value: SQLValue
    let stored: Value = field.defaultValue
    switch stored {
    case .null, .links, .link: return ""
    case .integer(let number): value = .integer(number)
    case .number(let number): value = .real(number)
    case .boolean(let isTrue): value = .integer(isTrue ? 1 : 0)
    case .decimal: return " DEFAULT \(stored.text)"
    default: value = .text(stored.text)
    }
    return " DEFAULT " + value.literal
  }
}
