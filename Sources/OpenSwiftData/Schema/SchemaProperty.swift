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

/// Properties whose values, taken together, no two records may share; made by `#Unique`.
protocol UniqueConstraint {
  var keyPaths: [[AnyKeyPath]] { get }
  var policy: Schema.UniquePolicy { get }
}

/// Properties that are looked up together; made by `#Index`.
protocol IndexDeclaration {
  var keyPaths: [[AnyKeyPath]] { get }
}

extension Schema {
  /// What happens to a new record whose unique values another record has already.
  public enum UniquePolicy: String, Hashable, Sendable, Codable {
    /// The new values replace those of the record that is there, as in SwiftData.
    case upsert
    /// The save is refused with an error that names both records and the values.
    case reject
  }

  /// Constraints over the properties of a model, declared with `#Unique`.
  public final class Unique<T: PersistentModel>: @unchecked Sendable, UniqueConstraint {
    // Unchecked because key paths are immutable, but are not declared Sendable.

    /// Each constraint: the properties whose values are unique together.
    public let constraints: [[PartialKeyPath<T>]]
    /// What happens when two records have the same values.
    public let policy: UniquePolicy

    /// Creates constraints.
    public init(_ constraints: [PartialKeyPath<T>]..., policy: UniquePolicy = .upsert) {
      self.constraints = constraints
      self.policy = policy
    }

    var keyPaths: [[AnyKeyPath]] { constraints }
  }

  /// Indexes over the properties of a model, declared with `#Index`.
  ///
  /// Our stores look records up by their own means; the declaration is kept for stores that use it.
  public final class Index<T: PersistentModel>: @unchecked Sendable, IndexDeclaration {
    // Unchecked because key paths are immutable, but are not declared Sendable.

    /// A kind of index.
    public enum Types<P: PersistentModel> {
      /// Ordered by the properties.
      case binary([PartialKeyPath<P>])
      /// For areas.
      case rtree([PartialKeyPath<P>])

      var keyPaths: [PartialKeyPath<P>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// The properties of each index.
    public let indices: [[PartialKeyPath<T>]]

    /// Creates ordered indexes.
    public init(_ indices: [PartialKeyPath<T>]...) {
      self.indices = indices
    }

    /// Creates indexes of given kinds.
    public init(_ indices: Types<T>...) {
      self.indices = indices.map(\.keyPaths)
    }

    var keyPaths: [[AnyKeyPath]] { indices }
  }
}
