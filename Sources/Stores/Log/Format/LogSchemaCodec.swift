import OpenSwiftData

/// Encodes and decodes schemas and their changes.
enum LogSchemaCodec {
  private enum Flag {
    static let optional: UInt8 = 1
    static let unique: UInt8 = 2
    static let hasDefault: UInt8 = 4
    static let readOnly: UInt8 = 8
    static let blob: UInt8 = 16
  }

  private enum ChangeKind {
    static let createEntity: UInt8 = 1
    static let addAttribute: UInt8 = 2
    static let renameAttribute: UInt8 = 3
    static let dropAttribute: UInt8 = 4
    static let convertAttribute: UInt8 = 5
  }

  static func encode(_ schema: Schema, to payload: inout PayloadWriter) {
    for number in [schema.version.major, schema.version.minor, schema.version.patch] {
      payload.append(signed: Int64(number))
    }
    payload.append(unsigned: UInt64(schema.entities.count))
    for entity in schema.entities { encode(entity, to: &payload) }
  }

  static func schema(from reader: inout PayloadReader) throws -> Schema {
    let version = Schema.Version(
      Int(try reader.signed()),
      Int(try reader.signed()),
      Int(try reader.signed())
    )
    let count = try reader.count()
    let entities = try (0..<count).map { _ in try entity(from: &reader) }
    let schema = Schema(entities, version: version)
    try schema.validate()
    return schema
  }

  static func encode(_ change: SchemaChange, to payload: inout PayloadWriter) {
    guard let step = SchemaStep(change) else {
      preconditionFailure("a schema as a whole has a frame of its own")
    }
    encode(step, to: &payload)
  }

  /// Writes a step as a history keeps it; see `inHistory`.
  static func encode(_ step: SchemaStep, to payload: inout PayloadWriter) {
    switch step {
    case .createEntity(let entity):
      payload.append(byte: ChangeKind.createEntity)
      encode(entity, to: &payload)
    case .addAttribute(let entity, let attribute, _):
      payload.append(byte: ChangeKind.addAttribute)
      payload.append(text: entity)
      encode(attribute, to: &payload)
    case .renameAttribute(let entity, let from, let to):
      payload.append(byte: ChangeKind.renameAttribute)
      for text in [entity, from, to] { payload.append(text: text) }
    case .dropAttribute(let entity, let name):
      payload.append(byte: ChangeKind.dropAttribute)
      for text in [entity, name] { payload.append(text: text) }
    case .convertAttribute(let entity, let conversion):
      payload.append(byte: ChangeKind.convertAttribute)
      payload.append(text: entity)
      encode(conversion.attribute, to: &payload)
      payload.append(byte: conversion.former == nil ? 0 : 1)
      if let former = conversion.former { encode(former, to: &payload) }
      payload.append(text: conversion.convention)
    case .removeEntity: preconditionFailure("no history keeps the removal of an entity")
    }
  }

  /// Writes the new schema, then the origin of the values for each of its entities and fields.
  ///
  /// An origin is 0 for the default, or 1 + the index of a field of the former entity.
  static func encode(
    _ replacement: SchemaReplacement,
    from former: Schema,
    to payload: inout PayloadWriter
  ) {
    encode(replacement.schema, to: &payload)
    for entity in replacement.schema.entities {
      let isKept = replacement.origins[entity.name] != nil
      payload.append(byte: isKept ? 1 : 0)
      guard isKept else { continue }
      for slot in replacement.originSlots(of: entity.name, in: former) {
        payload.append(unsigned: UInt64(slot.map { $0 + 1 } ?? 0))
      }
    }
  }

  static func replacement(from reader: inout PayloadReader, former: Schema) throws
    -> SchemaReplacement
  {
    let schema = try schema(from: &reader)
    var origins: [String: [String: String]] = [:]
    for entity in schema.entities where try reader.byte() != 0 {
      guard let old = former.entitiesByName[entity.name] else {
        throw PayloadError(reason: "unknown entity \(entity.name)")
      }
      var fields: [String: String] = [:]
      for field in entity.fields {
        let place = try reader.unsigned()
        guard place <= UInt64(old.fields.count) else {
          throw PayloadError(reason: "\(entity.name): unknown field \(place)")
        }
        if place > 0 { fields[field.name] = old.fields[Int(place) - 1].name }
      }
      origins[entity.name] = fields
    }
    return SchemaReplacement(schema: schema, origins: origins)
  }

  static func change(from reader: inout PayloadReader) throws -> SchemaChange {
    let step = try step(from: &reader)
    guard step.conversion == nil, let change = step.changes.first else {
      throw PayloadError(reason: "unexpected conversion")
    }
    return change
  }

  static func step(from reader: inout PayloadReader) throws -> SchemaStep {
    switch try reader.byte() {
    case ChangeKind.createEntity:
      return .createEntity(try entity(from: &reader))
    case ChangeKind.addAttribute:
      return .addAttribute(entity: try reader.text(), try attribute(from: &reader), at: nil)
    case ChangeKind.renameAttribute:
      return .renameAttribute(
        entity: try reader.text(),
        from: try reader.text(),
        to: try reader.text()
      )
    case ChangeKind.dropAttribute:
      return .dropAttribute(entity: try reader.text(), name: try reader.text())
    case ChangeKind.convertAttribute:
      let entity = try reader.text()
      let new = try attribute(from: &reader)
      let former = try reader.byte() == 0 ? nil : try attribute(from: &reader)
      return .convertAttribute(
        entity: entity,
        AttributeConversion(to: new, from: former, convention: try reader.text())
      )
    case let kind:
      throw PayloadError(reason: "unknown schema change \(kind)", isNewer: true)
    }
  }

  private static func encode(_ entity: Schema.Entity, to payload: inout PayloadWriter) {
    payload.append(text: entity.name)
    payload.append(unsigned: UInt64(entity.fields.count))
    for attribute in entity.fields { encode(attribute, to: &payload) }
  }

  private static func entity(from reader: inout PayloadReader) throws -> Schema.Entity {
    let name = try reader.text()
    let count = try reader.count()
    return Schema.Entity(
      name,
      attributes: try (0..<count).map { _ in try attribute(from: &reader) }
    )
  }

  private static func encode(_ attribute: Schema.Attribute, to payload: inout PayloadWriter) {
    let value = LogValueCodec.defaultValue(attribute.defaultValue)
    payload.append(text: attribute.name)
    payload.append(text: attribute.originalName)
    payload.append(text: attribute.typeSpelling)
    payload.append(
      byte: (attribute.isOptional ? Flag.optional : 0) | (attribute.isUnique ? Flag.unique : 0)
        | (value == nil ? 0 : Flag.hasDefault) | (attribute.isReadOnly ? Flag.readOnly : 0)
        | (attribute.isBlob ? Flag.blob : 0)
    )
    if let value { LogValueCodec.append(value, to: &payload) }
  }

  private static func attribute(from reader: inout PayloadReader) throws -> Schema.Attribute {
    let name = try reader.text()
    let originalName = try reader.text()
    let spelling = try reader.text()
    guard let (type, rule) = AttributeType.reading(spelling) else {
      throw PayloadError(reason: "unknown field type \(spelling)", isNewer: true)
    }
    let flags = try reader.byte()
    let known = Flag.optional | Flag.unique | Flag.hasDefault | Flag.readOnly | Flag.blob
    guard flags & ~known == 0 else {
      throw PayloadError(reason: "field \(name): unknown flags \(flags)", isNewer: true)
    }
    let hasDefault = flags & Flag.hasDefault != 0
    return Schema.Attribute(
      name,
      type,
      isOptional: flags & Flag.optional != 0,
      isUnique: flags & Flag.unique != 0,
      defaultValue: hasDefault
        ? try LogValueCodec.value(type.kind, from: &reader) : .null,
      originalName: originalName,
      deleteRule: rule,
      isReadOnly: flags & Flag.readOnly != 0,
      isBlob: flags & Flag.blob != 0
    )
  }
}
