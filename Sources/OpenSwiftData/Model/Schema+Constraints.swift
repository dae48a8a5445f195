/// Properties whose combined values must be unique; created by `#Unique`.
protocol UniqueConstraint {
  var keyPaths: [[AnyKeyPath]] { get }
  var policy: Schema.UniquePolicy { get }
}

/// Properties that are indexed together; created by `#Index`.
protocol IndexDeclaration {
  var keyPaths: [[AnyKeyPath]] { get }
}

extension Schema {
  /// Constraints over the properties of a model, declared with `#Unique`.
  public final class Unique<T: PersistentModel>: @unchecked Sendable, UniqueConstraint {
    // Unchecked because key paths are immutable, but are not declared Sendable.

    /// The constraints, each with the properties whose combined values are unique.
    public let constraints: [[PartialKeyPath<T>]]
    /// The policy when two records have the same values.
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
  /// The built-in stores ignore the declaration; other stores may use it.
  public final class Index<T: PersistentModel>: @unchecked Sendable, IndexDeclaration {
    // Unchecked because key paths are immutable, but are not declared Sendable.

    /// A kind of index.
    public enum Types<P: PersistentModel> {
      /// Ordered by the properties.
      case binary([PartialKeyPath<P>])
      /// An R-tree for areas.
      case rtree([PartialKeyPath<P>])

      var keyPaths: [PartialKeyPath<P>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// The kind and the properties of each index.
    public let indices: [Types<T>]

    /// Creates ordered indexes.
    public init(_ indices: [PartialKeyPath<T>]...) {
      self.indices = indices.map { .binary($0) }
    }

    /// Creates indexes of given kinds.
    public init(_ indices: Types<T>...) {
      self.indices = indices
    }

    var keyPaths: [[AnyKeyPath]] { indices.map(\.keyPaths) }
  }
}
