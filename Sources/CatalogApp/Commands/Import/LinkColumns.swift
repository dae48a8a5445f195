import OpenSwiftData

/// Columns of a file that give a link by a field of the linked record, such as `author.name`.
///
/// Exports write such columns for the same paths.
struct LinkColumns {
  private let entity: Schema.Entity
  private let schema: Schema
  /// The columns of the row before.
  private var columns: [String] = []
  /// The columns as fields of the entity, and the field of the linked record by place.
  private var names: [String] = []
  private var fields: [Int: String] = [:]

  init(_ entity: Schema.Entity, in schema: Schema) {
    self.entity = entity
    self.schema = schema
  }

  /// The row with its links as they are written in a command: `name:Calvino`.
  ///
  /// - Throws: `ImportError` for a path to a field that linked records do not have.
  mutating func row(_ row: ImportRow) throws -> ImportRow {
    if row.columns != columns { try bind(row) }
    guard !fields.isEmpty else { return row }
    var cells = row.cells
    for (place, field) in fields {
      cells[place] = Self.link(cells[place], by: field)
    }
    return ImportRow(
      line: row.line,
      entityName: row.entityName,
      columns: names,
      cells: cells,
      hasTypedValues: row.hasTypedValues
    )
  }

  /// A value of a linked record as the link is written in a command.
  static func link(_ cell: ImportCell, by field: String) -> ImportCell {
    switch cell {
    case .text(let text) where text.isEmpty: .null
    case .text(let text), .number(let text): .text("\(field):\(text)")
    case .boolean(let value): .text("\(field):\(value)")
    case .null, .container: cell
    }
  }

  /// The keys as fields of the entity: a path such as `author.name` is the link with which it begins.
  ///
  /// - Throws: `PersistenceError` for a path to a field that linked records do not have, `CommandError` for one that
  ///   begins with several links, and for a path into JSON.
  static func keys(_ keys: [String], of entity: Schema.Entity, in schema: Schema) throws -> [String]
  {
    try keys.map { key in
      guard MemberPath(key, of: entity) == nil else {
        throw CommandError(
          "by: \(Value.quoted(key)) is a value inside JSON, which cannot be a key; use a field",
          code: .unknownField
        )
      }
      guard let path = try LinkPath(key, of: entity, in: schema),
        schema.entitiesByName[path.destination]?.fieldsByName[path.rest] != nil
      else { return key }
      return path.link
    }
  }

  private mutating func bind(_ row: ImportRow) throws {
    columns = row.columns
    names = row.columns
    fields = [:]
    for (place, name) in columns.enumerated() where name.utf8.contains(UInt8(ascii: ".")) {
      do {
        guard let path = try LinkPath(name, of: entity, in: schema),
          schema.entitiesByName[path.destination]?.fieldsByName[path.rest] != nil
        else { continue }
        guard !names.contains(path.link) else {
          throw CommandError("\(name): duplicate field \(Value.quoted(path.link))")
        }
        names[place] = path.link
        fields[place] = path.rest
      } catch {
        throw ImportError(
          row,
          FailureCode.place(of: error).message,
          FailureCode(error),
          column: place
        )
      }
    }
  }
}
