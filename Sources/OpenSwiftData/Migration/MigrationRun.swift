/// Runs a migration on a copy of the records, step by step, with the code of the stages.
struct MigrationRun {
  let copy: MigrationCopy
  /// The origins of the values of fields since the start of the migration.
  private(set) var replacement: SchemaReplacement
  private(set) var steps: [MigrationStep] = []
  private let before: MigrationRecords
  private let runsStages: Bool

  init(_ records: MigrationRecords, storeIdentifier: String, runsStages: Bool) {
    before = records
    copy = MigrationCopy(records, storeIdentifier: storeIdentifier)
    replacement = .unchanged(records.schema)
    self.runsStages = runsStages
  }

  /// Runs one step.
  ///
  /// - Throws: `PersistenceError`, or the error of a stage.
  mutating func take(_ step: MigrationPath.Step) throws {
    if step.runsCode, let stage = step.stage {
      let names = "\(stage.origin.versionIdentifier) to \(stage.destination.versionIdentifier)"
      steps.append(MigrationStep(.stage, nil, "run the code of stage \(names)"))
    }
    if case .custom(let version, _, let willMigrate?, _) = step.stage, runsStages {
      try perform(Schema(versionedSchema: version), willMigrate)
    }
    let old = copy.records
    let comparison = try SchemaComparison(from: old.schema, to: step.schema) { old.count(of: $0) }
    steps += comparison.steps
    replacement = replacement.followed(by: comparison.replacement)
    let arranging = MigrationArranging(comparison, isLenient: step.runsCode)
    try copy.with { contents in
      try arranging.arrange(&contents.records)
      contents.inserted.removeAll { comparison.schema.entitiesByName[$0.entityName] == nil }
    }
    if runsStages {
      switch step.stage {
      case .custom(_, _, _, let didMigrate?): try perform(step.schema, didMigrate)
      case .transform(_, _, let migrate):
        try perform(step.schema) { context in try migrate(old, context) }
      default: break
      }
    }
    if runsStages || !step.runsCode {
      try MigrationChecks(schema: comparison.schema).check(copy.records)
    }
  }

  private func perform(_ schema: Schema, _ body: (ModelContext) throws -> Void) throws {
    let configuration = MigrationStoreConfiguration(
      name: copy.storeIdentifier,
      schema: schema,
      copy: copy
    )
    let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
    try body(context)
    if context.hasChanges { try context.save() }
  }

  /// The changes beyond the result of the replacement alone; new records have temporary identifiers.
  func changes() -> ChangeSet {
    let after = copy.records
    var changes = ChangeSet()
    var temporary: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (number, identifier) in copy.inserted.enumerated() {
      guard let snapshot = after[identifier] else { continue }
      temporary[identifier] = IdentifierScope(store: nil, entity: identifier.entityName)
        .temporaryIdentifier(UInt64(number + 1), context: 0)
      changes.inserted.append(snapshot)
    }
    for old in before.all {
      guard let expected = replacement.arranged(old) else { continue }
      guard let snapshot = after[old.persistentIdentifier] else {
        changes.deleted.append(expected)
        continue
      }
      if snapshot.orderedValues != expected.orderedValues {
        changes.updated.append(RecordUpdate(before: expected, after: snapshot))
      }
    }
    // The records of an entity that was dropped and recreated are new.
    return changes.remapped(temporary)
  }
}

/// Rearranges records for one step, as far as it follows from the two schemas.
struct MigrationArranging {
  private let comparison: SchemaComparison
  private let fields: [String: [SchemaComparison.Field]]
  /// True when the code of a stage handles what does not follow from the schemas.
  private let isLenient: Bool

  init(_ comparison: SchemaComparison, isLenient: Bool) {
    self.comparison = comparison
    self.isLenient = isLenient
    fields = Dictionary(grouping: comparison.fields, by: \.entity)
  }

  func arrange(_ records: inout MigrationRecords) throws {
    let replacement = comparison.replacement
    let dropped = comparison.danglingDestinations
    try records.rearrange(to: comparison.schema) { entity, record in
      guard var new = replacement.arranged(record) else { return record }
      for (slot, field) in (fields[entity.name] ?? []).enumerated() {
        assert(entity.fields[slot].name == field.attribute.name, "fields come in their order")
        new.orderedValues[slot] = try value(new.orderedValues[slot], of: field, record)
      }
      if !dropped.isEmpty {
        new.orderedValues = new.orderedValues.map { $0.without(entities: dropped) }
      }
      return new
    }
    for field in comparison.fields {
      if let inverse = comparison.filledInverse(of: field) { fill(field, from: inverse, &records) }
    }
  }

  private func value(
    _ value: Value,
    of field: SchemaComparison.Field,
    _ record: DefaultSnapshot
  ) throws -> Value {
    guard let origin = field.origin else { return value }
    var value = value
    if field.isConverted {
      let former = record[origin.name] ?? .null
      if let converted = former.converted(to: field.attribute.type) {
        value = converted
      } else if isLenient {
        value = field.attribute.defaultValue
      } else {
        throw MigrationChecks.lossy(
          field.name,
          origin,
          field.attribute,
          former,
          record.persistentIdentifier
        )
      }
    }
    return value.isNull && !field.attribute.isOptional ? field.attribute.defaultValue : value
  }

  /// Fills a new relationship with the records that refer to its owner through the inverse.
  private func fill(
    _ field: SchemaComparison.Field,
    from inverse: (entity: String, field: String),
    _ records: inout MigrationRecords
  ) {
    guard let entity = comparison.schema.entitiesByName[field.entity],
      let slot = entity.layout.slot(of: field.attribute.name)
    else { return }
    for other in records[inverse.entity] {
      for identifier in other[inverse.field]?.linkedIdentifiers ?? [] {
        guard identifier.entityName == field.entity, var owner = records[identifier] else {
          continue
        }
        if case .link = field.attribute.type {
          owner.orderedValues[slot] = .link(other.persistentIdentifier)
        } else {
          let present = owner.orderedValues[slot].linkedIdentifiers
          owner.orderedValues[slot] = .links(present + [other.persistentIdentifier])
        }
        records.replace(owner)
      }
    }
  }
}

extension Value {
  /// The value without references to records of these entities.
  fileprivate func without(entities: Set<String>) -> Value {
    switch self {
    case .link(let link): entities.contains(link.entityName) ? .null : self
    case .links(let links): .links(links.filter { !entities.contains($0.entityName) })
    default: self
    }
  }
}
