package import Foundation

/// A small JSON catalog, such as the bundled sample: a schema and records.
///
/// The JSON store reads the files of users; this type reads catalogs bundled with the program.
package struct CatalogDocument: Decodable, Sendable {
  /// The entities.
  package let schema: Schema
  /// The values of each record in the layout of its entity, in the order of the text.
  package let records: [(entity: Schema.Entity, values: [Value])]

  /// Reads the JSON text.
  ///
  /// - Throws: `PersistenceError` with code `.damaged` when it is not a JSON catalog.
  package init(json: Data) throws {
    do {
      self = try JSONDecoder().decode(CatalogDocument.self, from: json)
    } catch {
      throw PersistenceError(.damaged, "unreadable catalog: \(error)", cause: error)
    }
  }

  private struct Header: Decodable {
    let schema: Schema
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads the header first, then the entities that it names.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    schema = try container.decode(Header.self, forKey: Key(stringValue: "catalog")).schema
    var records: [(entity: Schema.Entity, values: [Value])] = []
    for entity in schema.entities {
      let rows =
        try container.decodeIfPresent(
          [[String: UntypedValue]].self,
          forKey: Key(stringValue: entity.name)
        ) ?? []
      records += rows.map { row in
        (
          entity,
          entity.fields.map { row[$0.name]?.value(as: $0.type) ?? $0.defaultValue }
        )
      }
    }
    self.records = records
  }
}
