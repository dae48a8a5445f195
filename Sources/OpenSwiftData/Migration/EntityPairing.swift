/// Pairs the fields of an entity in a former and in a new schema.
struct EntityPairing {
  /// The entity of the store after the migration.
  let entity: Schema.Entity
  /// The origins of values that are kept unchanged.
  private(set) var origins: [String: String] = [:]
  /// All fields of the new schema that are new or changed.
  private(set) var fields: [SchemaComparison.Field] = []
  private let kept: [(old: Schema.Attribute, new: Schema.Attribute)]
  private let dropped: [Schema.Attribute]
  private let comparesDefaults: Bool

  /// Pairs fields by their names and by their former names.
  init(_ old: Schema.Entity, _ new: Schema.Entity, keepsUnknown: Bool) {
    comparesDefaults = !keepsUnknown
    let search = OriginSearch(old, new)
    var claimed: Set<String> = []
    for field in new.fields {
      var origin = search.origin(of: field)
      if let found = origin, !claimed.insert(found.name).inserted { origin = nil }
      if let origin, origin.type == field.type { origins[field.name] = origin.name }
      fields.append(.init(entity: new.name, attribute: field, origin: origin))
    }
    let rest = old.fields.filter { !claimed.contains($0.name) }
    // A field that is kept needs a unique name.
    let isKept = { (field: Schema.Attribute) in
      keepsUnknown && new.fieldsByName[field.name] == nil
    }
    kept = rest.filter(isKept).map { ($0, $0.relaxed) }
    dropped = rest.filter { !isKept($0) }
    for (old, new) in kept { origins[new.name] = old.name }
    entity =
      kept.isEmpty
      ? new.detached()
      : new.detached(adding: kept.map(\.new))
  }

  /// The steps of the migration, one for each change.
  func describe(count: () throws -> Int) throws -> [MigrationStep] {
    var steps: [MigrationStep] = []
    for field in fields {
      guard let origin = field.origin else {
        steps.append(step(adding: field.attribute, count: try count()))
        continue
      }
      steps += differences(origin, field.attribute)
    }
    for (old, new) in kept where old.isOptional != new.isOptional {
      let text = "keep \(old.name) as optional (not in the new schema)"
      steps.append(MigrationStep(.changeRequirement, entity.name, text))
    }
    for field in dropped {
      steps.append(MigrationStep(.dropField, entity.name, "drop \(field.name) (\(field.type))"))
    }
    return steps
  }

  private func step(adding field: Schema.Attribute, count: Int) -> MigrationStep {
    let type = field.isOptional || field.type.destination != nil ? "" : ", required"
    let records =
      count == 0 || field.type.destination != nil
      ? "" : ", \(recordCount(count)) get\(count == 1 ? "s" : "") \(field.defaultValue.inWords)"
    return MigrationStep(
      .addField,
      entity.name,
      "add \(field.name) (\(field.type)\(type))\(records)"
    )
  }

  private func differences(_ old: Schema.Attribute, _ new: Schema.Attribute) -> [MigrationStep] {
    var steps: [MigrationStep] = []
    func add(_ kind: MigrationStep.Kind, _ text: String) {
      steps.append(MigrationStep(kind, entity.name, text))
    }
    if old.name != new.name { add(.renameField, "rename \(old.name) to \(new.name)") }
    if old.type != new.type {
      add(.changeType, "change \(new.name) from \(old.type) to \(new.type)")
    }
    if old.isOptional != new.isOptional {
      let filled =
        new.defaultValue.isNull ? "" : "; set missing values to \(new.defaultValue.inWords)"
      add(
        .changeRequirement,
        new.isOptional
          ? "make \(new.name) optional" : "make \(new.name) required" + filled
      )
    }
    if old.isUnique != new.isUnique {
      let rule = new.isUnique ? "unique" : "not unique"
      add(.changeRule, "make \(new.name) \(rule)")
    }
    if old.isReadOnly != new.isReadOnly {
      add(.changeRule, "make \(new.name) " + (new.isReadOnly ? "read-only" : "editable"))
    }
    if old.isBlob != new.isBlob {
      add(.changeRule, "show \(new.name) as " + (new.isBlob ? "bytes" : "text"))
    }
    // Declared defaults such as `Date()` differ on each evaluation.
    if comparesDefaults, new.type != .datetime, new.type != .uuid,
      old.defaultValue != new.defaultValue
    {
      add(.changeRule, "change the default of \(new.name) to \(new.defaultValue.inWords)")
    }
    return steps
  }
}

/// Finds the former versions of the fields of an entity.
private struct OriginSearch {
  private let old: Schema.Entity
  private let new: Schema.Entity
  /// The former names of the fields whose names are new.
  private let namesWithHeir: Set<String>
  /// The old fields whose names are gone, by their original names; the first of each.
  private let gone: [String: Schema.Attribute]

  init(_ old: Schema.Entity, _ new: Schema.Entity) {
    (self.old, self.new) = (old, new)
    namesWithHeir = Set(
      new.fields.lazy.filter { old.fieldsByName[$0.name] == nil }.map(\.originalName)
    )
    gone = Dictionary(
      old.fields.lazy.filter { new.fieldsByName[$0.name] == nil }.map { ($0.originalName, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The former version of a field.
  ///
  /// It has the same name, else the original name, else the same original name, as after two renames.
  func origin(of field: Schema.Attribute) -> Schema.Attribute? {
    if let same = old.fieldsByName[field.name] {
      if field.originalName != field.name, field.originalName != same.originalName,
        new.fieldsByName[field.originalName] == nil,
        let former = old.fieldsByName[field.originalName]
      {
        return former
      }
      // A new field may have the former name of another one.
      return namesWithHeir.contains(field.name) ? nil : same
    }
    guard field.originalName != field.name else { return nil }
    return old.fieldsByName[field.originalName] ?? gone[field.originalName]
  }
}

extension Schema.Attribute {
  /// The same field for programs without it: required only if it has a default.
  fileprivate var relaxed: Schema.Attribute {
    guard !isOptional, defaultValue.isNull else { return self }
    return Schema.Attribute(
      named: name,
      type,
      isOptional: true,
      options: options,
      defaultValue: defaultValue,
      originalName: originalName,
      hashModifier: hashModifier,
      valueType: valueType,
      relationship: relationship
    )
  }
}

extension Schema.Entity {
  /// A copy of the entity with more fields at its end, for use in another schema.
  fileprivate func detached(adding more: [Schema.Attribute]) -> Schema.Entity {
    Schema.Entity(
      name: name,
      fields: fields + more,
      relationships: orderedRelationships + more.compactMap(\.relationshipOfField),
      uniquenessConstraints: zip(declaredConstraints, constraintPolicies).map {
        (names: $0.0, policy: $0.1)
      },
      indices: indices,
      superentityName: superentityName
    )
  }
}
