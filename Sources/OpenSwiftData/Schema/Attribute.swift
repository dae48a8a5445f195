extension Schema {
  /// One named value that every record of an entity has.
  public final class Attribute: Sendable {
    /// The name, unique in the entity.
    public let name: String
    /// The name under which older stores kept it, when it was renamed.
    public let originalName: String
    /// What it holds.
    public let type: AttributeType
    /// False when every record must have a value.
    public let isOptional: Bool
    /// True when no two records may have the same value (null aside).
    public let isUnique: Bool
    /// What a new record holds; null where the schema gives no default.
    public let defaultValue: Value

    /// Creates an attribute without checking it; see `Schema.validate()`.
    public init(
      _ name: String,
      _ type: AttributeType,
      isOptional: Bool = true,
      isUnique: Bool = false,
      defaultValue: Value = .null,
      originalName: String? = nil
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.isUnique = isUnique
      self.defaultValue = defaultValue
      self.originalName = originalName ?? name
    }

    /// True when a value of this kind may stand here; null may where the attribute is optional.
    public func accepts(_ value: Value) -> Bool {
      switch (value, type) {
      case (.null, _): isOptional
      case (.text, .text), (.integer, .integer), (.number, .number), (.decimal, .decimal),
        (.boolean, .boolean), (.date, .date), (.datetime, .datetime), (.uuid, .uuid),
        (.json, .json), (.link, .link), (.links, .links):
        true
      default: false
      }
    }

    /// The same attribute under another name.
    public func renamed(to newName: String) -> Attribute {
      Attribute(
        newName,
        type,
        isOptional: isOptional,
        isUnique: isUnique,
        defaultValue: defaultValue,
        originalName: originalName
      )
    }

    /// The type with `!` when a value is required, as `entity create` reads it.
    public var specification: String {
      type.description + (isOptional ? "" : "!")
    }
  }
}

extension Schema.Attribute: Hashable {
  /// Equal in every property.
  public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
    lhs === rhs
      || (lhs.name == rhs.name && lhs.type == rhs.type && lhs.isOptional == rhs.isOptional
        && lhs.isUnique == rhs.isUnique && lhs.defaultValue == rhs.defaultValue
        && lhs.originalName == rhs.originalName)
  }

  /// Feeds name and type.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

extension Schema.Attribute: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, type, required, unique, `default`, originalName
  }

  /// Reads `{"name": …, "type": …, "required": …, "unique": …, "default": …, "originalName": …}`;
  /// all but name and type may be missing.
  ///
  /// - Throws: `DecodingError` that names the attribute.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let name = try container.decode(String.self, forKey: .name)
    let spelling = try container.decode(String.self, forKey: .type)
    guard let type = AttributeType(spelling) else {
      throw DecodingError.dataCorruptedError(
        forKey: .type,
        in: container,
        debugDescription: "\"\(spelling)\" is no type of field; there are "
          + AttributeType.spellings.joined(separator: ", ")
      )
    }
    self.init(
      name,
      type,
      isOptional: !(try container.decodeIfPresent(Bool.self, forKey: .required) ?? false),
      isUnique: try container.decodeIfPresent(Bool.self, forKey: .unique) ?? false,
      defaultValue: try container.decodeIfPresent(PlainValue.self, forKey: .default)?.value(
        as: type
      )
        ?? .null,
      originalName: try container.decodeIfPresent(String.self, forKey: .originalName)
    )
  }

  /// Writes the JSON form, leaving out what has its usual value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(type.description, forKey: .type)
    if !isOptional { try container.encode(true, forKey: .required) }
    if isUnique { try container.encode(true, forKey: .unique) }
    if !defaultValue.isNull { try container.encode(PlainValue(defaultValue), forKey: .default) }
    if originalName != name { try container.encode(originalName, forKey: .originalName) }
  }
}
