/// One change of a schema that can wait for a save, and can be taken back.
package enum SchemaStep: Hashable, Sendable, Codable {
  /// A new entity without records.
  case createEntity(Schema.Entity)
  /// An entity goes, which has no records.
  case removeEntity(String)
  /// A new attribute in a place; nil for the last. Every record gets its default.
  case addAttribute(entity: String, Schema.Attribute, at: Int?)
  /// Another name for an attribute; values stay.
  case renameAttribute(entity: String, from: String, to: String)
  /// An attribute and its values go.
  case dropAttribute(entity: String, name: String)

  /// The entity that is created, changed or removed.
  package var entityName: String {
    switch self {
    case .createEntity(let entity): entity.name
    case .removeEntity(let name): name
    case .addAttribute(let entity, _, _), .renameAttribute(let entity, _, _),
      .dropAttribute(let entity, _):
      entity
    }
  }

  /// The step that a change is; nil for a schema as a whole.
  package init?(_ change: SchemaChange) {
    switch change {
    case .createEntity(let entity): self = .createEntity(entity)
    case .addAttribute(let entity, let attribute):
      self = .addAttribute(entity: entity, attribute, at: nil)
    case .renameAttribute(let entity, let from, let to):
      self = .renameAttribute(entity: entity, from: from, to: to)
    case .dropAttribute(let entity, let name): self = .dropAttribute(entity: entity, name: name)
    case .replaceSchema: return nil
    }
  }

  /// The step as a change that stores make at once; nil when there is none for it.
  package var change: SchemaChange? {
    switch self {
    case .createEntity(let entity): .createEntity(entity)
    case .addAttribute(let entity, let attribute, nil):
      attribute.isOptional || !attribute.defaultValue.isNull
        ? .addAttribute(entity: entity, attribute) : nil
    case .renameAttribute(let entity, let from, let to):
      .renameAttribute(entity: entity, from: from, to: to)
    case .dropAttribute(let entity, let name): .dropAttribute(entity: entity, name: name)
    case .removeEntity, .addAttribute: nil
    }
  }

  /// The step that takes this one back, for a schema from before it.
  ///
  /// - Throws: `PersistenceError` when the step is not possible there.
  func inverse(in schema: Schema) throws -> SchemaStep {
    switch self {
    case .createEntity(let entity): return .removeEntity(entity.name)
    case .removeEntity(let name): return .createEntity(try schema.entity(named: name))
    case .addAttribute(let entity, let attribute, _):
      return .dropAttribute(entity: entity, name: attribute.name)
    case .renameAttribute(let entity, let from, let to):
      return .renameAttribute(entity: entity, from: to, to: from)
    case .dropAttribute(let name, let dropped):
      let entity = try schema.entity(named: name)
      let attribute = try entity.attribute(named: dropped)
      return .addAttribute(entity: name, attribute, at: entity.layout.slot(of: dropped))
    }
  }
}

extension SchemaStep {
  /// What the step makes of a schema, and where each field gets its values from.
  ///
  /// - Throws: `PersistenceError` that says why the step is not possible.
  func replacement(from schema: Schema) throws -> SchemaReplacement {
    let same = SchemaReplacement.unchanged(schema)
    var entities = schema.entities
    var origins = same.origins
    switch self {
    case .createEntity(let entity): entities.append(entity)
    case .removeEntity(let name):
      _ = try schema.entity(named: name)
      entities.removeAll { $0.name == name }
      origins[name] = nil
    case .addAttribute(let name, let attribute, let place):
      let entity = try schema.entity(named: name)
      var fields = entity.fields
      fields.insert(attribute, at: min(place ?? fields.count, fields.count))
      entities = entities.map { $0.name == name ? .init(name, attributes: fields) : $0 }
    case .renameAttribute(let name, let from, let to):
      let entity = try schema.entity(named: name)
      _ = try entity.attribute(named: from)
      let fields = entity.fields.map { $0.name == from ? $0.renamed(to: to) : $0 }
      entities = entities.map { $0.name == name ? .init(name, attributes: fields) : $0 }
      origins[name]?[from] = nil
      origins[name]?[to] = from
    case .dropAttribute(let name, let dropped):
      let entity = try schema.entity(named: name)
      _ = try entity.attribute(named: dropped)
      let fields = entity.fields.filter { $0.name != dropped }
      entities = entities.map { $0.name == name ? .init(name, attributes: fields) : $0 }
      origins[name]?[dropped] = nil
    }
    let changed = Schema(entities, version: schema.version)
    try changed.validate()
    return SchemaReplacement(schema: changed, origins: origins)
  }

  /// True when another program has made the same change already.
  func isDone(in schema: Schema) -> Bool {
    let entity = schema.entitiesByName[entityName]
    return switch self {
    case .createEntity(let wanted): entity.map { $0.fields == wanted.fields } ?? false
    case .removeEntity: entity == nil
    case .addAttribute(_, let attribute, _): entity?.fieldsByName[attribute.name] == attribute
    case .renameAttribute(_, let from, let to):
      entity?.fieldsByName[from] == nil && entity?.fieldsByName[to]?.originalName == from
    case .dropAttribute(_, let name):
      // A field that has another name now was not dropped.
      entity?.fields.contains { $0.name == name || $0.originalName == name } == false
    }
  }

  /// What the steps make of a schema, one after the other; what another program did meanwhile is left
  /// out.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` for the first step that is not possible any more.
  package static func replacement(_ steps: [SchemaStep], from schema: Schema) throws
    -> SchemaReplacement
  {
    let (replacement, refusals) = possibleReplacement(steps, from: schema)
    if let refusal = refusals.first { throw refusal }
    return replacement
  }

  /// What the steps that are possible make of a schema, and why the others are not.
  package static func possibleReplacement(_ steps: [SchemaStep], from schema: Schema)
    -> (SchemaReplacement, refusals: [PersistenceError])
  {
    var result = SchemaReplacement.unchanged(schema)
    var refusals: [PersistenceError] = []
    var rest = steps[...]
    while let step = rest.first {
      if let (replacement, count) = additions(rest, to: result.schema) {
        result = result.followed(by: replacement)
        rest = rest.dropFirst(count)
        continue
      }
      rest.removeFirst()
      if step.isDone(in: result.schema) { continue }
      do {
        result = result.followed(by: try step.replacement(from: result.schema))
      } catch {
        refusals.append(
          PersistenceError(
            .conflict,
            "an unsaved schema change no longer applies, because another program changed the "
              + "schema: \(error); undo it or roll back",
            cause: error
          )
        )
      }
    }
    return (result, refusals)
  }

  /// What the first steps make of a schema, if they are several new attributes at the end of one entity:
  /// one by one, a schema would be made of each.
  ///
  /// - Returns: Nil where something stands against one of them, which is then found out step by step.
  private static func additions(_ steps: ArraySlice<SchemaStep>, to schema: Schema) -> (
    SchemaReplacement, count: Int
  )? {
    guard case .addAttribute(let name, _, nil)? = steps.first,
      let entity = schema.entitiesByName[name]
    else { return nil }
    var added: [Schema.Attribute] = []
    for case .addAttribute(name, let attribute, nil) in steps.prefix(while: { $0.adds(to: name) }) {
      added.append(attribute)
    }
    let isNew = added.allSatisfy { entity.fieldsByName[$0.name] == nil }
    guard added.count > 1, isNew else { return nil }
    let grown = Schema.Entity(name, attributes: entity.fields + added)
    let changed = Schema(
      schema.entities.map { $0.name == name ? grown : $0 },
      version: schema.version
    )
    guard (try? changed.validate()) != nil else { return nil }
    let origins = SchemaReplacement.unchanged(schema).origins
    return (SchemaReplacement(schema: changed, origins: origins), added.count)
  }

  /// True for a new attribute at the end of the entity.
  private func adds(to entity: String) -> Bool {
    if case .addAttribute(entity, _, nil) = self { true } else { false }
  }

  /// The one change that the steps are for a store: nil for none, a schema as a whole for several.
  ///
  /// - Throws: As `replacement(_:from:)`.
  package static func change(_ steps: [SchemaStep], from schema: Schema) throws -> SchemaChange? {
    let replacement = try replacement(steps, from: schema)
    if replacement == .unchanged(schema) { return nil }
    if steps.count == 1, let change = steps[0].change { return change }
    return .replaceSchema(replacement)
  }
}
