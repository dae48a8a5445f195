import Foundation
import OpenSwiftData

/// What a catalog of our own says about itself: format, name of the store, schema.
struct JSONHeader: Decodable {
  /// The key of the document under which it stands.
  static let key = "catalog"
  static let currentFormat = 1

  let format: Int
  let store: String?
  let schema: Schema

  /// Reads the header; nil when the value is something else that somebody keeps under that key.
  ///
  /// - Throws: `JSONDamage` when it is a header that cannot be understood.
  static func read(_ json: some Sequence<UInt8>, at offset: Int) throws(JSONDamage) -> JSONHeader? {
    let data = Data(json)
    // Whatever has no format is none of ours.
    guard let probe = try? JSONDecoder().decode(Probe.self, from: data) else { return nil }
    guard probe.format == currentFormat else {
      throw JSONDamage(
        offset: offset,
        message: "the catalog has format \(probe.format), this program reads format "
          + "\(currentFormat); use a newer version",
        code: .notAStore
      )
    }
    do {
      let header = try JSONDecoder().decode(JSONHeader.self, from: data)
      try header.schema.validate()
      return header
    } catch let error as DecodingError {
      throw JSONDamage(offset: offset, message: "the schema cannot be read: \(error.words)")
    } catch {
      throw JSONDamage(offset: offset, message: "the schema cannot be used: \(error)")
    }
  }

  /// The header as one line of JSON.
  static func text(store: String, schema: Schema) -> [UInt8] {
    var text = JSONOutput()
    text.put("{\"format\": \(currentFormat), \"store\": ")
    text.put(quoting: store)
    text.put(", \"schema\": {")
    if schema.version != Schema.Version(1, 0, 0) {
      let version = schema.version
      text.put("\"version\": {\"major\": \(version.major), \"minor\": \(version.minor), ")
      text.put("\"patch\": \(version.patch)}, ")
    }
    text.put("\"entities\": [")
    for (place, entity) in schema.entities.enumerated() {
      text.put(place == 0 ? "{\"name\": " : ", {\"name\": ")
      text.put(quoting: entity.name)
      text.put(", \"attributes\": [")
      for (place, attribute) in entity.fields.enumerated() {
        if place > 0 { text.put(", ") }
        put(attribute, to: &text)
      }
      text.put("]}")
    }
    text.put("]}}")
    return text.bytes
  }

  /// What tells a header of any format.
  private struct Probe: Decodable { let format: Int }

  private static func put(_ attribute: Schema.Attribute, to text: inout JSONOutput) {
    text.put("{\"name\": ")
    text.put(quoting: attribute.name)
    text.put(", \"type\": ")
    text.put(quoting: attribute.type.description)
    if !attribute.isOptional { text.put(", \"required\": true") }
    if attribute.isUnique { text.put(", \"unique\": true") }
    if !attribute.defaultValue.isNull {
      text.put(", \"default\": ")
      if case .json(let json) = attribute.defaultValue {
        text.put(quoting: json)
      } else {
        text.put(attribute.defaultValue)
      }
    }
    if attribute.originalName != attribute.name {
      text.put(", \"originalName\": ")
      text.put(quoting: attribute.originalName)
    }
    if attribute.type.destination != nil, attribute.deleteRule != .nullify {
      text.put(", \"deleteRule\": ")
      text.put(quoting: attribute.deleteRule.rawValue)
    }
    text.put("}")
  }

  /// Refuses what a catalog cannot hold.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema` for an entity that has the header's key.
  static func check(_ schema: Schema, path: String) throws {
    guard schema.entitiesByName[key] != nil else { return }
    throw PersistenceError(
      .invalidSchema,
      "\(path) is a JSON catalog, in which no entity can be called \"\(key)\": its header stands there"
    )
  }
}
