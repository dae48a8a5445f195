import Foundation
import OpenSwiftData

/// The header of a JSON catalog: format, store identifier and schema.
struct JSONHeader: Decodable {
  /// The document key of the header.
  static let key = "catalog"
  static let currentFormat = 1

  let store: String?
  let schema: Schema
  /// Members that this version does not recognize; another version may.
  private(set) var extras = JSONHeaderExtras()

  private enum CodingKeys: String, CodingKey { case store, schema }

  /// Reads the header; nil if the value is not a header but data under the same key.
  ///
  /// - Throws: `JSONDamage` if it is a header that cannot be read.
  static func read(_ json: some Sequence<UInt8>, at offset: Int) throws(JSONDamage) -> JSONHeader? {
    let bytes = Array(json)
    // A value without a format is not a header of ours.
    guard let format = Self.format(of: bytes) else { return nil }
    // The format must be spelled exactly as this program writes it; other spellings of 1 are not
    // ours.
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

  /// The error message for an unsupported format.
  private static func mismatch(_ format: JSONReader.Item) -> String {
    guard format.asNumber == Decimal(currentFormat) else {
      return "catalog format \(format.words) is not supported (this version reads "
        + "\(currentFormat)); use a newer version"
    }
    return "catalog format: expected \(currentFormat), found \(format.words)"
  }

  /// The header as one line of JSON.
  ///
  /// `extras` are the unrecognized members of the former header.
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

  /// The value of `format`; nil if the JSON is not an object or lacks this member.
  private static func format(of json: [UInt8]) -> JSONReader.Item? {
    var reader = JSONReader(json)
    guard reader.isAtObject else { return nil }
    var format: JSONReader.Item?
    // The text was parsed before, so it is valid JSON.
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
    if attribute.isReadOnly { text.put(", \"readOnly\": true") }
    if attribute.isBlob { text.put(", \"blob\": true") }
    text.put(members: extras)
    text.put("}")
  }

  /// Checks that a catalog can hold the schema.
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
  /// The numeric value; nil if the item is not a number.
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
  /// Appends members after the existing ones.
  fileprivate mutating func put(members: [JSONHeaderExtras.Member]) {
    for member in members {
      put(", ")
      put(quoting: member.key)
      put(": ")
      put(member.json)
    }
  }
}
