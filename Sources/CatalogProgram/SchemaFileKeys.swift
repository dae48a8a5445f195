import CatalogApp
import Foundation
import OpenSwiftData

/// Finds keys of a schema file that mean nothing, which are misspelled as a rule.
enum SchemaFileKeys {
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
