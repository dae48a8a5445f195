/// The fields of a new schema that took the places of former ones, as a conversion to another type does.
///
/// They do not keep the values of the former fields. A conversion consists of steps that tell which field it was, even
/// if the same save has renamed it; any other new field has replaced the one with its name.
package struct ReplacedFields: Sendable {
  /// By entity and field: the name of the former field.
  private var formerNames: [String: [String: String]] = [:]
  /// The former fields; only their entities.
  package let former: Schema
  /// The new schema.
  private let schema: Schema

  /// Finds the fields.
  ///
  /// - Parameters:
  ///   - replacement: The change of the schema.
  ///   - former: The schema before it.
  ///   - steps: The changes that it combines; none if they are not known.
  package init(_ replacement: SchemaReplacement, of former: Schema, steps: [SchemaStep]) {
    schema = replacement.schema
    var entities: [Schema.Entity] = []
    for entity in former.entities {
      let names = Self.formerNames(of: entity, replacement, steps)
      let replaced = Set(names.values)
      if replaced.isEmpty { continue }
      formerNames[entity.name] = names
      let fields = entity.fields.filter { replaced.contains($0.name) }
      entities.append(Schema.Entity(entity.name, attributes: fields))
    }
    self.former = Schema(entities)
  }

  /// True if there are none.
  package var isEmpty: Bool { formerNames.isEmpty }

  /// The fields of an entity, each with the former one.
  package func pairs(of entity: String) -> [(field: Schema.Attribute, former: Schema.Attribute)] {
    guard let names = formerNames[entity], let old = former.entitiesByName[entity] else {
      return []
    }
    return (schema.entitiesByName[entity]?.fields ?? []).compactMap { field in
      names[field.name].flatMap { old.fieldsByName[$0] }.map { (field, $0) }
    }
  }

  /// By the name of each such field of an entity: that of the former one.
  static func formerNames(
    of entity: Schema.Entity,
    _ replacement: SchemaReplacement,
    _ steps: [SchemaStep]
  ) -> [String: String] {
    guard let origins = replacement.origins[entity.name],
      let new = replacement.schema.entitiesByName[entity.name]
    else { return [:] }
    let added = new.fields.filter { origins[$0.name] == nil && $0.type.destination == nil }
    if added.isEmpty { return [:] }
    let sources = follow(steps, from: entity).sources
    var free = Set(entity.fields.lazy.filter { $0.type.destination == nil }.map(\.name))
    free.subtract(origins.values)
    var names: [String: String] = [:]
    for field in added {
      if let source = sources[field.name], free.remove(source) != nil { names[field.name] = source }
    }
    for field in added where names[field.name] == nil {
      if free.remove(field.name) != nil { names[field.name] = field.name }
    }
    return names
  }

  /// The fields of an entity through the steps of a change.
  struct Course {
    /// By the name of a field after the steps: that of the former field that it is, or took the place of.
    fileprivate(set) var sources: [String: String] = [:]
    /// By the last name of each dropped field: its name before the steps.
    fileprivate(set) var dropped: [String: String] = [:]
    /// By the name of each new field after the steps: that with which it was added.
    fileprivate(set) var added: [String: String] = [:]
  }

  /// Follows the fields of an entity through steps.
  static func follow(_ steps: [SchemaStep], from entity: Schema.Entity) -> Course {
    var course = Course()
    course.sources = Dictionary(
      entity.fields.map { ($0.name, $0.name) },
      uniquingKeysWith: { first, _ in first }
    )
    var rest = steps.filter { $0.entityName == entity.name }[...]
    while let step = rest.first {
      if SchemaStep.Conversion(rest.prefix(SchemaStep.Conversion.stepCount)) != nil {
        rest = rest.dropFirst(SchemaStep.Conversion.stepCount)
        continue
      }
      rest.removeFirst()
      switch step {
      case .renameAttribute(_, let from, let to):
        course.sources[to] = course.sources.removeValue(forKey: from)
        course.added[to] = course.added.removeValue(forKey: from)
      case .dropAttribute(_, let name):
        if let former = course.sources.removeValue(forKey: name) { course.dropped[name] = former }
        course.added[name] = nil
      case .addAttribute(_, let attribute, _): course.added[attribute.name] = attribute.name
      default: break
      }
    }
    return course
  }
}

extension SchemaStep {
  /// The steps that convert a field to another type, or undo that: the field gets another name until it is dropped.
  package struct Conversion {
    package static let stepCount = 3

    package let entity: String
    package let field: String
    /// The new type.
    package let type: AttributeType
    /// The other name of the former field; nil if a conversion is undone.
    package let formerName: String?

    /// The name that a field has while it is converted: `price (text)`.
    package static func formerName(of field: Schema.Attribute, in entity: Schema.Entity) -> String {
      var name = "\(field.name) (\(field.type))"
      while entity.fieldsByName[name] != nil { name += "'" }
      return name
    }

    /// The type in such a name; nil for other names.
    private static func type(in name: String, of field: String) -> AttributeType? {
      guard name.hasPrefix(field + " (") else { return nil }
      var rest = name.dropFirst(field.count + 2)
      while rest.last == "'" { rest.removeLast() }
      guard rest.last == ")" else { return nil }
      return AttributeType(String(rest.dropLast()))
    }

    /// Nil for other steps.
    package init?(_ steps: ArraySlice<SchemaStep>) {
      let steps = Array(steps)
      guard steps.count == Self.stepCount else { return nil }
      if case .renameAttribute(let entity, let name, let other) = steps[0],
        case .addAttribute(entity, let added, _) = steps[1], added.name == name,
        steps[2] == .dropAttribute(entity: entity, name: other),
        let former = Self.type(in: other, of: name), former != added.type
      {
        (self.entity, field, type, formerName) = (entity, name, added.type, other)
      } else if case .addAttribute(let entity, let added, _) = steps[0],
        case .dropAttribute(entity, let name) = steps[1],
        Self.type(in: added.name, of: name) == added.type,
        steps[2] == .renameAttribute(entity: entity, from: added.name, to: name)
      {
        (self.entity, field, type, formerName) = (entity, name, added.type, nil)
      } else {
        return nil
      }
    }
  }
}
