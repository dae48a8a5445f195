/// The fields of a new schema that took the places of former ones, as a conversion to another type does.
///
/// They do not keep the values of the former fields. A conversion is a step that tells which field it was, even if the
/// same save has renamed it; any other new field has replaced the one with its name.
package struct ReplacedFields: Sendable {
  /// A field with the former one.
  package struct Pair: Sendable {
    package let field: Schema.Attribute
    package let former: Schema.Attribute
    /// How the values were read if the field was converted; empty for no convention.
    let convention: String
  }

  private var pairs: [String: [Pair]] = [:]
  /// The former fields; only their entities.
  package let former: Schema

  /// Finds the fields.
  ///
  /// - Parameters:
  ///   - replacement: The change of the schema.
  ///   - former: The schema before it.
  ///   - steps: The changes that it combines; none if they are not known.
  package init(_ replacement: SchemaReplacement, of former: Schema, steps: [SchemaStep]) {
    let conversions = steps.conversions
    var entities: [Schema.Entity] = []
    for old in former.entities {
      let names = Set(old.layout.names)
      guard let change = FieldChange(replacement, steps, former: names, of: old.name),
        let new = replacement.schema.entitiesByName[old.name]
      else { continue }
      let pairs = new.fields.compactMap { field -> Pair? in
        guard change.origin(of: field.name) == nil, field.type.destination == nil else {
          return nil
        }
        let past = change.past(PastField(name: field.name))
        guard past.exists, let former = old.fieldsByName[past.name],
          former.type.destination == nil
        else { return nil }
        let conversion = conversions.last {
          $0.entity == old.name && $0.finalName == field.name
        }
        return Pair(
          field: field,
          former: former,
          convention: conversion?.conversion.convention ?? ""
        )
      }
      if pairs.isEmpty { continue }
      self.pairs[old.name] = pairs
      let replaced = Set(pairs.map(\.former.name))
      let fields = old.fields.filter { replaced.contains($0.name) }
      entities.append(Schema.Entity(old.name, attributes: fields))
    }
    self.former = Schema(entities)
  }

  /// True if there are none.
  package var isEmpty: Bool { pairs.isEmpty }

  /// The fields of an entity, each with the former one.
  package func pairs(of entity: String) -> [Pair] { pairs[entity] ?? [] }
}
