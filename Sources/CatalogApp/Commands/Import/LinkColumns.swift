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
      switch cells[place] {
      case .text(let text) where text.isEmpty: cells[place] = .null
      case .text(let text), .number(let text): cells[place] = .text("\(field):\(text)")
      case .boolean(let value): cells[place] = .text("\(field):\(value)")
      case .null, .container: break
      }
    }
    return ImportRow(
      line: row.line,
      entityName: row.entityName,
      columns: names,
      cells: cells,
      hasTypedValues: row.hasTypedValues
    )
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
          hint: nil,
          FailureCode(error),
          column: place
        )
      }
    }
  }
}
