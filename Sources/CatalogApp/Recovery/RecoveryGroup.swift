import OpenSwiftData

/// Many records with the same change: one part of a line of a recovery file, however many they are.
struct RecoveryGroup: Codable, Hashable {
  /// The largest number of records, which limits what a damaged line can ask for.
  static let limit = 1 << 16
  /// The number of records that share a digest.
  static let digestSize = 128

  /// Identifies the group in its file; a later one with the same number replaces it.
  let number: Int
  /// An update or a deletion.
  let change: RecoveryEdit.Change
  let entity: String
  /// The new values by field name; empty for a deletion.
  let fields: [String: RecoveryField]
  /// The fields from which the new values were computed; nil for none, and in files of earlier versions.
  var read: [String]?
  /// The records.
  let keys: [RecoveryKeys]
  /// What the store had of each `digestSize` records when the line was written.
  let digests: [String]

  /// Describes the records of a change that have not left it.
  ///
  /// - Parameters:
  ///   - bulk: The change.
  ///   - values: The new values of all records.
  ///   - isWhole: True if numbers may be on other records later, see `RecoveryDigest`.
  ///   - grounds: What the unsaved changes rest on.
  init(
    _ bulk: BulkChange,
    _ values: [(slot: Int, value: Value)],
    isWhole: Bool,
    _ grounds: ChangeGrounds
  ) {
    let names = bulk.entity.layout.names
    number = bulk.number
    change = bulk.isDeletion ? .delete : .update
    entity = bulk.entity.name
    fields = Dictionary(
      values.map { (names[$0.slot], RecoveryField(after: RecoveryValue($0.value))) },
      uniquingKeysWith: { first, _ in first }
    )
    let indices = bulk.indices
    keys = RecoveryKeys.list(indices.map { bulk.identifier(at: $0) })
    let read = bulk.isDeletion ? [] : grounds.fields(readFor: bulk)
    if !read.isEmpty { self.read = read.sorted() }
    let compared = bulk.isDeletion ? nil : Set(fields.keys).union(read)
    digests = stride(from: 0, to: indices.count, by: Self.digestSize).map { start in
      var digest = RecoveryDigest(bulk.entity.layout, compared, isWhole: isWhole)
      for index in indices[start..<min(start + Self.digestSize, indices.count)] {
        digest.add(bulk.identifier(at: index), bulk.original(at: index))
      }
      return digest.text
    }
  }

  /// The names of the fields that digests are made of; nil for all, of a deletion.
  var comparedNames: Set<String>? {
    change == .delete ? nil : Set(fields.keys).union(read ?? [])
  }

  /// The number of records; nil if the line makes no sense.
  var count: Int? {
    var count = 0
    for part in keys {
      guard let own = part.count, own <= Self.limit - count else { return nil }
      count += own
    }
    let parts = (count + Self.digestSize - 1) / Self.digestSize
    return count > 0 && digests.count == parts && change != .insert && change != .none ? count : nil
  }

  /// The identifiers of the records in a store.
  ///
  /// - Precondition: `count` is not nil.
  func identifiers(
    in scope: IdentifierScope,
    parsing: (String) -> PersistentIdentifier
  ) -> [PersistentIdentifier] {
    keys.flatMap { $0.identifiers(in: scope, from: parsing($0.first)) }
  }
}

extension ChangeGrounds {
  /// The fields that were read for any record of a change.
  fileprivate func fields(readFor bulk: BulkChange) -> Set<String> {
    let own = fields.filter { $0.entityName == bulk.entity.name && !$0.records.isEmpty }
    if own.isEmpty { return [] }
    let identifiers = bulk.indices.map { bulk.identifier(at: $0) }
    let read = own.filter { identifiers.contains(where: $0.records.contains) }
    return Set(read.flatMap(\.fields))
  }
}

/// A line of a recovery file about everything that a command changed, which is read completely or not at all.
struct RecoveryBatch: Codable {
  /// Changes of single records, which come before the groups.
  let edits: [RecoveryEdit]
  /// The numbers of removed groups.
  let gone: [Int]
  /// New groups, and groups that have lost many of their records.
  let groups: [RecoveryGroup]

  /// The beginning of such a line.
  static let prefix = "{\"edits\":["
}

/// Keys of records: the first, and the gaps between the following ones.
struct RecoveryKeys: Codable, Hashable {
  let first: String
  /// The gaps, nil for none.
  ///
  /// `1*4095,3` stands for 4095 times the next key, then the third one after it.
  var gaps: String?

  /// Describes identifiers of one entity; only numbers and the keys of the built-in stores have gaps.
  static func list(_ identifiers: [PersistentIdentifier]) -> [RecoveryKeys] {
    var list: [RecoveryKeys] = []
    var first: PersistentIdentifier?
    var last: PersistentIdentifier?
    var runs: [(gap: UInt64, count: Int)] = []
    func finish() {
      guard let first else { return }
      let texts = runs.map { $0.count == 1 ? "\($0.gap)" : "\($0.gap)*\($0.count)" }
      let gaps = texts.isEmpty ? nil : texts.joined(separator: ",")
      list.append(RecoveryKeys(first: first.description, gaps: gaps))
    }
    for identifier in identifiers {
      if let gap = last?.gap(to: identifier) {
        if runs.last?.gap == gap {
          runs[runs.count - 1].count += 1
        } else {
          runs.append((gap, 1))
        }
      } else {
        finish()
        (first, runs) = (identifier, [])
      }
      last = identifier
    }
    finish()
    return list
  }

  /// The gaps and how often each occurs; nil if the text is of another form.
  private var runs: [(gap: UInt64, count: Int)]? {
    guard let gaps else { return [] }
    var runs: [(gap: UInt64, count: Int)] = []
    for part in gaps.split(separator: ",", omittingEmptySubsequences: false) {
      let numbers = part.split(separator: "*", omittingEmptySubsequences: false)
      guard let gap = UInt64(numbers[0]), gap > 0, gap < 1 << 40, numbers.count <= 2,
        let count = numbers.count == 2 ? Int(numbers[1]) : 1,
        (1...RecoveryGroup.limit).contains(count)
      else { return nil }
      runs.append((gap, count))
    }
    return runs
  }

  /// The number of keys; nil if the text is of another form.
  var count: Int? {
    guard let runs, runs.count <= RecoveryGroup.limit else { return nil }
    return runs.reduce(1) { $0 + $1.count }
  }

  /// The identifiers with these keys.
  func identifiers(
    in scope: IdentifierScope,
    from known: PersistentIdentifier? = nil
  ) -> [PersistentIdentifier] {
    var identifier = known ?? scope.identifier(parsing: first)
    var identifiers = [identifier]
    for (gap, count) in runs ?? [] {
      for _ in 0..<count {
        identifier = identifier.following(gap, in: scope)
        identifiers.append(identifier)
      }
    }
    return identifiers
  }
}

extension PersistentIdentifier {
  /// The distance of a later key that `following(_:in:)` can reach; nil if it cannot.
  fileprivate func gap(to other: PersistentIdentifier) -> UInt64? {
    guard other.words.high == words.high, identifierScope == other.identifierScope else {
      return nil
    }
    if let number = numberKey, let next = other.numberKey, next > number, number >= 0 {
      return UInt64(next - number)
    }
    guard recordKey != nil, other.recordKey != nil, other.words.low > words.low else { return nil }
    return other.words.low - words.low
  }

  fileprivate func following(_ gap: UInt64, in scope: IdentifierScope) -> PersistentIdentifier {
    if let number = numberKey { return scope.identifier(number: number &+ Int(gap)) }
    return scope.identifier(key: RecordKey(milliseconds: words.high, sequence: words.low &+ gap))
  }
}

/// A digest of values in the store, by which a recovery recognizes that they are still the same.
///
/// It does not depend on the process or the machine (FNV-1a, 64 bits).
struct RecoveryDigest {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  /// The fields by name, so that the order of the fields does not matter.
  private let fields: [(name: String, slot: Int)]
  private let changed: Set<String>?
  private let isWhole: Bool

  /// Prepares a digest of these fields, or of all if nil.
  ///
  /// - Parameters:
  ///   - layout: All fields.
  ///   - changed: The names of the fields.
  ///   - isWhole: True if a number may be on another record later, as one that is only a position in a file: then all values
  ///     show whether it is on the same one.
  init(_ layout: SnapshotLayout, _ changed: Set<String>?, isWhole: Bool) {
    fields = layout.names.enumerated().map { (name: $0.element, slot: $0.offset) }
      .sorted { $0.name < $1.name }
    self.changed = changed
    self.isWhole = isWhole
  }

  /// Adds a record.
  mutating func add(_ identifier: PersistentIdentifier, _ values: [Value]) {
    let isWhole = isWhole && identifier.numberKey != nil
    for (name, slot) in fields where isWhole || changed?.contains(name) ?? true {
      let value = values[slot]
      if value.isNull { continue }
      add(name)
      add(value)
    }
    add("")
  }

  private mutating func add(_ value: Value) {
    switch value {
    case .link(let link): add(link.description)
    case .links(let links): for link in links { add(link.description) }
    default: add(value.text)
    }
  }

  private mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      for byte in utf8 { add(byte) }
    }
    add(0xFF)
  }

  private mutating func add(_ byte: UInt8) {
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  var text: String { String(hash, radix: 36) }
}
