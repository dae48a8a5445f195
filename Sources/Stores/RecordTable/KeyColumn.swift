import OpenSwiftData

/// The keys of all rows of an entity: 8 bytes a row for numbers, 16 for record keys and UUIDs, 24 once
/// there are texts or several kinds.
struct KeyColumn: Sendable {
  /// The array that holds the keys.
  enum Kind: Sendable {
    case integer, record, uuid, mixed
  }

  struct Pair: Equatable, Sendable {
    var high: UInt64
    var low: UInt64
  }

  let scope: IdentifierScope
  private(set) var count = 0
  private(set) var kind = Kind.record
  private(set) var numbers: [Int] = []
  private(set) var pairs: [Pair] = []
  private(set) var identifiers: [PersistentIdentifier] = []
  /// The greatest number that was ever a key here.
  private(set) var greatestNumber = 0
  /// The greatest record key that was ever a key here.
  private(set) var greatestKey = RecordKey(milliseconds: 0, sequence: 0)

  init(scope: IdentifierScope) {
    self.scope = scope
  }

  subscript(row: Int) -> PersistentIdentifier {
    switch kind {
    case .integer: scope.identifier(number: numbers[row])
    case .record:
      scope.identifier(
        key: RecordKey(milliseconds: pairs[row].high, sequence: pairs[row].low)
      )
    case .uuid: scope.identifier(uuid: .init(high: pairs[row].high, low: pairs[row].low))
    case .mixed: identifiers[row]
    }
  }

  /// Expects keys of a kind, if there are no others yet.
  mutating func expect(_ kind: Kind) {
    if count == 0 { self.kind = kind }
  }

  /// The number of keys for which there is room.
  var capacity: Int {
    switch kind {
    case .integer: numbers.capacity
    case .record, .uuid: pairs.capacity
    case .mixed: identifiers.capacity
    }
  }

  /// Reserves keys, of which as many as expected will soon be there.
  mutating func reserve(_ capacity: Int, expecting expected: Int = 0) {
    switch kind {
    case .integer: numbers.reserveCapacity(capacity, expecting: expected)
    case .record, .uuid: pairs.reserveCapacity(capacity, expecting: expected)
    case .mixed: identifiers.reserveCapacity(capacity)
    }
  }

  mutating func append(_ identifier: PersistentIdentifier) {
    let kind = Self.kind(of: identifier)
    if count == 0 { self.kind = kind } else if kind != self.kind { mix() }
    switch self.kind {
    case .integer: numbers.append(identifier.numberKey ?? 0)
    case .record, .uuid:
      pairs.append(Pair(high: identifier.words.high, low: identifier.words.low))
    case .mixed: identifiers.append(identifier)
    }
    if let number = identifier.numberKey { greatestNumber = max(greatestNumber, number) }
    if let key = identifier.recordKey { greatestKey = max(greatestKey, key) }
    count += 1
  }

  /// Creates a column of numbers.
  init(scope: IdentifierScope, numbers: [Int]) {
    self.init(scope: scope)
    kind = .integer
    count = numbers.count
    greatestNumber = max(0, numbers.max() ?? 0)
    self.numbers = numbers
  }

  /// Creates a column of record keys or of UUIDs.
  init(scope: IdentifierScope, kind: Kind, pairs: [Pair]) {
    precondition(kind == .record || kind == .uuid, "only these keys are pairs")
    self.init(scope: scope)
    self.kind = kind
    count = pairs.count
    self.pairs = pairs
    guard kind == .record else { return }
    let greatest = pairs.max { ($0.high, $0.low) < ($1.high, $1.low) }
    guard let greatest else { return }
    greatestKey = RecordKey(milliseconds: greatest.high, sequence: greatest.low)
  }

  /// True if the keys have an order and ascend from row to row.
  ///
  /// - Complexity: O(n).
  var isAscending: Bool {
    switch kind {
    case .integer: Self.ascend(numbers) { $0 < $1 }
    case .record: Self.ascend(pairs) { ($0.high, $0.low) < ($1.high, $1.low) }
    case .uuid, .mixed: false
    }
  }

  @inline(__always)
  private static func ascend<Key>(_ keys: [Key], _ precedes: (Key, Key) -> Bool) -> Bool {
    keys.withUnsafeBufferPointer { keys in
      guard keys.count > 1 else { return true }
      return (1..<keys.count).allSatisfy { precedes(keys[$0 - 1], keys[$0]) }
    }
  }

  /// Appends keys of the same kind, or any keys if there are none yet.
  ///
  /// - Complexity: O(n).
  mutating func append(contentsOf other: KeyColumn) {
    precondition(count == 0 || kind == other.kind, "keys of one kind")
    kind = other.kind
    count += other.count
    numbers += other.numbers
    pairs += other.pairs
    identifiers += other.identifiers
    note(greatestOf: other)
  }

  /// The same keys in another store; nil if they do not ascend from row to row.
  ///
  /// - Complexity: O(n).
  func moved(to scope: IdentifierScope) -> KeyColumn? {
    guard isAscending else { return nil }
    var result = KeyColumn(scope: scope)
    result.append(contentsOf: self)
    return result
  }

  /// Records that the keys of another column were keys here.
  mutating func note(greatestOf other: KeyColumn) {
    greatestNumber = max(greatestNumber, other.greatestNumber)
    greatestKey = max(greatestKey, other.greatestKey)
  }

  mutating func note(greatestNumber number: Int) {
    greatestNumber = max(greatestNumber, number)
  }

  mutating func removeLast() {
    count -= 1
    switch kind {
    case .integer: numbers.removeLast()
    case .record, .uuid: pairs.removeLast()
    case .mixed: identifiers.removeLast()
    }
  }

  /// The keys of these rows in this order; keeps the greatest keys ever assigned.
  ///
  /// Keys of several kinds of which only one is left become keys of that kind, as in a table that never had others.
  func gathering(_ rows: [Int32]) -> KeyColumn {
    var result = self
    result.count = rows.count
    if kind == .mixed {
      result.count = 0
      result.identifiers = []
      for row in rows { result.append(identifiers[Int(row)]) }
      return result
    }
    result.numbers = kind == .integer ? rows.map { numbers[Int($0)] } : []
    result.pairs = kind == .integer ? [] : rows.map { pairs[Int($0)] }
    return result
  }

  /// True if the keys have an order that is the order of their creation.
  var isOrdered: Bool { kind == .integer || kind == .record }

  /// True if the key comes after that of the row; false for kinds of keys without an order.
  func isAfter(_ row: Int, _ identifier: PersistentIdentifier) -> Bool {
    switch kind {
    case .integer: identifier.numberKey.map { $0 > numbers[row] } ?? false
    case .record:
      identifier.recordKey != nil
        && (identifier.words.high, identifier.words.low) > (pairs[row].high, pairs[row].low)
    case .uuid, .mixed: false
    }
  }

  /// True if the key of the left row is smaller; only for kinds of keys with an order.
  func precedes(_ left: Int32, _ right: Int32) -> Bool {
    if kind == .integer { return numbers[Int(left)] < numbers[Int(right)] }
    let (one, other) = (pairs[Int(left)], pairs[Int(right)])
    return (one.high, one.low) < (other.high, other.low)
  }

  /// The row of the key, if the keys of the rows ascend.
  ///
  /// - Complexity: O(log n).
  func search(_ identifier: PersistentIdentifier) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isAfter(middle, identifier) { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == identifier ? low : nil
  }

  static func hash(of identifier: PersistentIdentifier) -> UInt64 {
    let (high, low) = identifier.words
    // Multiplied, since digits in both words of a text would cancel each other out.
    return low ^ (high &* 0x9E37_79B9_7F4A_7C15)
  }

  private mutating func mix() {
    guard kind != .mixed else { return }
    identifiers = (0..<count).map { self[$0] }
    kind = .mixed
    numbers = []
    pairs = []
  }

  private static func kind(of identifier: PersistentIdentifier) -> Kind {
    if identifier.recordKey != nil { return .record }
    if identifier.numberKey != nil { return .integer }
    return identifier.uuidKey != nil ? .uuid : .mixed
  }
}
