import Foundation

extension DefaultSnapshot {
  /// Creates a snapshot from one of any type, with the values that it encodes under property names.
  ///
  /// Dates, UUIDs, decimals and links are taken directly, without conversion to text. A `DefaultSnapshot` or
  /// a dictionary of values in the snapshot counts as its own values, so a snapshot can simply wrap one.
  ///
  /// - Throws: The error of encoding the snapshot.
  init<S: DataStoreSnapshot>(flattening snapshot: S) throws {
    if let plain = snapshot as? DefaultSnapshot {
      self = plain
      return
    }
    let encoder = SnapshotEncoder()
    try snapshot.encode(to: encoder)
    self.init(
      persistentIdentifier: snapshot.persistentIdentifier,
      layout: SnapshotLayout(encoder.values.map(\.name)),
      orderedValues: encoder.values.map(\.value)
    )
  }
}

/// Collects the names and values that a snapshot encodes.
private final class SnapshotEncoder: Encoder {
  private(set) var values: [(name: String, value: Value)] = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(FlatContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Refusal(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer { Refusal(encoder: self) }

  func put(_ value: Value, _ name: String) {
    if name != "persistentIdentifier" { values.append((name, value)) }
  }

  func put<T: Encodable>(encoding value: T, _ name: String) throws {
    switch value {
    case let nested as DefaultSnapshot:
      for (name, value) in zip(nested.layout.names, nested.orderedValues) { put(value, name) }
    case let nested as [String: Value]:
      for name in nested.keys.sorted() { put(nested[name] ?? .null, name) }
    default: put(try Value(flattening: value), name)
    }
  }
}

extension Value {
  /// Creates a value from anything encodable: of its own kind, or else as JSON.
  fileprivate init<T: Encodable>(flattening value: T) throws {
    if let native = Value(native: value) {
      self = native
      return
    }
    let text = try CodableJSON.text(of: value)
    if text.hasPrefix("{") || text.hasPrefix("[") {
      self = .json(text)
    } else {
      self = try JSONDecoder().decode(UntypedValue.self, from: Data(text.utf8)).untyped
    }
  }

  private init?(native value: Any) {
    switch value {
    case let value as Value: self = value
    case let value as UntypedValue: self = value.untyped
    case let link as PersistentIdentifier: self = .link(link)
    case let links as [PersistentIdentifier]: self = .links(links)
    case let native as any AttributeValue: self = native.attributeValue
    default: return nil
    }
  }
}

/// A container whose keys become names; nested containers are flattened as well.
private struct FlatContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: SnapshotEncoder
  let codingPath: [any CodingKey] = []

  private func put(_ value: Value, _ key: Key) { encoder.put(value, key.stringValue) }
  private func put<T: BinaryInteger>(number: T, _ key: Key) {
    put(Int64(exactly: number).map { .integer($0) } ?? .decimal(Decimal(UInt64(number))), key)
  }

  mutating func encodeNil(forKey key: Key) { put(.null, key) }
  mutating func encode(_ value: Bool, forKey key: Key) { put(.boolean(value), key) }
  mutating func encode(_ value: String, forKey key: Key) { put(.text(value), key) }
  mutating func encode(_ value: Double, forKey key: Key) { put(.number(value), key) }
  mutating func encode(_ value: Float, forKey key: Key) { put(.number(Double(value)), key) }
  mutating func encode(_ value: Int, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: Int8, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: Int16, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: Int32, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: Int64, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: UInt, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: UInt8, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: UInt16, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: UInt32, forKey key: Key) { put(number: value, key) }
  mutating func encode(_ value: UInt64, forKey key: Key) { put(number: value, key) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try encoder.put(encoding: value, key.stringValue)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder.container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    Refusal(encoder: encoder)
  }

  mutating func superEncoder() -> any Encoder { encoder }
  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Rejects a snapshot that encodes a list or a single value instead of named values.
struct Refusal: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let encoder: any Encoder
  let codingPath: [any CodingKey] = []
  let count = 0

  private func refuse() -> PersistenceError {
    PersistenceError(.storeViolation, "a snapshot must encode its values in a keyed container")
  }

  mutating func encodeNil() throws { throw refuse() }
  mutating func encode(_ value: Bool) throws { throw refuse() }
  mutating func encode(_ value: String) throws { throw refuse() }
  mutating func encode(_ value: Double) throws { throw refuse() }
  mutating func encode(_ value: Float) throws { throw refuse() }
  mutating func encode(_ value: Int) throws { throw refuse() }
  mutating func encode(_ value: Int8) throws { throw refuse() }
  mutating func encode(_ value: Int16) throws { throw refuse() }
  mutating func encode(_ value: Int32) throws { throw refuse() }
  mutating func encode(_ value: Int64) throws { throw refuse() }
  mutating func encode(_ value: UInt) throws { throw refuse() }
  mutating func encode(_ value: UInt8) throws { throw refuse() }
  mutating func encode(_ value: UInt16) throws { throw refuse() }
  mutating func encode(_ value: UInt32) throws { throw refuse() }
  mutating func encode(_ value: UInt64) throws { throw refuse() }

  /// Encodes a value on behalf of a snapshot that wraps it.
  mutating func encode<T: Encodable>(_ value: T) throws {
    guard value is any DataStoreSnapshot else { throw refuse() }
    try value.encode(to: encoder)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type)
    -> KeyedEncodingContainer<NestedKey>
  {
    encoder.container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { encoder }
}
