import OpenSwiftData

/// Header members that this version does not recognize; a save keeps them.
struct JSONHeaderExtras: Sendable, Equatable {
  /// A member as JSON.
  struct Member: Sendable, Equatable {
    let key: String
    let json: String
  }

  /// An object of the header.
  enum Place: Hashable {
    case header, schema
    case entity(String)
    case field(String, String)
  }

  private var members: [Place: [Member]] = [:]

  init() {}

  /// Collects them from the text of a header.
  ///
  /// - Throws: `ValueError` if the text is not a header.
  init(_ json: [UInt8]) throws {
    try read(json, .header, knowing: ["format", "store", "schema"]) { extras, key, value in
      if key == "schema" { try extras.readSchema(value) }
    }
  }

  /// The members of an object, in their order.
  subscript(place: Place) -> [Member] { members[place] ?? [] }

  private mutating func readSchema(_ json: String) throws {
    try read(Array(json.utf8), .schema, knowing: ["version", "entities"]) { extras, key, value in
      guard key == "entities" else { return }
      for entity in try Self.elements(of: value) { try extras.readEntity(entity) }
    }
  }

  private mutating func readEntity(_ json: String) throws {
    let name = try Self.name(of: json)
    let known: Set = ["name", "attributes"]
    try read(Array(json.utf8), .entity(name), knowing: known) { extras, key, value in
      guard key == "attributes" else { return }
      for field in try Self.elements(of: value) {
        let place = Place.field(name, try Self.name(of: field))
        try extras.read(Array(field.utf8), place, knowing: Self.fieldKeys)
      }
    }
  }

  private static let fieldKeys: Set = [
    "name", "type", "required", "unique", "default", "originalName", "deleteRule",
    "readOnly", "blob",
  ]

  /// Walks an object; keeps unrecognized members and passes on the recognized ones.
  private mutating func read(
    _ json: [UInt8],
    _ place: Place,
    knowing known: Set<String>,
    _ body: (inout JSONHeaderExtras, String, String) throws -> Void = { _, _, _ in }
  ) throws {
    var reader = JSONReader(json)
    try reader.forEachMember { key, reader in
      let value = Self.json(try reader.next())
      if known.contains(key) {
        try body(&self, key, value)
      } else {
        members[place, default: []].append(Member(key: key, json: value))
      }
    }
  }

  private static func elements(of json: String) throws -> [String] {
    var reader = JSONReader(Array(json.utf8))
    var elements: [String] = []
    try reader.forEachElement { elements.append(Self.json(try $0.next())) }
    return elements
  }

  private static func name(of json: String) throws -> String {
    var reader = JSONReader(Array(json.utf8))
    var name = ""
    try reader.forEachMember { key, reader in
      let value = try reader.next()
      if key == "name", case .text(let text) = value { name = text }
    }
    return name
  }

  private static func json(_ item: JSONReader.Item) -> String {
    switch item {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .number(let text), .container(let text): text
    case .text(let text): JSONText.quoted(text)
    }
  }
}
