import Foundation
import OpenSwiftData

/// What a catalog of our own says about itself: format, name of the store, schema.
struct JSONHeader: Decodable {
  /// The key of the document under which it stands.
  static let key = "catalog"
  static let currentFormat = 1

  let store: String?
  let schema: Schema
  /// What it says beside that, perhaps to another version.
  private(set) var extras = JSONHeaderExtras()

  private enum CodingKeys: String, CodingKey { case store, schema }

  /// Reads the header; nil when the value is something else that somebody keeps under that key.
  ///
  /// - Throws: `JSONDamage` when it is a header that cannot be understood.
  static func read(_ json: some Sequence<UInt8>, at offset: Int) throws(JSONDamage) -> JSONHeader? {
    let bytes = Array(json)
    // Whatever has no format is none of ours.
    guard let format = Self.format(of: bytes) else { return nil }
    // Exactly as this program writes it: another spelling of 1 is of somebody else.
    guard format == .number(String(currentFormat)) else {
      throw JSONDamage(offset: offset, message: mismatch(format), code: .notAStore)
    }
    do {
      var header = try JSONDecoder().decode(JSONHeader.self, from: Data(bytes))
      try header.schema.validate()
      header.extras = try JSONHeaderExtras(bytes)
      return header
    } catch let error as DecodingError {
      throw JSONDamage(offset: offset, message: "unreadable schema: \(error.words)")
    } catch {
      throw JSONDamage(offset: offset, message: "invalid schema: \(error)")
    }
  }

  /// What is wrong with a format that this program does not read.
  private static func mismatch(_ format: JSONReader.Item) -> String {
    guard format.asNumber == Decimal(currentFormat) else {
      return "catalog format \(format.words) is not supported (this version reads "
        + "\(currentFormat)); use a newer version"
    }
    return "catalog format: expected \(currentFormat), found \(format.words)"
  }

  /// The header as one line of JSON.
  ///
  /// `extras` are what the former header had beside.
  static func text(
    store: String,
    schema: Schema,
    keeping extras: JSONHeaderExtras = JSONHeaderExtras()
  ) -> [UInt8] {
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
        put(attribute, keeping: extras[.field(entity.name, attribute.name)], to: &text)
      }
      text.put("]")
      text.put(members: extras[.entity(entity.name)])
      text.put("}")
    }
    text.put("]")
    text.put(members: extras[.schema])
    text.put("}")
    text.put(members: extras[.header])
    text.put("}")
    return text.bytes
  }

  /// What stands under `format`; nil when the value is no object, or has no such member.
  private static func format(of json: [UInt8]) -> JSONReader.Item? {
    var reader = JSONReader(json)
    guard reader.isAtObject else { return nil }
    var format: JSONReader.Item?
    // The text was read before, so it is a text of JSON.
    try? reader.forEachMember { key, reader in
      let value = try reader.next()
      if key == "format" { format = value }
    }
    return format
  }

  private static func put(
    _ attribute: Schema.Attribute,
    keeping extras: [JSONHeaderExtras.Member],
    to text: inout JSONOutput
  ) {
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
    text.put(members: extras)
    text.put("}")
  }

  /// Refuses what a catalog cannot hold.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema` for an entity that has the header's key.
  static func check(_ schema: Schema, path: String) throws {
    guard schema.entitiesByName[key] != nil else { return }
    throw PersistenceError(
      .invalidSchema,
      "\(path): \"\(key)\" is reserved and cannot be an entity name"
    )
  }
}

extension JSONReader.Item {
  /// The number as it is; nil for everything else.
  fileprivate var asNumber: Decimal? {
    if case .number(let text) = self { Decimal(string: text) } else { nil }
  }

  /// The value in a message.
  fileprivate var words: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .number(let text): text
    case .text(let text): Value.quoted(text)
    case .container(let text): String(text.prefix(40))
    }
  }
}

extension JSONOutput {
  /// Appends members behind others.
  fileprivate mutating func put(members: [JSONHeaderExtras.Member]) {
    for member in members {
      put(", ")
      put(quoting: member.key)
      put(": ")
      put(member.json)
    }
  }
}
