/// One stored property of an entity: an attribute or a relationship.
public protocol SchemaProperty: Codable, Hashable, Sendable {
  /// The name, unique in the entity.
  var name: String { get }
  /// The name of the property in older stores, if it was renamed.
  var originalName: String { get }
  /// The Swift type of the property; `Any.self` if there is none.
  var valueType: any Any.Type { get }
  /// True for attributes.
  var isAttribute: Bool { get }
  /// True for relationships.
  var isRelationship: Bool { get }
  /// True when it is never saved.
  var isTransient: Bool { get }
  /// False when every record must have a value.
  var isOptional: Bool { get }
  /// True when no two records may have the same value.
  var isUnique: Bool { get }
}

extension Schema {
  /// One property of a model class as the macro `@Model` describes it.
  public struct PropertyMetadata {
    /// The name of the property.
    public let name: String
    /// The key path of the property in the class that provides the metadata.
    public let keypath: AnyKeyPath
    /// The default value in the declaration; nil if there is none.
    public let defaultValue: Any?
    /// The description from `@Attribute` or `@Relationship`; nil without one.
    public let metadata: (any SchemaProperty)?

    /// Creates metadata.
    public init(
      name: String,
      keypath: AnyKeyPath,
      defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}

extension Schema {
  /// The handling of a new record whose unique values another record already has.
  public enum UniquePolicy: String, Hashable, Sendable, Codable {
    /// The new values replace those of the existing record, as in SwiftData.
    case upsert
    /// The save fails with an error that names both records and the values.
    case reject
  }
}
