/// One change of a schema, as `entity create` and `field add|rename|drop` make them.
public enum SchemaChange: Hashable, Sendable, Codable {
  /// A new entity without records.
  case createEntity(Schema.Entity)
  /// A new attribute; every record gets its default.
  case addAttribute(entity: String, Schema.Attribute)
  /// Another name for an attribute; values stay.
  case renameAttribute(entity: String, from: String, to: String)
  /// An attribute and its values go.
  case dropAttribute(entity: String, name: String)
  /// Another schema as a whole, as a migration makes it.
  case replaceSchema(SchemaReplacement)

  /// The entity that is created or changed; empty for a schema as a whole.
  public var entityName: String {
    switch self {
    case .createEntity(let entity): entity.name
    case .replaceSchema: ""
    case .addAttribute(let entity, _), .renameAttribute(let entity, _, _),
      .dropAttribute(let entity, _):
      entity
    }
  }
}

extension Schema {
  /// The schema after the change, checked.
  ///
  /// - Throws: `PersistenceError` that says why the change is not possible.
  public func applying(_ change: SchemaChange) throws -> Schema {
    let changed: Schema
    switch change {
    case .createEntity(let entity):
      changed = Schema(entities + [entity], version: version)
    case .addAttribute(let name, let attribute):
      guard attribute.isOptional || !attribute.defaultValue.isNull else {
        throw PersistenceError(
          .invalidSchema,
          "required field \"\(attribute.name)\" needs a default for existing records"
        )
      }
      changed = try replacing(name) { $0.fields + [attribute] }
    case .renameAttribute(let name, let from, let to):
      changed = try replacing(name) { entity in
        _ = try entity.attribute(named: from)
        return entity.fields.map { $0.name == from ? $0.renamed(to: to) : $0 }
      }
    case .dropAttribute(let name, let attribute):
      changed = try replacing(name) { entity in
        _ = try entity.attribute(named: attribute)
        return entity.fields.filter { $0.name != attribute }
      }
    case .replaceSchema(let replacement):
      try replacement.validate(from: self)
      return replacement.schema
    }
    try changed.validate()
    return changed
  }

  private func replacing(
    _ name: String,
    _ attributes: (Entity) throws -> [Attribute]
  ) throws -> Schema {
    let replacement = Entity(name, attributes: try attributes(try entity(named: name)))
    return Schema(entities.map { $0.name == name ? replacement : $0 }, version: version)
  }
}
