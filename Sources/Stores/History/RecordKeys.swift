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

  /// How much two versions of a record agree beside the key.
  func likeness(_ left: [String: String], _ right: [String: String]) -> RecordLikeness {
    var likeness = RecordLikeness()
    for name in Set(left.keys).union(right.keys).subtracting(fields) {
      let values = [left[name], right[name]]
      likeness.add(
        isEqual: values[0] == values[1],
        isWord: values.contains { $0.map { SpelledNumber($0.utf8) == nil } ?? false }
      )
    }
    return likeness
  }
}
