/// The entities of a store, with their fields.
///
/// The macro `@Model` creates the schema of models. A store without model classes is described by values:
///
/// ```swift
/// let film = Schema.Entity(
///   "Film",
///   attributes: [
///     .init("title", .text, isOptional: false), .init("year", .integer),
///     .init("studio", .link("Studio")),
///   ]
/// )
/// let studio = Schema.Entity("Studio", attributes: [.init("name", .text, isUnique: true)])
/// let schema = Schema([film, studio])
/// try schema.validate()
/// ```
///
/// A schema is immutable and can be shared between threads; `applying(_:)` returns a changed one. Its JSON form is
/// `{"entities": [{"name": …, "attributes": [{"name": …, "type": …}]}]}`.
///
/// **Errors.** `validate()` throws a ``PersistenceError`` with the code `.invalidSchema` that names the entity and the
/// field. Lookups by name throw `.unknownEntity` or `.unknownAttribute` and suggest the nearest name.
public final class Schema: Sendable {
  /// The version that the program assigned to this schema.
  public let version: Version
  /// The entities in the order of their declaration.
  public let entities: [Entity]
  /// The entities by their names.
  public let entitiesByName: [String: Entity]

  /// Creates a schema without checking it; see `validate()`.
  public init(_ entities: [Entity] = [], version: Version = Version(1, 0, 0)) {
    self.entities = entities
    self.version = version
    entitiesByName = Dictionary(
      entities.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for entity in entities {
      guard let name = entity.superentityName, let above = entitiesByName[name] else { continue }
      entity.superentity = above
      above.orderedSubentities.append(entity)
    }
  }

  /// Creates the schema of several stores; an entity that several have is that of the first.
  package convenience init(joining schemas: [Schema]) {
    var names: Set<String> = []
    self.init(schemas.flatMap(\.entities).filter { names.insert($0.name).inserted })
  }

  /// Creates a schema from entities.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities, version: version)
  }

  /// The entity with the name.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`, which lists the existing ones.
  public func entity(named name: String) throws -> Entity {
    if let entity = entitiesByName[name] { return entity }
    let known = Suggestion.list(entities.map(\.name))
    throw PersistenceError(
      .unknownEntity,
      "unknown entity \(Value.quoted(name)); "
        + (known.isEmpty ? "the store has no entities yet" : "available: \(known)")
    )
  }

  /// Checks names, defaults and the destinations of links.
  ///
  /// - Throws: `PersistenceError` with code `.invalidSchema`, which names the first problem.
  public func validate() throws {
    var names: Set<String> = []
    for entity in entities {
      guard names.insert(entity.name).inserted else {
        throw PersistenceError(.invalidSchema, "duplicate entity \"\(entity.name)\"")
      }
      try entity.validate(in: self)
    }
  }
}

extension Schema {
  /// A schema version of three numbers.
  public struct Version: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Changes when stores of the former version cannot be read without migration.
    public let major: Int
    /// Changes when something is added.
    public let minor: Int
    /// Changes in all other cases.
    public let patch: Int

    /// Creates a version from its numbers.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// Orders by the major, then the minor, then the patch number.
    public static func < (lhs: Version, rhs: Version) -> Bool {
      (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }

    /// The numbers separated by periods.
    public var description: String { "\(major).\(minor).\(patch)" }
  }
}

extension Schema: Hashable {
  /// True when both have the same version and equal entities in the same order.
  public static func == (lhs: Schema, rhs: Schema) -> Bool {
    lhs === rhs || (lhs.version == rhs.version && lhs.entities == rhs.entities)
  }

  /// Hashes the properties that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities)
  }
}

extension Schema {
  /// The version of the JSON form that `encode(to:)` writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the JSON form.
  public var encodingVersion: Version { Self.schemaEncodingVersion }
}

extension Schema: Codable {
  private enum Key: String, CodingKey { case version, entities }

  /// Reads the JSON form; a missing version is 1.0.0.
  ///
  /// - Throws: `DecodingError`.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      try container.decode([Entity].self, forKey: .entities),
      version: try container.decodeIfPresent(Version.self, forKey: .version) ?? Version(1, 0, 0)
    )
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    if version != Version(1, 0, 0) { try container.encode(version, forKey: .version) }
    try container.encode(entities, forKey: .entities)
  }
}
