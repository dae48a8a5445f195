/// The differences between two schemas.
///
/// Entities and fields that only the former schema has are kept if both have the same version, because a
/// program may use only a part of a store. If the versions differ, they are dropped.
struct SchemaComparison {
  /// A field that is new or whose values may change.
  struct Field {
    let entity: String
    let attribute: Schema.Attribute
    /// The former version of the field; nil for a new one.
    let origin: Schema.Attribute?

    var name: String { "\(entity).\(attribute.name)" }
    /// True when every value is converted from the former one.
    var isConverted: Bool { origin.map { $0.type != attribute.type } ?? false }
    /// True when records may lack a value that becomes required.
    var becomesRequired: Bool { !attribute.isOptional && (origin?.isOptional ?? true) }
    var becomesUnique: Bool { attribute.isUnique && !(origin?.isUnique ?? false) }
  }

  let former: Schema
  /// The schema of the store after the migration.
  let schema: Schema
  /// The fields to process, in the order of the schema.
  private(set) var fields: [Field] = []
  private(set) var steps: [MigrationStep] = []
  /// The origins of values that are kept unchanged.
  private var origins: [String: [String: String]] = [:]
  private let keepsUnknown: Bool

  /// Compares two schemas; `count` returns the number of records of an entity, for the descriptions.
  init(from former: Schema, to wanted: Schema, count: (String) throws -> Int) throws {
    self.former = former
    keepsUnknown = former.version == wanted.version
    var entities: [Schema.Entity] = []
    var found: [Field] = []
    var steps: [MigrationStep] = []
    var origins: [String: [String: String]] = [:]
    for entity in wanted.entities {
      guard let old = former.entitiesByName[entity.name] else {
        steps.append(MigrationStep(.createEntity, entity.name, "create entity"))
        entities.append(entity.detached())
        continue
      }
      let pairing = EntityPairing(old, entity, keepsUnknown: keepsUnknown)
      let described = try pairing.describe(count: { try count(entity.name) })
      steps += described
      found += pairing.fields
      origins[entity.name] = pairing.origins
      entities.append(pairing.entity)
    }
    for old in former.entities where wanted.entitiesByName[old.name] == nil {
      if keepsUnknown {
        entities.append(old.detached())
        origins[old.name] = SchemaReplacement.unchanged(Schema([old.detached()])).origins[old.name]
      } else {
        let count = try count(old.name)
        let records = count == 0 ? "" : " and its \(recordCount(count))"
        steps.append(MigrationStep(.dropEntity, old.name, "drop entity" + records))
      }
    }
    if former.version != wanted.version {
      let text = "change version from \(former.version) to \(wanted.version)"
      steps.insert(MigrationStep(.version, nil, text), at: 0)
    }
    schema = Schema(entities, version: wanted.version)
    fields = found
    self.steps = steps
    self.origins = origins
  }

  /// True when there is nothing to do.
  var isEmpty: Bool { steps.isEmpty }

  /// The replacement that the store must apply.
  var replacement: SchemaReplacement { SchemaReplacement(schema: schema, origins: origins) }

  /// True when values of records must be computed; otherwise the replacement is sufficient.
  var changesRecords: Bool {
    fields.contains { field in
      field.isConverted || filledInverse(of: field) != nil
        || (field.origin != nil && field.becomesRequired && !field.attribute.defaultValue.isNull)
    } || !danglingDestinations.isEmpty
  }

  /// The single schema change that is equivalent; nil if there are several or none.
  var onlyChange: SchemaChange? {
    guard steps.count == 1, !changesRecords else { return nil }
    switch steps[0].kind {
    case .createEntity:
      return schema.entities.first { former.entitiesByName[$0.name] == nil }
        .map { .createEntity($0.detached()) }
    case .addField, .renameField: break
    default: return nil
    }
    guard let entity = steps[0].entityName, let old = former.entitiesByName[entity],
      let new = schema.entitiesByName[entity]
    else { return nil }
    let added = new.fields.filter { old.fieldsByName[$0.name] == nil }
    guard added.count == 1 else { return nil }
    if let origin = origins[entity]?[added[0].name] {
      return .renameAttribute(entity: entity, from: origin, to: added[0].name)
    }
    guard added[0].isOptional || !added[0].defaultValue.isNull else { return nil }
    return .addAttribute(entity: entity, added[0])
  }

  /// The relationship that fills a new relationship: its inverse, if that existed before.
  func filledInverse(of field: Field) -> (entity: String, field: String)? {
    guard field.origin == nil, let destination = field.attribute.type.destination,
      let inverse = schema.entitiesByName[field.entity]?.relationshipsByName[field.attribute.name]?
        .inverseName,
      origins[destination]?[inverse] != nil
    else { return nil }
    return (destination, inverse)
  }

  /// The dropped entities that remaining values may refer to.
  var danglingDestinations: Set<String> {
    let dropped = Set(former.entities.map(\.name)).subtracting(schema.entities.map(\.name))
    guard !dropped.isEmpty else { return [] }
    // Values of a base class may refer to records of its subclasses.
    let families = schema.entities.flatMap { entity in
      entity.fields.compactMap { field -> String? in
        guard let destination = field.type.destination,
          origins[entity.name]?[field.name] != nil
        else { return nil }
        return destination
      }
    }
    return families.isEmpty ? [] : dropped
  }
}
