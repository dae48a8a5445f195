extension Schema {
  /// A kind of record: its name and its properties in order.
  ///
  /// It does not change after its schema was created.
  public final class Entity: @unchecked Sendable {
    // Unchecked because a schema connects its entities once, before they are visible to other code.

    /// The name, unique in the schema.
    public let name: String
    /// All stored fields, in the order of lists and forms.
    ///
    /// A relationship is a field of type `link` or `links`.
    public let fields: [Attribute]
    /// The fields by name.
    public let fieldsByName: [String: Attribute]
    /// The order of values in snapshots of this entity.
    public let layout: SnapshotLayout
    /// True if the store makes the values of some fields.
    let hasReadOnlyFields: Bool
    /// The relationships in order.
    let orderedRelationships: [Relationship]
    /// The constraints declared with `#Unique`: properties whose combined values are unique.
    package let declaredConstraints: [[String]]
    /// The groups of properties that are indexed together.
    public let indices: [[String]]
    /// The description of the model class; nil for records without a Swift type.
    var modelClass: (any EntityClass)?
    /// The name of the entity whose fields this one inherits; nil if there is none.
    public let superentityName: String?
    /// The entities that inherit the fields of this one, in the order of the schema.
    var orderedSubentities: [Entity] = []
    /// The entity whose fields this one inherits, in the same schema.
    public internal(set) weak var superentity: Entity?
    let constraintPolicies: [UniquePolicy]
    /// The default values of a new record.
    public let defaultValues: [Value]
    /// The scope of new records' identifiers.
    let temporaryScope: IdentifierScope

    init(
      name: String,
      fields: [Attribute],
      relationships: [Relationship] = [],
      uniquenessConstraints: [(names: [String], policy: UniquePolicy)] = [],
      indices: [[String]] = [],
      modelClass: (any EntityClass)? = nil,
      superentityName: String? = nil,
      layout: SnapshotLayout? = nil
    ) {
      self.name = name
      self.fields = fields
      hasReadOnlyFields = fields.contains(where: \.isReadOnly)
      orderedRelationships = relationships
      declaredConstraints = uniquenessConstraints.map(\.names)
      constraintPolicies = uniquenessConstraints.map(\.policy)
      self.indices = indices
      self.modelClass = modelClass
      self.superentityName = superentityName
      defaultValues = fields.map(\.defaultValue)
      temporaryScope = IdentifierScope(store: nil, entity: name)
      fieldsByName = Dictionary(
        fields.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first }
      )
      let hasForms = fields.contains { $0.form != nil }
      self.layout =
        layout ?? SnapshotLayout(fields.map(\.name), forms: hasForms ? fields.map(\.form) : nil)
    }

    /// Creates an entity without checking it; see `Schema.validate()`.
    ///
    /// Attributes of type `link` and `links` are its relationships.
    public convenience init(_ name: String, attributes: [Attribute]) {
      self.init(
        name: name,
        fields: attributes,
        relationships: attributes.compactMap(\.relationshipOfField)
      )
    }
  }
}

/// The description of a model class that the schema uses.
protocol EntityClass: AnyObject, Sendable {
  /// Checks that the relationships of the class match the schema.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema`.
  func validate(in schema: Schema) throws
}

extension Schema.Entity {
  /// Creates an entity without properties.
  public convenience init(_ name: String) { self.init(name, attributes: []) }

  /// Creates an entity from attributes and relationships.
  public convenience init(_ name: String, properties: any SchemaProperty...) {
    self.init(name, subentities: [], properties: properties)
  }

  /// Creates an entity from attributes and relationships, with subentities that inherit them.
  public convenience init(
    _ name: String,
    subentities: [Schema.Entity],
    properties: [any SchemaProperty]
  ) {
    self.init(
      name: name,
      fields: properties.compactMap(Self.field),
      relationships: properties.compactMap { property -> Schema.Relationship? in
        if let relationship = property as? Schema.Relationship { return relationship }
        return (property as? Schema.Attribute)?.relationshipOfField
      }
    )
    orderedSubentities = subentities
  }

  /// Creates an entity from attributes and relationships, with subentities that inherit them.
  public convenience init(
    _ name: String,
    subentities: Schema.Entity...,
    properties: any SchemaProperty...
  ) {
    self.init(name, subentities: subentities, properties: properties)
  }

  /// The groups of properties whose combined values are unique.
  ///
  /// Each property with `.unique` comes first as its own group, then the groups of `#Unique`.
  public var uniquenessConstraints: [[String]] {
    let single = fields.filter { $0.isUnique || $0.relationship?.isUnique == true }.map {
      [$0.name]
    }
    return single + declaredConstraints.filter { !single.contains($0) }
  }

  private static func field(_ property: any SchemaProperty) -> Schema.Attribute? {
    if let relationship = property as? Schema.Relationship { return relationship.field }
    return property as? Schema.Attribute
  }

  /// The attributes, without relationships; `fields` has all properties in order.
  public var attributes: Set<Schema.Attribute> {
    Set(fields.filter { $0.type.destination == nil })
  }
  /// The relationships; `fields` has all properties in order.
  public var relationships: Set<Schema.Relationship> { Set(orderedRelationships) }
  /// The entities that inherit the fields of this one.
  public var subentities: Set<Schema.Entity> { Set(orderedSubentities) }
  /// The attributes by name.
  public var attributesByName: [String: Schema.Attribute] {
    fieldsByName.filter { $0.value.type.destination == nil }
  }
  /// The relationships by name.
  public var relationshipsByName: [String: Schema.Relationship] {
    Dictionary(orderedRelationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
  /// Attributes and relationships in order, inherited ones first.
  public var properties: [any SchemaProperty] {
    let relationships = relationshipsByName
    return fields.map { field -> any SchemaProperty in relationships[field.name] ?? field }
  }
  /// The properties that are declared here and not inherited.
  public var storedProperties: [any SchemaProperty] {
    Array(properties.dropFirst(inheritedCount))
  }
  /// The properties that the superentities declare.
  public var inheritedProperties: [any SchemaProperty] {
    Array(properties.prefix(inheritedCount))
  }
  /// The properties that are declared here, by name.
  public var storedPropertiesByName: [String: any SchemaProperty] { Self.byName(storedProperties) }
  /// The inherited properties by name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    Self.byName(inheritedProperties)
  }

  private var inheritedCount: Int { superentity?.fields.count ?? 0 }

  private static func byName(_ properties: [any SchemaProperty]) -> [String: any SchemaProperty] {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// This entity and all its subentities, depth first.
  package var family: [Schema.Entity] { [self] + orderedSubentities.flatMap(\.family) }

  /// The key of the identifier in files and lists.
  ///
  /// It is `id`, or `_id` with as many underscores as necessary if an attribute has that name.
  public var identifierKey: String {
    var key = "id"
    while fieldsByName[key] != nil { key = "_" + key }
    return key
  }

  /// The field with the name.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`, which suggests the nearest name or lists
  ///   all.
  public func attribute(named name: String) throws -> Schema.Attribute {
    if let attribute = fieldsByName[name] { return attribute }
    throw PersistenceError(
      .unknownAttribute,
      "\(self.name) has no field \(Value.quoted(name)); "
        + (name.isEmpty
          ? "a field name cannot be empty"
          : Suggestion.text(for: name, among: fields.map(\.name)))
    )
  }

  func validate(in schema: Schema) throws {
    try Self.validateName(name, of: "entity")
    var names: Set<String> = []
    for field in fields {
      try Self.validateName(field.name, of: "field")
      guard names.insert(field.name).inserted else {
        throw PersistenceError(.invalidSchema, "\(name): duplicate field \"\(field.name)\"")
      }
      if let destination = field.type.destination, schema.entitiesByName[destination] == nil {
        throw PersistenceError(
          .invalidSchema,
          "\(name).\(field.name): unknown entity \"\(destination)\""
        )
      }
      if field.isBlob, field.type != .text {
        throw PersistenceError(
          .invalidSchema,
          "\(name).\(field.name): a blob must be of type text, not \(field.type.description)"
        )
      }
      if !field.defaultValue.isNull, !field.accepts(field.defaultValue) {
        throw PersistenceError(
          .invalidSchema,
          "\(name).\(field.name): invalid default: not a valid \(field.type.description)"
        )
      }
      if field.isBlob, (try? field.checked(field.defaultValue)) != field.defaultValue {
        throw PersistenceError(
          .invalidSchema,
          "\(name).\(field.name): invalid default: expected bytes in base 64"
        )
      }
    }
    if let modelClass {
      try modelClass.validate(in: schema)
    } else {
      for relationship in orderedRelationships { try validate(relationship, in: schema) }
    }
  }

  /// Checks that a declared inverse refers back and is not the inverse of another relationship.
  private func validate(_ relationship: Schema.Relationship, in schema: Schema) throws {
    guard let inverse = relationship.inverseName else { return }
    let own = "\(name).\(relationship.name)"
    let other = "\(relationship.destination).\(inverse)"
    let destination = schema.entitiesByName[relationship.destination]
    guard let back = destination?.relationshipsByName[inverse] else {
      throw PersistenceError(
        .invalidSchema,
        "\(own): inverse \(other) is not a relationship"
      )
    }
    guard back.destination == name else {
      throw PersistenceError(
        .invalidSchema,
        "\(own): inverse \(other) points to \(back.destination)"
      )
    }
    if let named = back.inverseName, named != relationship.name {
      throw PersistenceError(
        .invalidSchema,
        "\(own): inverse \(other) has the inverse \(name).\(named)"
      )
    }
    let rival = orderedRelationships.first {
      $0.name != relationship.name && $0.destination == relationship.destination
        && $0.inverseName == inverse
    }
    if let rival {
      throw PersistenceError(
        .invalidSchema,
        "\(other): is the inverse of both \(own) and \(name).\(rival.name)"
      )
    }
  }

  private static func validateName(_ name: String, of kind: String) throws {
    guard !name.isEmpty, name.utf8.count <= 255 else {
      throw PersistenceError(
        .invalidSchema,
        "invalid \(kind) name \"\(name)\": must be 1 to 255 bytes"
      )
    }
  }
}

extension Schema.Attribute {
  /// The relationship of a field that stores identifiers; nil for plain values.
  var relationshipOfField: Schema.Relationship? {
    if let relationship { return relationship }
    guard let destination = type.destination else { return nil }
    var isToOne = false
    if case .link = type { isToOne = true }
    return Schema.Relationship(
      name: name,
      originalName: originalName,
      options: [],
      keypath: nil,
      valueType: Any.self,
      destination: destination,
      deleteRule: .noAction,
      inverseName: nil,
      inverseKeyPath: nil,
      minimumModelCount: 0,
      maximumModelCount: 0,
      hashModifier: nil,
      isToOne: isToOne,
      isOptional: isOptional
    )
  }
}

extension Schema.Relationship {
  /// The field that stores the identifiers.
  var field: Schema.Attribute {
    Schema.Attribute(
      named: name,
      isToOneRelationship ? .link(destination) : .links(destination),
      isOptional: isOptional || !isToOneRelationship,
      originalName: originalName,
      hashModifier: hashModifier,
      valueType: valueType,
      relationship: self
    )
  }
}

extension Schema.Entity: Hashable {
  /// True when both have the same name and equal fields in the same order.
  public static func == (lhs: Schema.Entity, rhs: Schema.Entity) -> Bool {
    lhs === rhs || (lhs.name == rhs.name && lhs.fields == rhs.fields)
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

extension Schema.Entity: Codable {
  private enum Key: String, CodingKey { case name, attributes }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError`.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      try container.decode(String.self, forKey: .name),
      attributes: try container.decode([Schema.Attribute].self, forKey: .attributes)
    )
  }

  /// Writes the JSON form: name and fields.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(fields, forKey: .attributes)
  }
}
