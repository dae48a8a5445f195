/// One stored property of an entity: an attribute or a relationship.
public protocol SchemaProperty: Codable, Hashable, Sendable {
  /// The name, unique in the entity.
  var name: String { get }
  /// The name under which older stores kept it, when it was renamed.
  var originalName: String { get }
  /// The Swift type of the property; `Any.self` where there is none.
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
    /// The key path of the property in the class that the metadata was asked of.
    public let keypath: AnyKeyPath
    /// The value that the declaration gives; nil when it gives none.
    public let defaultValue: Any?
    /// What `@Attribute` or `@Relationship` says; nil without one.
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
  /// What happens to a new record whose unique values another record has already.
  public enum UniquePolicy: String, Hashable, Sendable, Codable {
    /// The new values replace those of the record that is there, as in SwiftData.
    case upsert
    /// The save is refused with an error that names both records and the values.
    case reject
  }
}
