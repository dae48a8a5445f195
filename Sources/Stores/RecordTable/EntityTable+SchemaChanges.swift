import OpenSwiftData

// Compacting and schema changes.
extension EntityTable {
  /// Removes dead rows and unreferenced bytes if they are more than half.
  ///
  /// - Returns: The new number of every former row, -1 for dead ones; nil if no number changed.
  /// - Complexity: O(n) if something is done.
  mutating func compact() -> [Int32]? {
    guard rowCount > 0, rowCount - liveCount > liveCount else {
      compactSideArrays()
      return nil
    }
    let rows = rowsInOrder()
    let numbers = positions(of: rows)
    numbering = numbering.end(with: numbers, keys: keys)
    keys = keys.gathering(rows)
    columns = columns.map { $0.gathering(rows, isWide: $0.isWide) }
    live = Bitmap(repeating: true, count: rows.count)
    order = nil
    if rows.isEmpty { isOrderedByKey = true }
    isAscending = rows.isEmpty || (keys.isOrdered && isOrderedByKey)
    if isAscending { index = HashIndex(capacity: 0) } else { rebuildIndex() }
    for slot in uniqueSlots { rebuildUniqueIndex(slot) }
    rebuildConstraintIndexes()
    return numbers
  }

  private mutating func compactSideArrays() {
    for slot in columns.indices {
      let column = columns[slot]
      let size = max(column.bytes.count, column.identifiers.count, column.decimals.count)
      if column.wastedCount > 1024, column.wastedCount > size / 2 {
        columns[slot] = column.gathering((0..<rowCount).map { Int32($0) }, isWide: column.isWide)
      }
    }
  }

  /// Adopts the entity after a schema change and moves the columns accordingly.
  ///
  /// - Complexity: O(n) for a new attribute, O(1) otherwise.
  mutating func apply(_ change: SchemaChange, _ changed: Schema.Entity) {
    constraintIndexes = []
    switch change {
    case .createEntity, .replaceSchema: break
    case .addAttribute(_, let attribute):
      columns.append(Column(filledWith: attribute.defaultValue, attribute.type, count: rowCount))
      uniqueIndexes.append(attribute.isUnique ? HashIndex(capacity: 0) : nil)
      entity = changed
      if attribute.isUnique { rebuildUniqueIndex(columns.count - 1) }
    case .renameAttribute: entity = changed
    case .dropAttribute(_, let name):
      guard let slot = entity.layout.slot(of: name) else { break }
      columns.remove(at: slot)
      uniqueIndexes.remove(at: slot)
      entity = changed
    }
    uniqueSlots = uniqueIndexes.indices.filter { uniqueIndexes[$0] != nil }
    updateWidths()
    assert(columns.count == changed.fields.count, "there is one column for each attribute")
  }

  /// Makes all columns wide, or none, depending on their number.
  private mutating func updateWidths() {
    let isWide = columns.count > Column.wideFieldCount
    guard columns.contains(where: { $0.isWide != isWide }) else { return }
    let rows = (0..<Int32(rowCount)).map { $0 }
    columns = columns.map { $0.isWide == isWide ? $0 : $0.gathering(rows, isWide: isWide) }
  }

  /// Adopts another entity; each of its fields keeps the column of its origin or gets its default.
  ///
  /// - Complexity: O(n) for each field that is new or newly unique, O(1) for others.
  mutating func rearrange(as changed: Schema.Entity, _ origins: [Int?]) {
    let (old, oldIndexes, former) = (columns, uniqueIndexes, entity)
    constraintIndexes = []
    entity = changed
    columns = zip(changed.fields, origins).map { field, origin in
      origin.map { old[$0] } ?? Column(filledWith: field.defaultValue, field.type, count: rowCount)
    }
    uniqueIndexes = zip(changed.fields, origins).map { field, origin in
      guard field.isUnique else { return nil }
      return origin.flatMap { former.fields[$0].isUnique ? oldIndexes[$0] : nil }
        ?? HashIndex(capacity: 0)
    }
    uniqueSlots = uniqueIndexes.indices.filter { uniqueIndexes[$0] != nil }
    for (slot, origin) in origins.enumerated() where changed.fields[slot].isUnique {
      if origin.map({ !former.fields[$0].isUnique }) ?? true { rebuildUniqueIndex(slot) }
    }
    updateWidths()
    assert(columns.count == changed.fields.count, "there is one column for each attribute")
  }
}

extension Column {
  /// Creates a column in which every row has the same value.
  init(filledWith value: Value, _ type: AttributeType, count: Int) {
    self.init(type)
    reserve(count)
    for row in 0..<count { put(value, at: row) }
  }
}
