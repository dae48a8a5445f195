import Foundation

extension DataStoreSnapshot {
  /// This snapshot with the fields that the model lacks taken from another snapshot of the record.
  ///
  /// A field is what the type encodes under a key. A type that cannot be decoded from its own fields is returned
  /// unchanged.
  func withOwnFields(of original: Self, modelNames: Set<String>) -> Self {
    do {
      let fields = try EncodedFields(of: original)
      try fields.replaceModelValues(from: EncodedFields(of: self), names: modelNames)
      return try Self(from: FieldDecoder(fields: fields))
    } catch {
      return self
    }
  }
}

/// What a snapshot encodes: Swift values by key, and further fields for nested containers.
private final class EncodedFields: Encoder {
  private(set) var values: [String: Any] = [:]
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init() {}

  init<S: DataStoreSnapshot>(of snapshot: S) throws { try snapshot.encode(to: self) }

  func put(_ value: Any, _ key: any CodingKey) { values[key.stringValue] = value }

  /// Replaces the values of the model, and adds none under other keys.
  func replaceModelValues(from other: EncodedFields, names: Set<String>) {
    for key in Set(values.keys).union(other.values.keys) {
      if let own = values[key] as? EncodedFields, let others = other.values[key] as? EncodedFields,
        !names.contains(key)
      {
        own.replaceModelValues(from: others, names: names)
      } else if names.contains(key) || isSnapshot(other.values[key]) {
        values[key] = other.values[key]
      }
    }
  }

  /// True for values that count as those of the snapshot that wraps them.
  private func isSnapshot(_ value: Any?) -> Bool {
    value is DefaultSnapshot || value is [String: Value]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(FieldWriter<Key>(fields: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Refusal(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer { Refusal(encoder: self) }
}

private struct FieldWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let fields: EncodedFields
  let codingPath: [any CodingKey] = []

  mutating func encodeNil(forKey key: Key) { fields.put(Bool?.none as Any, key) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) { fields.put(value, key) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = fields.values[key.stringValue] as? EncodedFields ?? EncodedFields()
    fields.put(nested, key)
    return nested.container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    Refusal(encoder: fields)
  }

  mutating func superEncoder() -> any Encoder { fields }
  mutating func superEncoder(forKey key: Key) -> any Encoder { fields }
}

/// Decodes a snapshot from its fields.
private struct FieldDecoder: Decoder, SingleValueDecodingContainer {
  let fields: EncodedFields
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(fields: EncodedFields) { self.fields = fields }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(FieldReader<Key>(fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.refusal }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { false }

  /// Decodes a snapshot that another one wraps.
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

  static let refusal = PersistenceError(
    .storeViolation,
    "a snapshot must decode its values from a keyed container"
  )
}

private struct FieldReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let fields: EncodedFields
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] { fields.values.keys.sorted().compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { fields.values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) -> Bool {
    guard let value = fields.values[key.stringValue] else { return true }
    return (value as? any OptionalType).map { $0.wrappedValue == nil } ?? false
  }

  /// Returns the value itself, or decodes it from its JSON form if it was encoded as another type.
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let value = fields.values[key.stringValue]
    if let value = value as? T { return value }
    guard let value = value as? any Encodable else { throw FieldDecoder.refusal }
    func json<V: Encodable>(_ value: V) throws -> Data { try JSONEncoder().encode([value]) }
    guard let decoded = try JSONDecoder().decode([T].self, from: json(value)).first else {
      throw FieldDecoder.refusal
    }
    return decoded
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<NestedKey>
  {
    guard let nested = fields.values[key.stringValue] as? EncodedFields else {
      throw FieldDecoder.refusal
    }
    return KeyedDecodingContainer(FieldReader<NestedKey>(fields: nested))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw FieldDecoder.refusal
  }

  func superDecoder() throws -> any Decoder { FieldDecoder(fields: fields) }
  func superDecoder(forKey key: Key) throws -> any Decoder { FieldDecoder(fields: fields) }
}
