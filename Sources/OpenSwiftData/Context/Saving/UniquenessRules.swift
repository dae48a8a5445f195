/// One uniqueness constraint: properties whose combined values are unique.
struct UniquenessRule {
  /// The entity that declares it; the constraint also applies to its subentities.
  let owner: Schema.Entity
  /// The properties.
  let names: [String]
  /// The policy for a new record with the values of another one.
  let policy: Schema.UniquePolicy
  /// The entities that it applies to.
  let family: [Schema.Entity]
  /// True when one of the properties refers to a record.
  let hasLinks: Bool
  /// The slots of the properties, which are the same in the whole family.
  let slots: [Int]

  /// The values that must be unique; nil if one is missing, because missing values never collide.
  ///
  /// Values are unique in each store: the same ones in two stores are two keys.
  func key(of values: [Value], at place: Int) -> UniquenessKey? {
    if slots.count == 1 {
      let value = values[slots[0]]
      return value.isNull ? nil : UniquenessKey(kind: .single(value), place: place)
    }
    let parts = slots.map { values[$0] }
    return parts.contains(where: \.isNull)
      ? nil : UniquenessKey(kind: .several(parts), place: place)
  }

  /// The distinct values of the property that has most of them: a query for these matches the fewest records.
  func selection(of keys: Set<UniquenessKey>) -> (part: Int, values: [Value]) {
    guard slots.count > 1 else { return (0, keys.map { $0.values[0] }) }
    let columns = slots.indices.map { part in Set(keys.map { $0.values[part] }) }
    let best = columns.indices.max { columns[$0].count < columns[$1].count } ?? 0
    return (best, Array(columns[best]))
  }

  func binds(_ entityName: String) -> Bool { family.contains { $0.name == entityName } }

  func isChanged(from old: [Value], to new: [Value]) -> Bool {
    slots.contains { old[$0] != new[$0] }
  }

  /// The error for two records with the same values.
  func error(_ first: PersistentIdentifier, _ second: PersistentIdentifier, _ key: UniquenessKey)
    -> PersistenceError
  {
    let properties = names.map { "\(owner.name).\($0)" }.joined(separator: " and ")
    return PersistenceError(
      .notUnique,
      "\(properties): must be unique\(names.count > 1 ? " in combination" : ""); records \(first) and \(second) would both have \(key.text)"
    )
  }
}

/// The values that must be unique, and the place of the store.
struct UniquenessKey: Hashable {
  enum Kind: Hashable {
    case single(Value)
    case several([Value])
  }

  let kind: Kind
  let place: Int

  var values: [Value] {
    switch kind {
    case .single(let value): [value]
    case .several(let values): values
    }
  }

  /// The values with links to the records that others are merged into.
  func following(_ targets: MergeTargets) -> UniquenessKey {
    let remapped: Kind =
      switch kind {
      case .single(let value): .single(value.remapped(targets))
      case .several(let values): .several(values.map { $0.remapped(targets) })
      }
    return UniquenessKey(kind: remapped, place: place)
  }

  var text: String { values.map { Value.quoted($0.text) }.joined(separator: ", ") }
}

/// The constraints of the models of a container.
struct UniquenessRules {
  /// The constraints; those over relationships come last, because they depend on the result of the others.
  let all: [UniquenessRule]

  init(_ schema: Schema) {
    let rules = schema.entities.flatMap { entity in
      Self.constraints(of: entity)
        .filter { constraint in !Self.isInherited(constraint.names, by: entity) }
        .compactMap { Self.rule($0.names, $0.policy, entity) }
    }
    all = rules.filter { !$0.hasLinks } + rules.filter(\.hasLinks)
  }

  private typealias Constraint = (names: [String], policy: Schema.UniquePolicy)

  private static func constraints(of entity: Schema.Entity) -> [Constraint] {
    var found: [Constraint] = entity.fields.compactMap { field in
      if let policy = field.uniquePolicy { return ([field.name], policy) }
      return field.relationship?.isUnique == true ? ([field.name], .upsert) : nil
    }
    for (names, policy) in zip(entity.declaredConstraints, entity.constraintPolicies)
    where !found.contains(where: { $0.names == names }) {
      found.append((names, policy))
    }
    return found
  }

  private static func isInherited(_ names: [String], by entity: Schema.Entity) -> Bool {
    guard let above = entity.superentity else { return false }
    return constraints(of: above).contains { $0.names == names } || isInherited(names, by: above)
  }

  private static func rule(
    _ names: [String],
    _ policy: Schema.UniquePolicy,
    _ entity: Schema.Entity
  ) -> UniquenessRule? {
    let slots = names.compactMap { entity.layout.slot(of: $0) }
    let types = slots.map { entity.fields[$0].type }
    let isToMany = types.contains {
      if case .links = $0 { true } else { false }
    }
    // Constraints without properties and constraints over lists are ignored.
    guard !slots.isEmpty, slots.count == names.count, !isToMany else { return nil }
    return UniquenessRule(
      owner: entity,
      names: names,
      policy: policy,
      family: entity.family,
      hasLinks: types.contains { $0.destination != nil },
      slots: slots
    )
  }
}
