extension Schema.Attribute {
  /// An option in the declaration of an attribute.
  public struct Option: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case unique(Schema.UniquePolicy)
      case transformable(String)
      case plain(String)
    }

    private let kind: Kind
    /// Why the store makes the values; nil without a special reason.
    let cause: String?
    /// True if a new record may have any value.
    var isForSavedRecords = false

    private init(_ kind: Kind, cause: String? = nil) { (self.kind, self.cause) = (kind, cause) }

    /// Values are unique; saving a second record with the same value updates the first.
    public static var unique: Option { Option(.unique(.upsert)) }

    /// Values are unique; the policy applies to a second record with the same value.
    public static func unique(_ policy: Schema.UniquePolicy) -> Option { Option(.unique(policy)) }

    /// Values are converted by the transformer with this name.
    ///
    /// Transformers do not exist outside Apple's systems: the value is stored like any `Codable` value.
    public static func transformable(by transformerName: String) -> Option {
      Option(.transformable(transformerName))
    }

    /// Values are converted by a transformer of this type; only its name is used.
    public static func transformable(by transformerType: any Any.Type) -> Option {
      Option(.transformable(String(describing: transformerType)))
    }

    /// Values may be stored outside the record; the stores of this library ignore this option.
    public static var externalStorage: Option { Option(.plain("externalStorage")) }
    /// Values may be encrypted in the cloud; the stores of this library ignore this option.
    public static var allowsCloudEncryption: Option { Option(.plain("allowsCloudEncryption")) }
    /// The history keeps the value after the record was deleted.
    public static var preserveValueOnDeletion: Option { Option(.plain("preserveValueOnDeletion")) }
    /// Changes are tracked, but never saved.
    public static var ephemeral: Option { Option(.plain("ephemeral")) }
    /// Values are indexed by the system's search; this library ignores the option.
    public static var spotlight: Option { Option(.plain("spotlight")) }
    /// Values are stored in their `Codable` form, as all values without their own kind are.
    public static var codable: Option { Option(.plain("codable")) }

    /// The store makes the values: a context refuses to change them, and a new record may come without one.
    ///
    /// The values that a store makes come back with the save, see `CommitResult.reregistered`.
    public static var readOnly: Option { Option(.plain("readOnly")) }
    /// The store makes the values, for a reason that messages give, such as `the table is a view`.
    ///
    /// The reason is not saved, and options with different reasons are equal.
    public static func readOnly(because reason: String) -> Option {
      Option(.plain("readOnly"), cause: reason)
    }
    /// Values cannot be changed once a record is saved; the store makes one for a new record without a value.
    package static func fixedOnceSaved(because reason: String) -> Option {
      var option = readOnly(because: reason)
      option.isForSavedRecords = true
      return option
    }
    /// Values are a part of the key of a table, which makes the identifier: those of a saved record cannot be changed.
    package static var key: Option { Option(.plain("key")) }
    /// The store takes texts for one that differ only in the case of letters of ASCII, as with the collation NOCASE.
    package static var ignoresCase: Option { Option(.plain("ignoresCase")) }
    /// The store takes texts for one that differ only in spaces at their ends, as with the collation RTRIM.
    package static var ignoresEndSpaces: Option { Option(.plain("ignoresEndSpaces")) }
    /// Values are bytes, in base 64, that are shown by their size and first bytes.
    public static var blob: Option { Option(.plain("blob")) }

    /// True when the options have the same effect.
    public static func == (lhs: Option, rhs: Option) -> Bool { lhs.kind == rhs.kind }

    /// Hashes the effect.
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    var uniquePolicy: Schema.UniquePolicy? {
      if case .unique(let policy) = kind { policy } else { nil }
    }

    var isTransformable: Bool {
      if case .transformable = kind { true } else { false }
    }
  }
}

extension Schema {
  /// An attribute composed of others: a `Codable` structure.
  ///
  /// The stores of this library save it as one JSON value.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The parts.
    public let properties: [Attribute]

    /// Creates a composite attribute.
    public init(name: String, properties: [Attribute], isOptional: Bool = false) {
      self.properties = properties
      super.init(named: name, .json, isOptional: isOptional)
    }

    /// Reads the JSON form, which does not contain the parts.
    ///
    /// - Throws: `DecodingError`.
    public required convenience init(from decoder: any Decoder) throws {
      let plain = try Attribute(from: decoder)
      self.init(name: plain.name, properties: [], isOptional: plain.isOptional)
    }
  }
}
