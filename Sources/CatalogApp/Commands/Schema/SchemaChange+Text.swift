import OpenSwiftData

extension SchemaChange {
  /// The change as the commands that perform it, in one line.
  ///
  /// If the schema was replaced as a whole, dropped fields are found by comparing it with `former`, the
  /// schema before.
  func text(from former: Schema?) -> String {
    switch self {
    case .createEntity(let entity): "entity create \(entity.name)"
    case .addAttribute(let entity, let attribute): "field add \(entity) \(attribute.definition)"
    case .renameAttribute(let entity, let from, let to): "field rename \(entity) \(from) \(to)"
    case .dropAttribute(let entity, let name): "field drop \(entity) \(name)"
    case .replaceSchema: words(from: former).joined(separator: ", ")
    }
  }

  /// The same one by one, if the change combines several.
  func words(from former: Schema?) -> [String] {
    guard case .replaceSchema(let replacement) = self else { return [text(from: former)] }
    return replacement.schema.version == Schema.Version(1, 0, 0)
      ? replacement.words(from: former) : ["migration to version \(replacement.schema.version)"]
  }
}

extension SchemaStep {
  /// The step as the command that makes it.
  var command: String {
    guard let conversion else { return changes.first?.text(from: nil) ?? words }
    let names = [entityName, conversion.attribute.name].map(CommandText.quoted)
    return "field type \(names.joined(separator: " ")) \(conversion.attribute.type)"
  }
}

extension SchemaReplacement {
  /// The combined effect of several changes on the schema before them.
  fileprivate func words(from former: Schema?) -> [String] {
    var changes = (former?.entities ?? []).filter { origins[$0.name] == nil }
      .map { "entity drop \($0.name)" }
    for entity in schema.entities {
      guard let origins = origins[entity.name] else {
        changes.append("entity create \(entity.name)")
        continue
      }
      changes += Self.changes(of: entity, origins, from: former?.entitiesByName[entity.name])
    }
    return changes.isEmpty ? ["schema changed"] : changes
  }

  private static func changes(
    of entity: Schema.Entity,
    _ origins: [String: String],
    from former: Schema.Entity?
  ) -> [String] {
    let kept = Set(origins.values)
    var changes = (former?.fields ?? []).filter { !kept.contains($0.name) }
      .map { "field drop \(entity.name) \($0.name)" }
    for field in entity.fields {
      guard let origin = origins[field.name] else {
        changes.append("field add \(entity.name) \(field.definition)")
        continue
      }
      if origin != field.name {
        changes.append("field rename \(entity.name) \(origin) \(field.name)")
      }
      let old = former?.fieldsByName[origin]
      if let old, old.rules != field.rules {
        changes.append("field change \(entity.name) \(field.definition)")
      }
    }
    return changes
  }
}

extension Schema.Attribute {
  /// The field in the syntax of `field add`: `FIELD:TYPE[!][=DEFAULT]`.
  fileprivate var definition: String { name + ":" + rules }

  /// Everything but the name.
  fileprivate var rules: String {
    specification + (defaultValue.isNull ? "" : "=" + CommandText.quoted(defaultValue.text))
  }
}
