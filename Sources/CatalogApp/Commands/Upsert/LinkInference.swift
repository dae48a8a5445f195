import OpenSwiftData

/// Finds the fields of new entities that hold links: all their values are identifiers of records in the same file.
///
/// An exported file has no schema. The identifiers of this program are random, so a text that is one of those in the
/// file is a link.
struct LinkInference {
  private let rows: RowsByEntity
  /// The entities of the records in the file, by identifier.
  private var owners: [String: String] = [:]

  init(_ rows: RowsByEntity) {
    self.rows = rows
    for name in rows.names {
      for row in rows.rows[name] ?? [] {
        guard let place = row.columns.firstIndex(of: "id"), case .text(let text) = row.cells[place],
          row.cells[place].isKey
        else { continue }
        owners[text] = name
      }
    }
  }

  /// The entities with links in place of such fields.
  func entities(_ entities: [Schema.Entity]) -> [Schema.Entity] {
    owners.isEmpty ? entities : entities.map(linking)
  }

  private func linking(_ entity: Schema.Entity) -> Schema.Entity {
    Schema.Entity(
      entity.name,
      attributes: entity.fields.map { field in
        guard let type = linkType(of: field.name, in: entity.name) else { return field }
        return Schema.Attribute(field.name, type)
      }
    )
  }

  /// The type of a field that has identifiers of one entity and nothing else; nil for other fields.
  private func linkType(of field: String, in entity: String) -> AttributeType? {
    var destination: String?
    var hasArrays = false
    for row in rows.rows[entity] ?? [] {
      guard let place = row.columns.firstIndex(of: field), row.cells[place] != .null else {
        continue
      }
      if case .container = row.cells[place] { hasArrays = true }
      guard let keys = row.cells[place].keys else { return nil }
      for key in keys {
        guard let owner = owners[key], destination == nil || owner == destination else {
          return nil
        }
        destination = owner
      }
    }
    return destination.map { hasArrays ? .links($0) : .link($0) }
  }
}

extension ImportCell {
  /// The texts of a cell that has one text, or an array of texts; nil for other cells.
  fileprivate var keys: [String]? {
    switch self {
    case .text(let text): return [text]
    case .container(let text):
      var reader = JSONReader(Array(text.utf8))
      var keys: [String] = []
      guard reader.isAtArray else { return nil }
      do {
        try reader.forEachElement { reader in
          guard case .text(let key) = try reader.next() else { throw ValueError("not a text") }
          keys.append(key)
        }
      } catch {
        return nil
      }
      return keys
    case .null, .number, .boolean: return nil
    }
  }
}
