extension Schema {
  /// A property that refers to one or many records of another entity.
  ///
  /// A value: no property changes after creation.
  public final class Relationship: SchemaProperty, @unchecked Sendable {
    // Unchecked because key paths are immutable, but are not declared Sendable.

    /// The effect of a deletion on the records that the deleted record refers to.
    public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
      /// They stay unchanged and may refer to a record that no longer exists.
      case noAction
      /// Their links to the deleted record are cleared.
      case nullify
      /// They are deleted too.
      case cascade
      /// The deletion is denied while there are any.
      case deny
    }

    /// An option in the declaration of a relationship.
    public struct Option: Hashable, Sendable {
      private let name: String

      /// No two records refer to the same one.
      public static var unique: Option { Option(name: "unique") }
    }

    /// The name, unique in the entity.
    public let name: String
    /// The name of the relationship in older stores, if it was renamed.
    public let originalName: String
    /// The options of the declaration.
    public let options: [Option]
    /// The key path of the property; nil if there is none.
    public let keypath: AnyKeyPath?
    /// The Swift type of the property.
    public let valueType: any Any.Type
    /// The entity that it refers to.
    public let destination: String
    /// The effect on the other side when a record is deleted.
    public let deleteRule: DeleteRule
    /// The name of the inverse relationship; nil if there is none.
    public let inverseName: String?
    /// The key path of the inverse relationship; nil if the declaration does not name it.
    public let inverseKeyPath: AnyKeyPath?
    /// The minimum number of records; zero and nil set no limit.
    public let minimumModelCount: Int?
    /// The maximum number of records; zero and nil set no limit.
    public let maximumModelCount: Int?
    /// Distinguishes versions of a declaration that changes its meaning but not its form.
    public let hashModifier: String?
    /// True when it refers to at most one record.
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
  /// Creates the relationship that the macro `@Relationship` describes; name and type come from the property.
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

  /// Always false.
  public var isAttribute: Bool { false }
  /// Always true.
  public var isRelationship: Bool { true }
  /// Always false.
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

  /// True when name, destination, rule and inverse are equal.
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

  /// Hashes name and destination.
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
