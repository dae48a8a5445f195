import OpenSwiftData

/// The records of an entity by the values of fields, at a moment of the past.
struct RecordKeys {
  struct Name: Hashable {
    let entity: String
    let fields: [String]
  }

  private let fields: [String]
  private(set) var records: [[String]: [PersistentIdentifier]] = [:]

  /// Takes the records of a table.
  init(_ name: Name, of table: EntityTable) {
    fields = name.fields
    for row in table.rowsInOrder() {
      let snapshot = table.snapshot(at: Int(row))
      guard let key = snapshot.key(of: fields) else { continue }
      records[key, default: []].append(snapshot.persistentIdentifier)
    }
  }

  /// Gives a record other values; those of a record that does not exist are empty.
  mutating func move(
    _ identifier: PersistentIdentifier,
    from former: [String: String],
    to values: [String: String]
  ) {
    let (last, next) = (key(of: former), key(of: values))
    if last == next { return }
    if let last { records[last]?.removeAll { $0 == identifier } }
    if let next { records[next, default: []].append(identifier) }
  }

  /// The key of values that are spelled alike.
  func key(of values: [String: String]) -> [String]? {
    let texts = fields.map { values[$0] ?? "" }
    return texts.allSatisfy(\.isEmpty) ? nil : texts
  }

  /// False if hardly anything but the key agrees.
  func mayBeSame(
    _ left: [String: String],
    _ right: [String: String],
    _ strength: MatchingKey.Strength
  ) -> Bool {
    let others = Set(left.keys).union(right.keys).subtracting(fields)
    let differing = others.filter { left[$0] != right[$0] }
    let hasWord = differing.contains { name in
      [left[name], right[name]].contains { value in
        value.map { SpelledNumber($0.utf8) == nil } ?? false
      }
    }
    let equalCount = others.count - differing.count
    if others.count > 1, equalCount == 0, hasWord { return false }
    let isLess = 2 * equalCount < others.count
    return strength == .identifier || !(isLess && hasWord && differing.count > 1)
  }
}
