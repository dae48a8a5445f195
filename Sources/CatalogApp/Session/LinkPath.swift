import OpenSwiftData

/// A field of a linked record, such as `author.name`: a link to one record, and a field of that record, which can
/// be such a path again.
struct LinkPath: Hashable, Sendable {
  /// The whole path as it is written.
  let name: String
  /// The field with the link.
  let link: String
  /// The entity of the linked records.
  let destination: String
  /// The field of the linked record, or a path from there.
  let rest: String
  /// The type of the field at the end.
  var type: AttributeType
  /// True if the values at the end are bytes.
  let isBlob: Bool

  /// Finds the path with a name; nil if the name does not begin with a link and a period.
  ///
  /// - Throws: `CommandError` if the first link refers to several records, `PersistenceError` for a field that the
  ///   linked records do not have.
  init?(_ name: String, of entity: Schema.Entity, in schema: Schema) throws {
    guard entity.fieldsByName[name] == nil,
      let (link, rest) = Self.beginning(of: name, in: entity),
      let destination = link.type.destination.flatMap({ schema.entitiesByName[$0] })
    else { return nil }
    guard case .link = link.type else {
      throw CommandError(
        "\(entity.name).\(link.name) links to several records; a path needs links to one record",
        code: .unknownField
      )
    }
    self.name = name
    self.link = link.name
    self.destination = destination.name
    self.rest = rest
    if let path = try FieldPath(rest, of: destination, in: schema) {
      (type, isBlob) = (path.type, path.isBlob)
    } else {
      let attribute = try destination.attribute(named: rest)
      (type, isBlob) = (attribute.type, attribute.isBlob)
    }
  }

  /// The link at the beginning of a path, and the rest after the period; names may contain periods themselves.
  private static func beginning(of name: String, in entity: Schema.Entity) -> (
    link: Schema.Attribute, rest: String
  )? {
    for place in name.indices where name[place] == "." {
      guard let field = entity.fieldsByName[String(name[..<place])], field.type.destination != nil
      else { continue }
      return (field, String(name[name.index(after: place)...]))
    }
    return nil
  }
}

extension ModelContext {
  /// The values at the end of a path, by the records that its first link refers to; a record without a value is
  /// missing.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(n) in the number of links.
  func values(at path: LinkPath, of links: Set<PersistentIdentifier>) throws
    -> [PersistentIdentifier: Value]
  {
    guard !links.isEmpty, let entity = schema.entitiesByName[path.destination] else { return [:] }
    let next = try FieldPath(path.rest, of: entity, in: schema)
    let found = try snapshots(for: Array(links), attributes: [next?.field ?? path.rest])
      .compactMapValues { $0.orderedValues.first }
    guard let next else { return found.filter { !$0.value.isNull } }
    let records = Array(found.keys)
    let values = try values(at: next, in: records.map { found[$0] ?? .null })
    return Dictionary(uniqueKeysWithValues: zip(records, values)).filter { !$0.value.isNull }
  }

  /// The values at the end of a path, for the values of the field where it begins.
  ///
  /// - Throws: The error of a store that cannot be read.
  func values(at path: FieldPath, in values: [Value]) throws -> [Value] {
    switch path {
    case .members(let path): return values.map { path.path.value(in: $0) }
    case .link(let path):
      let links = values.map(\.linkedRecord)
      let found = try self.values(at: path, of: Set(links.compactMap { $0 }))
      return links.map { $0.flatMap { found[$0] } ?? .null }
    }
  }
}

extension Value {
  /// The record that a link refers to; nil for other values.
  var linkedRecord: PersistentIdentifier? {
    if case .link(let identifier) = self { identifier } else { nil }
  }
}
