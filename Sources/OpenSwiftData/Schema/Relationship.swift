extension Schema {
  /// A property that refers to one or many records of another entity.
  ///
  /// A value: no property changes after creation.
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    // Unchecked because key paths are immutable, but are not declared Sendable.

    /// What happens to the records that a deleted record refers to.
    public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
      /// Nothing; they may refer to a record that is not there.
      case noAction
      /// They forget the deleted record.
      case nullify
      /// They are deleted too.
      case cascade
      /// The deletion is refused while there are any.
      case deny
    }

    /// What a declaration says about a relationship beside its name and type.
    public struct Option: Hashable, Sendable {
      private let name: String

      /// No two records refer to the same one.
      public static var unique: Option { Option(name: "unique") }
    }

    /// The name, unique in the entity.
    public let name: String
    /// The name under which older stores kept it, when it was renamed.
    public let originalName: String
    /// What the declaration says about it.
    public let options: [Option]
    /// The key path of the property; nil where there is none.
    public let keypath: AnyKeyPath?
    /// The Swift type of the property.
    public let valueType: any Any.Type
    /// The entity that it refers to.
    public let destination: String
    /// What happens to the other side when a record is deleted.
    public let deleteRule: DeleteRule
    /// The relationship back, by its name; nil when there is none.
    public let inverseName: String?
    /// The relationship back, by its key path; nil when the declaration does not name it.
    public let inverseKeyPath: AnyKeyPath?
    /// The least number of records; zero and nil set no limit.
    public let minimumModelCount: Int?
    /// The greatest number of records; zero and nil set no limit.
    public let maximumModelCount: Int?
    /// Told apart when a declaration changes its meaning without changing its shape.
    public let hashModifier: String?
    /// True when it refers to one record at the most.
    public let isToOneRelationship: Bool
    /// False when a to-one relationship must have a record.
    public let isOptional: Bool

    init(
      name: String,
      originalName: String?,
      options: [Option],
      keypath: AnyKeyPath?,
      valueType: any Any.Type,
      destination: String,
      deleteRule: DeleteRule,
      inverseName: String?,
      inverseKeyPath: AnyKeyPath?,
      minimumModelCount: Int?,
      maximumModelCount: Int?,
      hashModifier: String?,
      isToOne: Bool,
      isOptional: Bool
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.keypath = keypath
      self.valueType = valueType
      self.destination = destination
      self.deleteRule = deleteRule
      self.inverseName = inverseName
      self.inverseKeyPath = inverseKeyPath
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
      isToOneRelationship = isToOne
      self.isOptional = isOptional
    }
  }
}

extension Schema.Relationship {
  /// Creates what the macro `@Relationship` says; name and type come from the property.
  public convenience init(
    _ options: Option...,
    deleteRule: DeleteRule = .nullify,
    minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0,
    originalName: String? = nil,
    inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil
  ) {
    self.init(
      name: "",
      originalName: originalName ?? "",
      options: options,
      keypath: nil,
      valueType: Any.self,
      destination: "",
      deleteRule: deleteRule,
      inverseName: nil,
      inverseKeyPath: inverse,
      minimumModelCount: minimumModelCount,
      maximumModelCount: maximumModelCount,
      hashModifier: hashModifier,
      isToOne: false,
      isOptional: true
    )
  }

  /// False.
  public var isAttribute: Bool { false }
  /// True.
  public var isRelationship: Bool { true }
  /// False.
  public var isTransient: Bool { false }
  /// True when no two records refer to the same one.
  public var isUnique: Bool { options.contains(.unique) }

  func with(inverseName: String?) -> Schema.Relationship {
    Schema.Relationship(
      name: name,
      originalName: originalName,
      options: options,
      keypath: keypath,
      valueType: valueType,
      destination: destination,
      deleteRule: deleteRule,
      inverseName: inverseName,
      inverseKeyPath: inverseKeyPath,
      minimumModelCount: minimumModelCount,
      maximumModelCount: maximumModelCount,
      hashModifier: hashModifier,
      isToOne: isToOneRelationship,
      isOptional: isOptional
    )
  }

  /// Equal in name, destination, rule and inverse.
  public static func == (lhs: Schema.Relationship, rhs: Schema.Relationship) -> Bool {
    lhs === rhs
      || (lhs.name == rhs.name && lhs.destination == rhs.destination
        && lhs.deleteRule == rhs.deleteRule && lhs.inverseName == rhs.inverseName
        && lhs.originalName == rhs.originalName
        && lhs.isToOneRelationship == rhs.isToOneRelationship
        && lhs.isOptional == rhs.isOptional
        && lhs.minimumModelCount == rhs.minimumModelCount
        && lhs.maximumModelCount == rhs.maximumModelCount)
  }

  /// Feeds name and destination.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(destination)
  }

  private enum Key: String, CodingKey {
    case name, originalName, destination, deleteRule, inverse, minimum, maximum, toOne, optional
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError`.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      originalName: try container.decodeIfPresent(String.self, forKey: .originalName),
      options: [],
      keypath: nil,
      valueType: Any.self,
      destination: try container.decode(String.self, forKey: .destination),
      deleteRule: try container.decode(DeleteRule.self, forKey: .deleteRule),
      inverseName: try container.decodeIfPresent(String.self, forKey: .inverse),
      inverseKeyPath: nil,
      minimumModelCount: try container.decodeIfPresent(Int.self, forKey: .minimum),
      maximumModelCount: try container.decodeIfPresent(Int.self, forKey: .maximum),
      hashModifier: nil,
      isToOne: try container.decode(Bool.self, forKey: .toOne),
      isOptional: try container.decode(Bool.self, forKey: .optional)
    )
  }

  /// Writes the JSON form; key paths and Swift types cannot be written.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    if originalName != name { try container.encode(originalName, forKey: .originalName) }
    try container.encode(destination, forKey: .destination)
    try container.encode(deleteRule, forKey: .deleteRule)
    try container.encodeIfPresent(inverseName, forKey: .inverse)
    try container.encodeIfPresent(minimumModelCount, forKey: .minimum)
    try container.encodeIfPresent(maximumModelCount, forKey: .maximum)
    try container.encode(isToOneRelationship, forKey: .toOne)
    try container.encode(isOptional, forKey: .optional)
  }
}
