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
  init(_ name: Name, of table: EntityTable, _ spelling: FileSpelling) {
    fields = name.fields
    let slots = fields.map { table.entity.layout.slot(of: $0) }
    for row in table.rowsInOrder() {
      let key = slots.map { slot in
        slot.map { spelling.text(of: table.columns[$0].value(at: Int(row))) } ?? ""
      }
      if key.allSatisfy(\.isEmpty) { continue }
      records[key, default: []].append(table.keys[Int(row)])
    }
  }

  /// Gives a record other values, nil for one that does not exist.
  mutating func move(
    _ identifier: PersistentIdentifier,
    from former: [String: String]?,
    to values: [String: String]?
  ) {
    let (last, next) = (former.flatMap(key), values.flatMap(key))
    if last == next { return }
    if let last { records[last]?.removeAll { $0 == identifier } }
    if let next { records[next, default: []].append(identifier) }
  }

  /// The key of values that are spelled alike.
  func key(of values: [String: String]) -> [String]? {
    let texts = fields.map { values[$0] ?? "" }
    return texts.allSatisfy(\.isEmpty) ? nil : texts
  }

  /// True if less than half of the values beside the key agree.
  func isLittleAlike(_ left: [String: String], _ right: [String: String]) -> Bool {
    let others = Set(left.keys).union(right.keys).subtracting(fields)
    return 2 * others.count { left[$0] == right[$0] } < others.count
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
    return strength == .identifier
      || !(isLittleAlike(left, right) && hasWord && differing.count > 1)
  }
}
