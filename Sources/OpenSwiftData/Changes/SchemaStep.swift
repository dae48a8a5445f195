/// One change of a schema that can stay unsaved and be undone.
package enum SchemaStep: Hashable, Sendable, Codable {
  /// A new entity without records.
  case createEntity(Schema.Entity)
  /// Removes an entity without records.
  case removeEntity(String)
  /// Adds an attribute at an index, nil for the end; every record gets its default.
  case addAttribute(entity: String, Schema.Attribute, at: Int?)
  /// Renames an attribute; values are kept.
  case renameAttribute(entity: String, from: String, to: String)
  /// Drops an attribute and its values.
  case dropAttribute(entity: String, name: String)
  /// Converts an attribute to another type; every record gets its default.
  case convertAttribute(entity: String, AttributeConversion)

  /// The entity that is created, changed or removed.
  package var entityName: String {
    switch self {
    case .createEntity(let entity): entity.name
    case .removeEntity(let name): name
    case .addAttribute(let entity, _, _), .renameAttribute(let entity, _, _),
      .dropAttribute(let entity, _), .convertAttribute(let entity, _):
      entity
    }
  }

  /// Creates the step for a change; nil for the replacement of a whole schema.
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

  /// The step as a change that stores apply immediately; nil if there is no such change.
  package var change: SchemaChange? {
    switch self {
    case .createEntity(let entity): .createEntity(entity)
    case .addAttribute(let entity, let attribute, nil):
      attribute.isOptional || !attribute.defaultValue.isNull
        ? .addAttribute(entity: entity, attribute) : nil
    case .renameAttribute(let entity, let from, let to):
      .renameAttribute(entity: entity, from: from, to: to)
    case .dropAttribute(let entity, let name): .dropAttribute(entity: entity, name: name)
    case .removeEntity, .addAttribute, .convertAttribute: nil
    }
  }

  /// Changes with the same result as the step; empty if no changes have it.
  package var changes: [SchemaChange] {
    switch self {
    case .addAttribute(let entity, let attribute, _):
      [.addAttribute(entity: entity, attribute)]
    case .convertAttribute(let entity, let conversion):
      [
        .dropAttribute(entity: entity, name: conversion.attribute.name),
        .addAttribute(entity: entity, conversion.attribute),
      ]
    default: change.map { [$0] } ?? []
    }
  }

  /// The step that undoes this one, given the schema before it.
  ///
  /// - Throws: `PersistenceError` when the step does not apply to the schema.
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
    case .convertAttribute(let name, let conversion):
      let former = try schema.entity(named: name).attribute(named: conversion.attribute.name)
      return .convertAttribute(
        entity: name,
        AttributeConversion(to: former, from: nil, convention: conversion.convention)
      )
    }
  }
}

extension SchemaStep {
  /// The replacement of a schema that results from the step.
  ///
  /// - Throws: `PersistenceError` with the reason why the step is not possible.
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
    case .convertAttribute(let name, let conversion):
      let (entity, new) = (try schema.entity(named: name), conversion.attribute)
      _ = try entity.attribute(named: new.name)
      let fields = entity.fields.map { $0.name == new.name ? new : $0 }
      entities = entities.map { $0.name == name ? .init(name, attributes: fields) : $0 }
      origins[name]?[new.name] = nil
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
    case .convertAttribute(_, let conversion):
      entity?.fieldsByName[conversion.attribute.name] == conversion.attribute
    case .renameAttribute(_, let from, let to):
      entity?.fieldsByName[from] == nil && entity?.fieldsByName[to]?.originalName == from
    case .dropAttribute(_, let name):
      // A renamed field was not dropped.
      entity?.fields.contains { $0.name == name || $0.originalName == name } == false
    }
  }

  /// The replacement of a schema that results from all steps.
  ///
  /// Steps that another program has already made are skipped.
  ///
  /// - Throws: `PersistenceError` with code `.conflict` for the first step that no longer applies.
  package static func replacement(_ steps: [SchemaStep], from schema: Schema) throws
    -> SchemaReplacement
  {
    let (replacement, refusals) = possibleReplacement(steps, from: schema)
    if let refusal = refusals.first { throw refusal }
    return replacement
  }

  /// The replacement that results from the applicable steps, and the errors of the others.
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

  /// The result of the first steps if they append several attributes to one entity.
  ///
  /// Handled together, because one by one each step would create a schema.
  ///
  /// - Returns: Nil if one of them is not possible; applying them step by step then finds the error.
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

  /// The single change equivalent to the steps: nil for none, a whole schema for several.
  ///
  /// - Throws: As `replacement(_:from:)`.
  package static func change(_ steps: [SchemaStep], from schema: Schema) throws -> SchemaChange? {
    let replacement = try replacement(steps, from: schema)
    if replacement == .unchanged(schema) { return nil }
    if steps.count == 1, let change = steps[0].change { return change }
    return .replaceSchema(replacement)
  }
}
