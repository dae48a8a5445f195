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
