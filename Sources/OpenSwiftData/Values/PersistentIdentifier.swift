package import Foundation
import Synchronization

/// Identifies a record by its store, entity and key.
///
/// Pass identifiers, not models, between threads and contexts:
///
/// ```swift
/// let id = novel.persistentModelID
/// Task.detached {
///   let context = ModelContext(container)
///   let same: Novel? = try context.existingModel(for: id)
/// }
/// ```
///
/// An identifier is temporary (`t1`) until the record is saved for the first time; then the store replaces it with a
/// permanent one. `description` is the text that people type.
///
/// **Threads.** An identifier is a value and can be sent anywhere. It takes 21 bytes (24 in an array). The names of
/// store and entity, and text keys of more than 15 bytes, are kept once per process and never removed.
///
/// **Errors.** `identifier(for:entityName:primaryKey:)` throws a ``PersistenceError`` with the code `.invalidIdentifier`
/// for an empty key.
public struct PersistentIdentifier: Hashable, Sendable, Identifiable {
  /// The kind of a key.
  enum Kind: UInt8, Codable {
    /// Assigned by a context; `low` is a number within the context that `high` identifies.
    case temporary
    /// A number that the store chose, in `low`.
    case integer
    /// A `RecordKey`.
    case record
    /// A UUID.
    case uuid
    /// Text of more than 15 bytes; `low` is its index in the process-wide table.
    case text
    /// Text of up to 15 bytes, a `ShortKeyText`; written and shown as `text`.
    case shortText

    /// The kind that is written: how a text is kept is not part of it.
    var written: Kind { self == .shortText ? .text : self }
  }

  let high: UInt64
  let low: UInt64
  let scope: UInt32
  let kind: Kind

  init(high: UInt64, low: UInt64, scope: UInt32, kind: Kind) {
    self.high = high
    self.low = low
    self.scope = scope
    self.kind = kind
  }

  /// Hashes everything that `==` compares in two words, for speed: each new model hashes its identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    hasher.combine(otherWord)
  }

  /// The hash value in a dictionary or a set, in a fraction of the time that a `Hasher` takes.
  ///
  /// The words are mixed by multiplication to 128 bits, as in wyhash (https://github.com/wangyi-fudan/wyhash), with
  /// random numbers of the process, so that a file cannot contain identifiers that collide. Dictionaries and sets call
  /// this requirement of `Hashable`, which the standard library otherwise implements with a `Hasher`.
  public func _rawHashValue(seed: Int) -> Int {
    let secret = IdentifierHash.secret
    let first = IdentifierHash.mix(
      low ^ secret.0 ^ UInt64(truncatingIfNeeded: seed),
      otherWord ^ secret.1
    )
    return Int(truncatingIfNeeded: IdentifierHash.mix(first ^ secret.0, secret.2))
  }

  /// Everything but `low`.
  private var otherWord: UInt64 { high ^ (UInt64(scope) << 32 | UInt64(kind.rawValue) << 28) }

  /// The identifier itself.
  public var id: PersistentIdentifier { self }

  /// The name of the entity that the record belongs to.
  public var entityName: String { IdentifierNames.scope(scope).entity }

  /// The store of the record; nil while the identifier is temporary.
  public var storeIdentifier: String? { IdentifierNames.scope(scope).store }

  /// True until the record is saved for the first time.
  public var isTemporary: Bool { kind == .temporary }
}

/// What hashes identifiers in dictionaries and sets.
private enum IdentifierHash {
  /// Unpredictable odd numbers.
  static let secret: (UInt64, UInt64, UInt64) = {
    var generator = SystemRandomNumberGenerator()
    return (generator.next() | 1, generator.next() | 1, generator.next() | 1)
  }()

  @inline(__always)
  static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}

extension PersistentIdentifier {
  /// Creates the permanent identifier of a record from the key that its store assigned.
  ///
  /// Integers, UUIDs, `RecordKey`s, and descriptions of up to 15 bytes of UTF-8 are stored in the identifier itself;
  /// the longer description of any other key is stored once per process. Texts are compared byte by byte.
  ///
  /// - Throws: `PersistenceError` with code `.invalidIdentifier` when the description is empty.
  public static func identifier<Key: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String,
    entityName: String,
    primaryKey: Key
  ) throws -> PersistentIdentifier {
    let scope = IdentifierScope(store: storeIdentifier, entity: entityName)
    switch primaryKey {
    case let number as Int: return scope.identifier(number: number)
    case let key as RecordKey: return scope.identifier(key: key)
    case let uuid as UUID: return scope.identifier(uuid: uuid)
    default:
      let text = primaryKey.description
      guard !text.isEmpty else {
        throw PersistenceError(.invalidIdentifier, "\(entityName): empty record key")
      }
      return scope.identifier(text: text)
    }
  }

  /// Creates the permanent identifier whose `description` is the text.
  ///
  /// For stores that save keys as text, such as in file names: a whole number, the text of a `RecordKey`, and a
  /// UUID become keys of these kinds, everything else is the key itself. A UUID in capital letters is the same
  /// key as in small ones, which `description` has.
  ///
  /// - Throws: `PersistenceError` with code `.invalidIdentifier` when the text is empty.
  public static func identifier(
    for storeIdentifier: String,
    entityName: String,
    keyText: String
  ) throws -> PersistentIdentifier {
    guard !keyText.isEmpty else {
      throw PersistenceError(.invalidIdentifier, "\(entityName): empty record key")
    }
    return IdentifierScope(store: storeIdentifier, entity: entityName).identifier(parsing: keyText)
  }

  /// The integer key; nil if the key is of another kind.
  package var numberKey: Int? { kind == .integer ? Int(bitPattern: UInt(low)) : nil }

  /// The record key; nil when the key is of another kind.
  package var recordKey: RecordKey? {
    kind == .record ? RecordKey(milliseconds: high, sequence: low) : nil
  }

  /// The UUID key; nil if the key is of another kind.
  package var uuidKey: UUID? { kind == .uuid ? UUID(high: high, low: low) : nil }

  /// The kind of the key in a word: `temporary`, `integer`, `record`, `uuid` or `text`.
  package var keyKind: String { "\(kind.written)" }

  /// The two words of the key, for tables of keys of one kind.
  package var words: (high: UInt64, low: UInt64) { (high, low) }
}

extension PersistentIdentifier {
  /// The store and the entity.
  package var identifierScope: IdentifierScope { IdentifierScope(number: scope) }

  /// True when the key is known to be greater than that of another identifier of the same scope and kind.
  package func isAfter(_ other: PersistentIdentifier) -> Bool {
    scope == other.scope && kind == other.kind && (high, low) > (other.high, other.low)
  }
}

/// A store and an entity, looked up once to create many identifiers quickly.
package struct IdentifierScope: Hashable, Sendable {
  package let number: UInt32

  init(number: UInt32) { self.number = number }

  /// Finds or adds the pair; nil stands for no store yet.
  package init(store: String?, entity: String) {
    number = IdentifierNames.number(of: IdentifierNames.Scope(store: store, entity: entity))
  }

  package func identifier(number key: Int) -> PersistentIdentifier {
    PersistentIdentifier(high: 0, low: UInt64(UInt(bitPattern: key)), scope: number, kind: .integer)
  }

  package func identifier(key: RecordKey) -> PersistentIdentifier {
    PersistentIdentifier(
      high: key.milliseconds,
      low: key.sequence,
      scope: number,
      kind: .record
    )
  }

  package func identifier(uuid: UUID) -> PersistentIdentifier {
    let (high, low) = uuid.words
    return PersistentIdentifier(high: high, low: low, scope: number, kind: .uuid)
  }

  package func identifier(text: String) -> PersistentIdentifier {
    var text = text
    if let short = text.withUTF8({ ShortKeyText($0) }) {
      return PersistentIdentifier(high: short.high, low: short.low, scope: number, kind: .shortText)
    }
    let place = IdentifierNames.number(ofText: LongKeyText(text: text))
    return PersistentIdentifier(high: 0, low: UInt64(place), scope: number, kind: .text)
  }

  /// The identifier with the key of a record of another store.
  package func identifier(withKeyOf other: PersistentIdentifier) -> PersistentIdentifier {
    PersistentIdentifier(high: other.high, low: other.low, scope: number, kind: other.kind)
  }

  package func temporaryIdentifier(_ serial: UInt64, context: UInt64) -> PersistentIdentifier {
    PersistentIdentifier(high: context, low: serial, scope: number, kind: .temporary)
  }
}

extension PersistentIdentifier: Comparable {
  /// Orders by entity, then temporary ones last, then by key: integers by value, record keys by creation, texts by
  /// their bytes; then by store.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    if lhs.scope != rhs.scope, lhs.kind.written == rhs.kind.written,
      lhs.entityName == rhs.entityName,
      !isBefore(lhs, rhs), !isBefore(rhs, lhs)
    {
      return lhs.storeIdentifier ?? "" < rhs.storeIdentifier ?? ""
    }
    return isBefore(lhs, rhs)
  }

  /// Orders as `<` without the stores.
  private static func isBefore(_ lhs: PersistentIdentifier, _ rhs: PersistentIdentifier) -> Bool {
    if lhs.scope != rhs.scope, lhs.entityName != rhs.entityName {
      return lhs.entityName < rhs.entityName
    }
    if lhs.kind.written != rhs.kind.written {
      return lhs.isTemporary != rhs.isTemporary
        ? rhs.isTemporary : lhs.kind.written.rawValue < rhs.kind.written.rawValue
    }
    switch lhs.kind {
    case .integer: return Int64(bitPattern: lhs.low) < Int64(bitPattern: rhs.low)
    case .shortText where rhs.kind == .shortText, .temporary, .record, .uuid:
      return (lhs.high, lhs.low) < (rhs.high, rhs.low)
    case .text, .shortText:
      return lhs.withText { left in
        rhs.withText { left.lexicographicallyPrecedes($0) }
      }
    }
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  /// The key as displayed and typed.
  ///
  /// It is `t1` and so on while temporary, then a number, sixteen letters and digits (see `RecordKey`), a
  /// UUID, or the text.
  public var description: String {
    switch kind {
    case .temporary: "t\(low)"
    case .integer: String(Int64(bitPattern: low))
    case .record: RecordKey(milliseconds: high, sequence: low).description
    case .uuid: UUID(high: high, low: low).uuidString.lowercased()
    case .text: IdentifierNames.text(Int(low))
    case .shortText: ShortKeyText(high: high, low: low).text
    }
  }

  /// Lends the description as UTF-8.
  package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if kind == .record {
      return RecordKey(milliseconds: high, sequence: low).withText(body)
    }
    if kind == .shortText { return ShortKeyText(high: high, low: low).withText(body) }
    var text = description
    return text.withUTF8(body)
  }

  /// True when the description has the bytes of the text.
  package func hasText(_ text: String) -> Bool { withText { $0.elementsEqual(text.utf8) } }

  /// True when the description begins with the text.
  package func hasPrefix(_ text: String) -> Bool {
    if kind == .record, let prefix = RecordKey.Prefix(text) {
      return prefix.matches(milliseconds: high, sequence: low)
    }
    return kind != .record && description.hasPrefix(text)
  }
}

extension PersistentIdentifier: Codable {
  private enum Key: String, CodingKey {
    case storeIdentifier, entityName, primaryKey, kind
  }

  /// Writes store, entity, key and kind of key under their names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    try container.encode(entityName, forKey: .entityName)
    if kind == .temporary {
      try container.encode("\(high).\(low)", forKey: .primaryKey)
    } else {
      try container.encode(description, forKey: .primaryKey)
    }
    try container.encode(kind.written, forKey: .kind)
  }

  /// Reads what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` when the key does not match its kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let store = try container.decodeIfPresent(String.self, forKey: .storeIdentifier)
    let entity = try container.decode(String.self, forKey: .entityName)
    let text = try container.decode(String.self, forKey: .primaryKey)
    let kind = try container.decode(Kind.self, forKey: .kind)
    let scope = IdentifierScope(store: store, entity: entity)
    guard let identifier = scope.identifier(text: text, kind: kind) else {
      throw DecodingError.dataCorruptedError(
        forKey: .primaryKey,
        in: container,
        debugDescription: "invalid key \"\(text)\""
      )
    }
    self = identifier
  }
}

extension IdentifierScope {
  /// The identifier whose key has this text form and kind; nil if the text does not match the kind.
  func identifier(text: String, kind: PersistentIdentifier.Kind) -> PersistentIdentifier? {
    switch kind {
    case .integer: return Int(text).map { identifier(number: $0) }
    case .record: return RecordKey(text).map { identifier(key: $0) }
    case .uuid: return UUID(uuidString: text).map { identifier(uuid: $0) }
    case .text, .shortText: return text.isEmpty ? nil : identifier(text: text)
    case .temporary:
      let parts = text.split(separator: ".").compactMap { UInt64($0) }
      return parts.count == 2 ? temporaryIdentifier(parts[1], context: parts[0]) : nil
    }
  }

  /// The identifier with this text form: a number, a record key, a UUID, else the text itself.
  package func identifier(parsing text: String) -> PersistentIdentifier {
    if let number = Int(text), String(number) == text { return identifier(number: number) }
    if let key = RecordKey(text) { return identifier(key: key) }
    if text.utf8.count == 36, let uuid = UUID(uuidString: text) { return identifier(uuid: uuid) }
    return identifier(text: text)
  }
}

extension UUID {
  /// The sixteen bytes as two big-endian words.
  package var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// Creates a UUID from two big-endian words.
  package init(high: UInt64, low: UInt64) {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) { buffer in
      buffer.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
      buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    self.init(uuid: bytes)
  }
}

/// The names that identifiers refer to by number.
///
/// Process-wide on purpose: an identifier must be a small plain value that can be compared, hashed and copied
/// without reference counting. The tables only grow.
enum IdentifierNames {
  struct Scope: Hashable {
    var store: String?
    var entity: String
  }

  private struct Table {
    var scopes: [Scope] = []
    var scopeNumbers: [Scope: UInt32] = [:]
    /// The number that was looked up last, which is usually looked up again.
    var lastNumber: UInt32 = 0
    var texts: [String] = []
    var textNumbers: [LongKeyText: Int] = [:]
  }

  private static let table = Mutex(Table())

  static func scope(_ number: UInt32) -> Scope {
    table.withLock { $0.scopes[Int(number)] }
  }

  static func number(of scope: Scope) -> UInt32 {
    table.withLock { table in
      if Int(table.lastNumber) < table.scopes.count, table.scopes[Int(table.lastNumber)] == scope {
        return table.lastNumber
      }
      if let known = table.scopeNumbers[scope] {
        table.lastNumber = known
        return known
      }
      let number = UInt32(table.scopes.count)
      table.scopes.append(scope)
      table.scopeNumbers[scope] = number
      return number
    }
  }

  static func text(_ number: Int) -> String {
    table.withLock { $0.texts[number] }
  }

  /// The texts that are kept for the life of the process.
  static var texts: [String] { table.withLock { $0.texts } }

  static func number(ofText text: LongKeyText) -> Int {
    table.withLock { table in
      if let known = table.textNumbers[text] { return known }
      table.texts.append(text.text)
      table.textNumbers[text] = table.texts.count - 1
      return table.texts.count - 1
    }
  }
}
