/// A new schema for a store, and the origin of the values of each field.
///
/// A field either keeps the values of a field of the same type, or every record gets its default. All other
/// changes of records are in a separate `ChangeSet`.
public struct SchemaReplacement: Hashable, Sendable, Codable {
  /// The new schema.
  public let schema: Schema
  /// By entity and field: the name of the field in the former schema whose values it keeps.
  ///
  /// A missing entity starts without records; a missing field has its default in all records.
  public let origins: [String: [String: String]]

  /// Creates a replacement without checking it; see `Schema.applying(_:)`.
  public init(schema: Schema, origins: [String: [String: String]]) {
    self.schema = schema
    self.origins = origins
  }

  /// The record under the new schema; nil if its entity no longer exists.
  public func arranged(_ snapshot: DefaultSnapshot) -> DefaultSnapshot? {
    let name = snapshot.persistentIdentifier.entityName
    guard let origins = origins[name], let entity = schema.entitiesByName[name] else { return nil }
    return DefaultSnapshot(
      persistentIdentifier: snapshot.persistentIdentifier,
      layout: entity.layout,
      orderedValues: entity.fields.map { field in
        origins[field.name].flatMap { snapshot[$0] } ?? field.defaultValue
      }
    )
  }

  /// The slot of each field's origin in the former entity; nil for fields without one.
  package func originSlots(of name: String, in former: Schema) -> [Int?] {
    guard let entity = schema.entitiesByName[name], let old = former.entitiesByName[name],
      let origins = origins[name]
    else { return [] }
    return entity.fields.map { field in origins[field.name].flatMap { old.layout.slot(of: $0) } }
  }

  /// The replacement that changes nothing.
  static func unchanged(_ schema: Schema) -> SchemaReplacement {
    SchemaReplacement(
      schema: schema,
      origins: Dictionary(
        schema.entities.map { entity in
          (
            entity.name,
            Dictionary(entity.fields.map { ($0.name, $0.name) }, uniquingKeysWith: { $1 })
          )
        },
        uniquingKeysWith: { $1 }
      )
    )
  }

  /// This replacement followed by another one, combined into one.
  func followed(by next: SchemaReplacement) -> SchemaReplacement {
    var composed: [String: [String: String]] = [:]
    for (entity, fields) in next.origins {
      guard let former = origins[entity] else { continue }
      composed[entity] = fields.compactMapValues { former[$0] }
    }
    return SchemaReplacement(schema: next.schema, origins: composed)
  }

  /// Checks that the origins exist and have the types of their fields.
  func validate(from former: Schema) throws {
    try schema.validate()
    for (name, fields) in origins {
      let (old, new) = (try former.entity(named: name), try schema.entity(named: name))
      for (field, origin) in fields {
        let (from, to) = (try old.attribute(named: origin), try new.attribute(named: field))
        guard from.type == to.type else {
          throw PersistenceError(
            .invalidSchema,
            "\(name).\(field): \(to.type) field cannot take the values of \(from.type) field \(origin)"
          )
        }
      }
    }
  }
}
