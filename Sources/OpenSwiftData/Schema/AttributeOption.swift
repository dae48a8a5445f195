extension Schema.Attribute {
  /// What a declaration says about an attribute beside its name and type.
  public struct Option: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case unique(Schema.UniquePolicy)
      case transformable(String)
      case plain(String)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// No two records have the same value; saving a second one replaces the values of the first.
    public static var unique: Option { Option(.unique(.upsert)) }

    /// No two records have the same value; the policy says what happens to a second one.
    public static func unique(_ policy: Schema.UniquePolicy) -> Option { Option(.unique(policy)) }

    /// Converted by a transformer of this name.
    ///
    /// Transformers do not exist outside Apple's systems: the value is kept as any `Codable` value is.
    public static func transformable(by transformerName: String) -> Option {
      Option(.transformable(transformerName))
    }

    /// Converted by a transformer of this type, which is used as a name only.
    public static func transformable(by transformerType: any Any.Type) -> Option {
      Option(.transformable(String(describing: transformerType)))
    }

    /// May be kept apart from the record; our stores keep everything in one place.
    public static var externalStorage: Option { Option(.plain("externalStorage")) }
    /// May be encrypted in a cloud; our stores have none.
    public static var allowsCloudEncryption: Option { Option(.plain("allowsCloudEncryption")) }
    /// Kept in the history after the record was deleted.
    public static var preserveValueOnDeletion: Option { Option(.plain("preserveValueOnDeletion")) }
    /// Tracked, but never saved.
    public static var ephemeral: Option { Option(.plain("ephemeral")) }
    /// Found by the system's search; without meaning here.
    public static var spotlight: Option { Option(.plain("spotlight")) }
    /// Kept in its `Codable` form, as every value without a kind of its own is here.
    public static var codable: Option { Option(.plain("codable")) }

    var uniquePolicy: Schema.UniquePolicy? {
      if case .unique(let policy) = kind { policy } else { nil }
    }

    var isTransformable: Bool {
      if case .transformable = kind { true } else { false }
    }
  }
}

extension Schema {
  /// An attribute that is made of others: a `Codable` structure.
  ///
  /// Our stores keep it as one JSON value.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The parts.
    public let properties: [Attribute]

    /// Creates a composite attribute.
    public init(name: String, properties: [Attribute], isOptional: Bool = false) {
      self.properties = properties
      super.init(named: name, .json, isOptional: isOptional)
    }

    /// Reads the JSON form, which does not tell the parts.
    ///
    /// - Throws: `DecodingError`.
    public required convenience init(from decoder: any Decoder) throws {
      let plain = try Attribute(from: decoder)
      self.init(name: plain.name, properties: [], isOptional: plain.isOptional)
    }
  }
}
