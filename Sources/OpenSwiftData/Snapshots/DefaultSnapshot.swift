import Foundation

/// The identifier and the values of one record at a point in time.
///
/// Stores return snapshots and receive them in change sets; contexts turn them into models:
///
/// ```swift
/// for snapshot in try context.fetchSnapshots(matching: Query("Film")) {
///   print(snapshot.persistentIdentifier, snapshot["title"] ?? .null)
/// }
/// let layout = entity.layout
/// let values: [Value] = layout.names.map { $0 == "title" ? .text("Up") : .null }
/// let new = DefaultSnapshot(
///   persistentIdentifier: identifier, layout: layout, orderedValues: values
/// )
/// ```
///
/// Copying costs O(1). The encoded form has one key per value and `persistentIdentifier`.
///
/// **Threads.** A snapshot is a value and can be sent anywhere.
///
/// **Errors.** A snapshot does not check its values; `Schema.validate(_:)` and stores do.
public struct DefaultSnapshot: Sendable, Hashable {
  /// The identifier of the record.
  public var persistentIdentifier: PersistentIdentifier
  /// The names of the values.
  public let layout: SnapshotLayout
  /// The values in the order of the layout.
  public var orderedValues: [Value]

  /// Creates a snapshot from values in the order of the layout.
  ///
  /// - Precondition: There are as many values as names.
  public init(
    persistentIdentifier: PersistentIdentifier,
    layout: SnapshotLayout,
    orderedValues: [Value]
  ) {
    precondition(
      layout.names.count == orderedValues.count,
      "a snapshot has one value for each name"
    )
    self.persistentIdentifier = persistentIdentifier
    self.layout = layout
    self.orderedValues = orderedValues
  }

  /// The value under the name; nil if there is no such name.
  public subscript(name: String) -> Value? {
    layout.slot(of: name).map { orderedValues[$0] }
  }

  /// The values by name.
  ///
  /// - Complexity: O(n) in the number of values.
  public var values: [String: Value] {
    Dictionary(
      zip(layout.names, orderedValues).map { ($0, $1) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The same values with another identifier and with identifiers in links replaced.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    var copy = self
    copy.persistentIdentifier = persistentIdentifier
    if let remappedIdentifiers, !remappedIdentifiers.isEmpty {
      copy.orderedValues = orderedValues.map { $0.remapped(remappedIdentifiers) }
    }
    return copy
  }

  /// The same record with its own identifier and those in links replaced.
  package func remapped(_ map: some IdentifierLookup) -> DefaultSnapshot {
    var copy = self
    copy.persistentIdentifier = map[persistentIdentifier] ?? persistentIdentifier
    copy.orderedValues = orderedValues.map { $0.remapped(map) }
    return copy
  }

  /// The same record with its values in another layout; names that are new get the given value.
  package func arranged(
    as newLayout: SnapshotLayout,
    filling fill: (_ slot: Int) -> Value = { _ in .null }
  ) -> DefaultSnapshot {
    if layout === newLayout { return self }
    return DefaultSnapshot(
      persistentIdentifier: persistentIdentifier,
      layout: newLayout,
      orderedValues: newLayout.names.enumerated().map { self[$0.element] ?? fill($0.offset) }
    )
  }
}

extension Schema.Entity {
  /// The record in the layout of this entity.
  ///
  /// Values are found by name, else by the former name of a renamed attribute; missing values get the
  /// default.
  package func arranged(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
    if snapshot.layout === layout || snapshot.layout == layout { return snapshot }
    let formerNames = Set(
      fields.filter { $0.originalName != $0.name && snapshot[$0.name] == nil }
        .map(\.originalName)
    )
    return DefaultSnapshot(
      persistentIdentifier: snapshot.persistentIdentifier,
      layout: layout,
      orderedValues: fields.map { attribute in
        // A new attribute may have the former name of another one.
        if formerNames.contains(attribute.name) { return attribute.defaultValue }
        return snapshot[attribute.name] ?? snapshot[attribute.originalName]
          ?? attribute.defaultValue
      }
    )
  }
}

extension Value {
  /// The value with identifiers in links replaced.
  package func remapped(_ map: some IdentifierLookup) -> Value {
    switch self {
    case .link(let link): .link(map[link] ?? link)
    case .links(let links): .links(links.map { map[$0] ?? $0 })
    default: self
    }
  }
}

/// The keys under which a snapshot encodes itself.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable {
  /// The identifier of the record.
  case persistentIdentifier
  /// A value, under its own name.
  case modeledProperty(String)

  /// Creates the key with the name.
  public init?(stringValue: String) {
    self =
      stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// There are no numbered keys.
  public init?(intValue: Int) { nil }

  /// The name of the key.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// There are no numbered keys.
  public var intValue: Int? { nil }
}

extension DefaultSnapshot: Codable {
  /// Reads what `encode(to:)` wrote.
  ///
  /// Kinds that coders do not support (dates, UUIDs, decimals) are read as text or numbers; the context
  /// converts them to their types in the schema.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    let names = container.allKeys.map(\.stringValue).filter { $0 != "persistentIdentifier" }
      .sorted()
    let values = try names.map {
      try container.decode(UntypedValue.self, forKey: .modeledProperty($0)).untyped
    }
    self.init(
      persistentIdentifier: identifier,
      layout: SnapshotLayout(names),
      orderedValues: values
    )
  }

  /// Writes the identifier and one key for each value; missing values as null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in zip(layout.names, orderedValues) {
      try container.encode(UntypedValue(value), forKey: .modeledProperty(name))
    }
  }
}
