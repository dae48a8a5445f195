import Foundation
package import OpenSwiftData

/// Schema files: what `--schema` and `schema apply` read, and `schema export` writes.
package enum SchemaFile {
  /// Reads and checks the bytes of a schema file.
  ///
  /// Its links may refer to entities that only `present` has: the file may describe a part of a store.
  ///
  /// - Throws: `CommandError` for bytes that are not text or for an unknown key, `PlacedError` for invalid JSON,
  ///   `DecodingError` for a member of another type, `PersistenceError` for an invalid schema.
  package static func schema(_ bytes: [UInt8], partOf present: Schema? = nil) throws -> Schema {
    let bytes = TextEncoding.withoutMark(bytes)
    if let refusal = TextEncoding.refusal(of: bytes) { throw CommandError(refusal) }
    do {
      // Reports the position of a JSON syntax error, which the decoder does not.
      _ = try JSONText.compact(String(decoding: bytes, as: UTF8.self))
    } catch {
      if let placed = PlacedError(error, in: bytes) { throw placed }
      throw error
    }
    try SchemaFileKeys.check(Data(bytes))
    let schema = try JSONDecoder().decode(Schema.self, from: Data(bytes))
    let others = present?.entities.filter { schema.entitiesByName[$0.name] == nil } ?? []
    try (others.isEmpty ? schema : Schema(schema.entities + others)).validate()
    return schema
  }

  /// The lines of a schema file.
  static func lines(_ schema: Schema) throws -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(schema), as: UTF8.self).split(separator: "\n")
      .map(String.init)
  }
}

/// Finds keys of a schema file that mean nothing, which are misspelled as a rule.
private enum SchemaFileKeys {
  private static let schema = ["version", "entities"]
  private static let entity = ["name", "attributes"]
  private static let attribute = [
    "name", "type", "required", "unique", "default", "originalName", "deleteRule", "readOnly",
    "blob",
  ]

  /// Checks the keys; values are checked when the schema is decoded.
  ///
  /// - Throws: `CommandError` with the key and the valid ones.
  static func check(_ bytes: Data) throws {
    guard let file = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] else { return }
    try check(file, schema, "")
    for entity in file["entities"] as? [[String: Any]] ?? [] {
      let name = entity["name"] as? String ?? ""
      try check(entity, Self.entity, " of entity \(Value.quoted(name))")
      for attribute in entity["attributes"] as? [[String: Any]] ?? [] {
        let field = attribute["name"] as? String ?? ""
        try check(attribute, Self.attribute, " of field \(Value.quoted("\(name).\(field)"))")
      }
    }
  }

  private static func check(_ object: [String: Any], _ known: [String], _ place: String) throws {
    guard let key = object.keys.sorted().first(where: { !known.contains($0) }) else { return }
    throw CommandError(
      "unknown key \(Value.quoted(key))\(place); " + Suggestion.text(for: key, among: known)
    )
  }
}
