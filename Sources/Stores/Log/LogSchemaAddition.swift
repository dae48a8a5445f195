import OpenSwiftData

extension Schema {
  /// The changes after which this schema has everything that another one has.
  ///
  /// What only this one has stays. An attribute that was renamed is known by its original name.
  ///
  /// - Throws: `.invalidSchema` if an attribute has another type here.
  func changes(toInclude wanted: Schema) throws -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for entity in wanted.entities {
      guard let present = entitiesByName[entity.name] else {
        changes.append(.createEntity(entity))
        continue
      }
      for attribute in entity.fields {
        changes += try Self.changes(toInclude: attribute, in: present)
      }
    }
    return changes
  }

  private static func changes(toInclude attribute: Attribute, in entity: Entity) throws
    -> [SchemaChange]
  {
    if let present = entity.fieldsByName[attribute.name] {
      guard present.type == attribute.type else {
        throw PersistenceError(
          .invalidSchema,
          "\(entity.name).\(attribute.name) is \(present.type) in the file, not \(attribute.type)"
        )
      }
      return []
    }
    if let former = entity.fieldsByName[attribute.originalName],
      former.type == attribute.type
    {
      return [.renameAttribute(entity: entity.name, from: former.name, to: attribute.name)]
    }
    return [.addAttribute(entity: entity.name, attribute)]
  }
}
