import OpenSwiftData

/// Finds rows by their values in several columns, which must be unique together.
struct ConstraintIndex: Sendable {
  /// The properties.
  let names: [String]
  /// Their columns.
  let slots: [Int]
  fileprivate var rows = HashIndex(capacity: 0)

  /// Nil if a property is missing from the entity or is a list, or if the only property is already
  /// unique.
  init?(_ names: [String], of entity: Schema.Entity) {
    let slots = names.compactMap { entity.layout.slot(of: $0) }
    let isList = slots.contains {
      if case .links = entity.fields[$0].type { true } else { false }
    }
    guard !slots.isEmpty, slots.count == names.count, !isList,
      slots.count > 1 || !entity.fields[slots[0]].isUnique
    else { return nil }
    self.names = names
    self.slots = slots
  }

  /// The values that must be unique together; nil if one is missing, because nulls never collide.
  func key(of values: [Value]) -> [Value]? {
    let key = slots.map { values[$0] }
    return key.contains(where: \.isNull) ? nil : key
  }

  private static func mixed(_ hash: UInt64, _ next: UInt64) -> UInt64 {
    (hash ^ (hash >> 29)) &* 0xBF58_476D_1CE4_E5B9 &+ next
  }

  fileprivate static func hash(of key: [Value]) -> UInt64 {
    key.reduce(0) { mixed($0, Column.hash(of: $1)) }
  }

  /// The hash of a row; nil if a value is missing.
  fileprivate func hash(at row: Int, in columns: [Column]) -> UInt64? {
    var hash: UInt64 = 0
    for slot in slots {
      if !columns[slot].isWide, row >= columns[slot].count { return nil }
      if columns[slot].isNull(row) { return nil }
      hash = Self.mixed(hash, columns[slot].hash(at: row))
    }
    return hash
  }
}

extension EntityTable {
  /// Maintains an index for each of these constraints that applies to the entity.
  ///
  /// - Complexity: O(n) if the constraints have changed, else O(1).
  mutating func index(constraints: [[String]]) {
    let wanted = constraints.compactMap { ConstraintIndex($0, of: entity) }
    guard wanted.map(\.names) != constraintIndexes.map(\.names) else { return }
    constraintIndexes = wanted
    rebuildConstraintIndexes()
  }

  mutating func rebuildConstraintIndexes() {
    for place in constraintIndexes.indices { rebuildConstraintIndex(place) }
  }

  private mutating func rebuildConstraintIndex(_ place: Int) {
    var index = constraintIndexes[place]
    index.rows = HashIndex(capacity: 2 * (liveCount + 1))
    live.forEach { row in
      if let hash = index.hash(at: row, in: columns) { index.rows.insert(row, hash: hash) }
    }
    constraintIndexes[place] = index
  }

  /// Adds a row to the indexes; called after its values were put.
  mutating func indexConstraints(_ row: Int) {
    for place in constraintIndexes.indices {
      guard let hash = constraintIndexes[place].hash(at: row, in: columns) else { continue }
      if constraintIndexes[place].rows.isFull {
        rebuildConstraintIndex(place)
      } else {
        constraintIndexes[place].rows.insert(row, hash: hash)
      }
    }
  }

  /// The live row that has the values and passes the test.
  func row(holding key: [Value], _ index: ConstraintIndex, where test: (Int) -> Bool) -> Int? {
    index.rows.row(hash: ConstraintIndex.hash(of: key)) { row in
      live[row] && test(row)
        && zip(index.slots, key).allSatisfy { columns[$0].holds($1, at: row) }
    }
  }
}
