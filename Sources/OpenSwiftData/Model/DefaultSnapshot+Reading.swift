import Foundation

extension DefaultSnapshot {
  /// Creates a snapshot from values by name, for stores that read rows.
  ///
  /// The values may be of a similar kind (text for a date, 0 and 1 for a boolean, a whole number for a
  /// decimal): the context converts them to the kind of their property. Missing properties get their
  /// defaults.
  public init(persistentIdentifier: PersistentIdentifier, values: [String: Value]) {
    let names = values.keys.sorted()
    self.init(
      persistentIdentifier: persistentIdentifier,
      layout: SnapshotLayout(names),
      orderedValues: names.map { values[$0] ?? .null }
    )
  }

  /// The value under the name as a Swift value; nil if it is missing or cannot be converted.
  ///
  /// ```swift
  /// let days = snapshot.value("days", as: Int.self)
  /// ```
  public func value<V: AttributeValue>(_ name: String, as type: V.Type = V.self) -> V? {
    self[name].flatMap { V($0.coerced(to: V.attributeType)) }
  }

  /// The value of the property; nil if it is missing or cannot be converted to its type.
  ///
  /// ```swift
  /// let days = snapshot[\Trip.days]
  /// ```
  public subscript<M: PersistentModel, V: AttributeValue>(keyPath: KeyPath<M, V>) -> V? {
    let description: ModelDescription = ModelDescription.of(M.self)
    guard let slot = description.slot(of: keyPath) else { return nil }
    return value(description.entity.layout.names[slot])
  }

  /// Decodes a type from the values; its properties are found by name.
  ///
  /// Dates, UUIDs, decimals, data and links are taken directly; other `Codable` properties are decoded from
  /// their JSON.
  ///
  /// - Throws: `DecodingError`.
  public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
    try T(from: SnapshotDecoder(snapshot: self))
  }
}

/// Decodes a type from the values of a snapshot.
private struct SnapshotDecoder: Decoder {
  let snapshot: DefaultSnapshot
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(NamedValues<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal }

  private var refusal: DecodingError {
    .typeMismatch(
      [String: Any].self,
      .init(codingPath: [], debugDescription: "expected a keyed container")
    )
  }
}

private struct NamedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: SnapshotDecoder
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] {
    (decoder.snapshot.layout.names + [identifierName]).compactMap { Key(stringValue: $0) }
  }

  private var identifierName: String {
    DataStoreSnapshotCodingKey.persistentIdentifier.stringValue
  }

  func contains(_ key: Key) -> Bool {
    key.stringValue == identifierName || decoder.snapshot[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    key.stringValue != identifierName && (decoder.snapshot[key.stringValue]?.isNull ?? true)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let identifier = decoder.snapshot.persistentIdentifier
    if key.stringValue == identifierName, let own = identifier as? T { return own }
    guard let value = decoder.snapshot[key.stringValue] else {
      throw DecodingError.keyNotFound(key, context("missing \(key.stringValue)"))
    }
    if let native = native(value, as: type) { return native }
    do {
      return try CodableJSON.value(of: try value.jsonText, as: type)
    } catch {
      throw DecodingError.typeMismatch(
        type,
        context("\(Value.quoted(value.text)) is not a valid \(type)")
      )
    }
  }

  private func native<T>(_ value: Value, as type: T.Type) -> T? {
    switch value {
    case .link(let link): link as? T
    case .links(let links): links as? T
    default:
      (type as? any AttributeValue.Type).flatMap { $0.init(kept: value) as? T }
    }
  }

  private func context(_ message: String) -> DecodingError.Context {
    .init(codingPath: [], debugDescription: message)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try primitive(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try primitive(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try primitive(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try primitive(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try primitive(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try primitive(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try primitive(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try primitive(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try primitive(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try primitive(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try primitive(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try primitive(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try primitive(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try primitive(type, key) }

  private func primitive<T: AttributeValue>(_ type: T.Type, _ key: Key) throws -> T {
    guard let value = decoder.snapshot[key.stringValue] else {
      throw DecodingError.keyNotFound(key, context("missing \(key.stringValue)"))
    }
    guard let native = T(kept: value) else {
      throw DecodingError.typeMismatch(
        type,
        context("\(Value.quoted(value.text)) is not a valid \(type)")
      )
    }
    return native
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    decoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

extension AttributeValue {
  /// Creates the Swift value from a stored value of the same or a similar kind.
  fileprivate init?(kept value: Value) {
    self.init(value.coerced(to: Self.attributeType))
  }
}

extension Value {
  /// The value as JSON text.
  fileprivate var jsonText: String {
    get throws {
      if case .json(let text) = self { return text }
      // In a snapshot read from a file, JSON values are still texts.
      if case .text(let text) = self, text.hasPrefix("[") || text.hasPrefix("{") { return text }
      return try CodableJSON.text(of: UntypedValue(self))
    }
  }
}
