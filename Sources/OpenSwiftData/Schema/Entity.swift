extension Schema {
  /// A kind of record: its name and its attributes in order.
  public final class Entity: Sendable {
    /// The name, unique in the schema.
    public let name: String
    /// The attributes in the order in which lists and forms show them.
    public let attributes: [Attribute]
    /// The attributes by name.
    public let attributesByName: [String: Attribute]
    /// The order of values in snapshots of this entity.
    public let layout: SnapshotLayout

    /// Creates an entity without checking it; see `Schema.validate()`.
    public init(_ name: String, attributes: [Attribute]) {
      self.name = name
      self.attributes = attributes
      attributesByName = Dictionary(
        attributes.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first }
      )
      layout = SnapshotLayout(attributes.map(\.name))
    }

    /// The key under which files and lists show the identifier: `id`, or `_id` (with more underscores
    /// if need be) when an attribute has that name.
    public var identifierKey: String {
      var key = "id"
      while attributesByName[key] != nil { key = "_" + key }
      return key
    }

    /// The values of a record that nobody filled in: the defaults.
    public var defaultValues: [Value] { attributes.map(\.defaultValue) }

    /// The attribute with the name.
    ///
    /// - Throws: `PersistenceError` with code `.unknownAttribute`, naming the nearest or all.
    public func attribute(named name: String) throws -> Attribute {
      if let attribute = attributesByName[name] { return attribute }
      throw PersistenceError(
        .unknownAttribute,
        "\(self.name) has no field \"\(name)\"; "
          + Suggestion.text(for: name, among: attributes.map(\.name))
      )
    }

    func validate(in schema: Schema) throws {
      try Self.validateName(name, of: "entity")
      var names: Set<String> = []
      for attribute in attributes {
        try Self.validateName(attribute.name, of: "field")
        guard names.insert(attribute.name).inserted else {
          throw PersistenceError(
            .invalidSchema,
            "\(name) has the field \"\(attribute.name)\" twice"
          )
        }
        if let destination = attribute.type.destination, schema.entitiesByName[destination] == nil {
          throw PersistenceError(
            .invalidSchema,
            "\(name).\(attribute.name) links to \"\(destination)\", which is no entity of the schema"
          )
        }
        if !attribute.defaultValue.isNull, !attribute.accepts(attribute.defaultValue) {
          throw PersistenceError(
            .invalidSchema,
            "the default of \(name).\(attribute.name) is no \(attribute.type.description)"
          )
        }
      }
    }

    private static func validateName(_ name: String, of kind: String) throws {
      guard !name.isEmpty, name.utf8.count <= 255 else {
        throw PersistenceError(
          .invalidSchema,
          "the name of the \(kind) \"\(name)\" must have 1 to 255 bytes"
        )
      }
    }
  }
}

extension Schema.Entity: Hashable {
  /// Same name and equal attributes in the same order.
  public static func == (lhs: Schema.Entity, rhs: Schema.Entity) -> Bool {
    lhs === rhs || (lhs.name == rhs.name && lhs.attributes == rhs.attributes)
  }

  /// Feeds the name.
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

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(attributes, forKey: .attributes)
  }
}
