extension Schema {
  /// One named, typed value that every record of an entity has.
  ///
  /// A value: no property changes after creation.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // Unchecked because the class is open to `CompositeAttribute`; everything in it is constant.

    /// The name, unique in the entity.
    public let name: String
    /// The name under which older stores kept it, when it was renamed.
    public let originalName: String
    /// What it holds.
    public let type: AttributeType
    /// False when every record must have a value.
    public let isOptional: Bool
    /// What a new record holds; null where the schema gives no default.
    public let defaultValue: Value
    /// What the declaration says about it.
    public let options: [Option]
    /// Told apart when a declaration changes its meaning without changing its shape.
    public let hashModifier: String?
    /// The Swift type of the property; `Any.self` where there is none.
    public let valueType: any Any.Type
    /// The relationship that this field keeps the identifiers of; nil for plain values.
    public let relationship: Relationship?
    /// What happens to a record when one that it refers to by this field is deleted: it forgets that one,
    /// it goes too, or it stands against the deletion.
    ///
    /// For records without a Swift type; the relationships of model classes have rules of their own, which
    /// say what happens to the records on the other side.
    public let deleteRule: Relationship.DeleteRule

    /// Creates an attribute without checking it; see `Schema.validate()`.
    public convenience init(
      _ name: String,
      _ type: AttributeType,
      isOptional: Bool = true,
      isUnique: Bool = false,
      defaultValue: Value = .null,
      originalName: String? = nil,
      deleteRule: Relationship.DeleteRule = .nullify
    ) {
      self.init(
        named: name,
        type,
        isOptional: isOptional,
        options: isUnique ? [.unique(.reject)] : [],
        defaultValue: defaultValue,
        originalName: originalName,
        deleteRule: deleteRule
      )
    }

    init(
      named name: String,
      _ type: AttributeType,
      isOptional: Bool,
      options: [Option] = [],
      defaultValue: Value = .null,
      originalName: String? = nil,
      hashModifier: String? = nil,
      valueType: any Any.Type = Any.self,
      relationship: Relationship? = nil,
      deleteRule: Relationship.DeleteRule = .nullify
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.options = options
      self.defaultValue = defaultValue
      self.originalName = originalName ?? name
      self.hashModifier = hashModifier
      self.valueType = valueType
      self.relationship = relationship
      self.deleteRule = deleteRule
    }

    /// Reads `{"name": …, "type": …, "required": …, "unique": …, "default": …, "originalName": …,
    /// "deleteRule": …}`; all but name and type may be missing.
    ///
    /// - Throws: `DecodingError` that names the attribute.
    public required convenience init(from decoder: any Decoder) throws {
      let form = try AttributeForm(from: decoder)
      self.init(
        form.name,
        form.type,
        isOptional: form.isOptional,
        isUnique: form.isUnique,
        defaultValue: form.defaultValue,
        originalName: form.originalName,
        deleteRule: form.deleteRule
      )
    }

    /// Writes the JSON form, leaving out what has its usual value.
    public func encode(to encoder: any Encoder) throws {
      try AttributeForm.encode(self, to: encoder)
    }
  }
}

extension Schema.Attribute {
  /// Creates what the macro `@Attribute` says; name and type come from the property.
  public convenience init(
    _ options: Option...,
    originalName: String? = nil,
    hashModifier: String? = nil
  ) {
    self.init(
      named: "",
      .json,
      isOptional: true,
      options: options,
      originalName: originalName ?? "",
      hashModifier: hashModifier
    )
  }

  /// True when no two records may have the same value (null aside).
  public var isUnique: Bool { uniquePolicy != nil }
  /// True when it is never saved.
  public var isTransient: Bool { options.contains(.ephemeral) }
  /// True when a transformer converts it.
  public var isTransformable: Bool { options.contains(where: \.isTransformable) }
  /// True.
  public var isAttribute: Bool { relationship == nil }
  /// False.
  public var isRelationship: Bool { relationship != nil }

  /// What happens when two records have the same value; nil when they may.
  public var uniquePolicy: Schema.UniquePolicy? {
    options.lazy.compactMap(\.uniquePolicy).first
  }

  /// True when a value of this kind may stand here; null may where the attribute is optional.
  public func accepts(_ value: Value) -> Bool {
    value.isNull ? isOptional : value.kind == type.kind
  }

  /// The same attribute under another name.
  public func renamed(to newName: String) -> Schema.Attribute {
    Schema.Attribute(
      named: newName,
      type,
      isOptional: isOptional,
      options: options,
      defaultValue: defaultValue,
      originalName: originalName,
      hashModifier: hashModifier,
      valueType: valueType,
      relationship: relationship,
      deleteRule: deleteRule
    )
  }

  /// The type with `!` when a value is required, as `entity create` reads it.
  public var specification: String {
    typeSpelling + (isOptional ? "" : "!")
  }

  /// The value as the attribute keeps it when it is typed or imported.
  ///
  /// In an optional attribute with a default, JSON's null is no value: JSON files write both as `null`,
  /// because a member that is absent has the default.
  package func kept(_ value: Value) -> Value {
    value == .json("null") && isOptional && !defaultValue.isNull ? .null : value
  }

  /// The type, followed by the delete rule of a link unless that is to forget: `link:Person:cascade`.
  package var typeSpelling: String {
    type.destination == nil || deleteRule == .nullify
      ? type.description : "\(type.description):\(deleteRule.rawValue)"
  }
}

extension Schema.Attribute {
  /// Equal in everything that a store keeps.
  public static func == (lhs: Schema.Attribute, rhs: Schema.Attribute) -> Bool {
    lhs === rhs
      || (lhs.name == rhs.name && lhs.type == rhs.type && lhs.isOptional == rhs.isOptional
        && lhs.isUnique == rhs.isUnique && lhs.defaultValue == rhs.defaultValue
        && lhs.originalName == rhs.originalName && lhs.deleteRule == rhs.deleteRule)
  }

  /// Feeds name and type.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

/// The JSON form of an attribute.
private struct AttributeForm {
  private enum Key: String, CodingKey, CaseIterable {
    case name, type, required, unique, `default`, originalName, deleteRule
  }

  let name: String
  let type: AttributeType
  let isOptional: Bool
  let isUnique: Bool
  let defaultValue: Value
  let originalName: String?
  let deleteRule: Schema.Relationship.DeleteRule

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    name = try container.decode(String.self, forKey: .name)
    let spelling = try container.decode(String.self, forKey: .type)
    guard let (type, rule) = AttributeType.reading(spelling) else {
      throw DecodingError.dataCorruptedError(
        forKey: .type,
        in: container,
        debugDescription: "unknown field type \"\(spelling)\"; available: "
          + AttributeType.spellings.joined(separator: ", ")
      )
    }
    self.type = type
    isOptional = !(try container.decodeIfPresent(Bool.self, forKey: .required) ?? false)
    isUnique = try container.decodeIfPresent(Bool.self, forKey: .unique) ?? false
    defaultValue = try Self.defaultValue(in: container, as: type)
    originalName = try container.decodeIfPresent(String.self, forKey: .originalName)
    deleteRule =
      try container.decodeIfPresent(Schema.Relationship.DeleteRule.self, forKey: .deleteRule)
      ?? rule
  }

  /// Reads the default in the kind that the type has, so that no digit and no sign of zero is lost.
  private static func defaultValue(
    in container: KeyedDecodingContainer<Key>,
    as type: AttributeType
  ) throws -> Value {
    // What is no number is read below, or refused there.
    if type == .number, let number = try? container.decode(Double.self, forKey: .default) {
      return .number(number)
    }
    return try container.decodeIfPresent(PlainValue.self, forKey: .default)?.value(as: type)
      ?? .null
  }

  static func encode(_ attribute: Schema.Attribute, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(attribute.name, forKey: .name)
    try container.encode(attribute.type.description, forKey: .type)
    if !attribute.isOptional { try container.encode(true, forKey: .required) }
    if attribute.isUnique { try container.encode(true, forKey: .unique) }
    if !attribute.defaultValue.isNull {
      try container.encode(PlainValue(attribute.defaultValue), forKey: .default)
    }
    if attribute.originalName != attribute.name {
      try container.encode(attribute.originalName, forKey: .originalName)
    }
    if attribute.type.destination != nil, attribute.deleteRule != .nullify {
      try container.encode(attribute.deleteRule, forKey: .deleteRule)
    }
  }
}
