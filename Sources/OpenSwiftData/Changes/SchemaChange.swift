/// One change of a schema, as made by `entity create` and `field add|rename|drop`.
public enum SchemaChange: Hashable, Sendable, Codable {
  /// A new entity without records.
  case createEntity(Schema.Entity)
  /// A new attribute; every record gets its default.
  case addAttribute(entity: String, Schema.Attribute)
  /// Renames an attribute; values are kept.
  case renameAttribute(entity: String, from: String, to: String)
  /// Drops an attribute and its values.
  case dropAttribute(entity: String, name: String)
  /// Replaces the whole schema, as a migration does.
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
  /// - Throws: `PersistenceError` with the reason why the change is not possible.
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
      changed = try replacing(name, renaming: { $0 == from ? to : $0 }) { entity in
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

  /// The schema with other attributes of an entity.
  ///
  /// Constraints and indices of several attributes stay, except those with an attribute that is gone.
  private func replacing(
    _ name: String,
    renaming: (String) -> String = { $0 },
    _ attributes: (Entity) throws -> [Attribute]
  ) throws -> Schema {
    let former = try entity(named: name)
    let fields = try attributes(former)
    let names = Set(fields.map(\.name))
    let replacement = Entity(
      name: name,
      fields: fields,
      relationships: fields.compactMap(\.relationshipOfField),
      uniquenessConstraints: zip(former.declaredConstraints, former.constraintPolicies)
        .map { (names: $0.map(renaming), policy: $1) }
        .filter { names.isSuperset(of: $0.names) },
      indices: former.indices.map { $0.map(renaming) }.filter(names.isSuperset),
      superentityName: former.superentityName
    )
    return Schema(entities.map { $0.name == name ? replacement : $0 }, version: version)
  }
}
