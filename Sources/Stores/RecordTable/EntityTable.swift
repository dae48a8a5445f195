import OpenSwiftData

/// The records of one entity, stored in columns.
///
/// A record is a row. A deleted record stays as a dead row until `compactRows()`, so that row
/// numbers are stable and a record restored under its identifier gets back its old position. Rows
/// with ascending keys, the usual case, need no index: their keys are found by binary search.
struct EntityTable: Sendable {
  /// The position of a new record whose key is smaller than existing ones.
  enum Placement: Sendable {
    /// At the end, which preserves the order of a file.
    case asAppended
    /// In key order, as long as all records are ordered by key.
    case byKey
  }

  private(set) var entity: Schema.Entity
  private(set) var keys: KeyColumn { didSet { forgetLookups() } }
  var columns: [Column] { didSet { forgetLookups() } }
  private(set) var live = Bitmap() { didSet { forgetLookups() } }
  private(set) var liveCount = 0
  /// The rows in natural order, dead ones included; nil if that is the order of their numbers.
  private(set) var order: [Int32]?
  /// True while the natural order is the key order.
  private(set) var isOrderedByKey = true
  /// True while the keys ascend from row to row; no index is needed then.
  private(set) var isAscending = true
  private(set) var index = HashIndex(capacity: 0)
  /// For each unique attribute an index of rows by value; nil for the others.
  private(set) var uniqueIndexes: [HashIndex?]
  /// The slots of the unique attributes; with them a row costs nothing for its other fields.
  private(set) var uniqueSlots: [Int]
  /// The rows by the values that are unique together; see `index(constraints:)`.
  var constraintIndexes: [ConstraintIndex] = []

  /// Identifies the numbers of the rows, which stay until the table is compacted.
  private(set) var numbering = RowNumbering()
  /// Indexes built by earlier queries; nil while the rows change.
  private(set) var lookups: LookupCache?

  init(_ entity: Schema.Entity, storeIdentifier: String) {
    self.entity = entity
    keys = KeyColumn(scope: IdentifierScope(store: storeIdentifier, entity: entity.name))
    let isWide = entity.fields.count > Column.wideFieldCount
    columns = entity.fields.map { Column($0.type, isWide: isWide) }
    uniqueIndexes = entity.fields.map { $0.isUnique ? HashIndex(capacity: 0) : nil }
    uniqueSlots = entity.fields.indices.filter { entity.fields[$0].isUnique }
  }

  /// The number of rows, including dead ones.
  var rowCount: Int { keys.count }

  /// True if columns do not need an index for every row.
  var isWide: Bool { columns.first?.isWide ?? false }
  @inline(__always)
  private mutating func forgetLookups() {
    if lookups != nil { lookups = nil }
  }

  /// Lets queries build indexes where that helps; called after the rows have changed.
  mutating func allowLookups() {
    if lookups == nil, rowCount >= 256 { lookups = LookupCache() }
  }

  /// Records that numbers up to this one were keys.
  mutating func note(greatestNumber number: Int) { keys.note(greatestNumber: number) }

  /// The row of an existing record.
  ///
  /// - Complexity: O(log n), or O(1) where the keys do not ascend.
  func row(of identifier: PersistentIdentifier) -> Int? {
    anyRow(of: identifier).flatMap { live[$0] ? $0 : nil }
  }

  func snapshot(at row: Int) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: keys[row],
      layout: entity.layout,
      orderedValues: columns.map { $0.value(at: row) }
    )
  }

  /// The columns that snapshots contain.
  struct Projection {
    let slots: [Int]
    let layout: SnapshotLayout
  }

  /// All columns.
  var wholeRecord: Projection {
    Projection(slots: Array(columns.indices), layout: entity.layout)
  }

  /// The columns of these attributes in this order; nil for all.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`.
  func projection(_ attributes: [String]?) throws -> Projection {
    guard let attributes else { return wholeRecord }
    return Projection(
      slots: try attributes.map { try slot(of: $0) },
      layout: SnapshotLayout(attributes)
    )
  }

  /// The records in these rows, in order, with the values of these columns.
  func snapshots(at rows: [Int32], as projection: Projection) -> [DefaultSnapshot] {
    snapshots(at: rows, as: projection, pausing: {})
  }

  /// The records in these rows, in order, with the values of these columns.
  ///
  /// Works column by column on some rows at a time: reading a column out of its array retains all
  /// of its arrays, which takes longer than reading a value. `pause` is called from time to time and throws to
  /// stop the work.
  func snapshots(
    at rows: [Int32],
    as projection: Projection,
    pausing pause: () throws -> Void
  ) rethrows -> [DefaultSnapshot] {
    let (slots, layout) = (projection.slots, projection.layout)
    let width = slots.count
    let block = min(64, max(rows.count, 1))
    let cells = UnsafeMutableBufferPointer<Value>.allocate(capacity: block * width)
    defer { cells.deallocate() }
    var snapshots: [DefaultSnapshot] = []
    snapshots.reserveCapacity(rows.count)
    for start in stride(from: 0, to: rows.count, by: block) {
      if start % (block << 8) == 0 { try pause() }
      let part = rows[start..<min(start + block, rows.count)]
      for position in slots.indices {
        let column = columns[slots[position]]
        for (place, row) in part.enumerated() {
          cells.initializeElement(at: place * width + position, to: column.value(at: Int(row)))
        }
      }
      for (place, row) in part.enumerated() {
        let values = Array<Value>(unsafeUninitializedCapacity: width) { values, count in
          count = values.moveInitialize(
            fromContentsOf: cells.extracting(place * width..<(place + 1) * width)
          )
        }
        snapshots.append(
          DefaultSnapshot(
            persistentIdentifier: keys[Int(row)],
            layout: layout,
            orderedValues: values
          )
        )
      }
    }
    return snapshots
  }

  /// Calls the body with every live row in natural order.
  func forEachRow(_ body: (Int) throws -> Void) rethrows {
    guard let order else { return try live.forEach(body) }
    for row in order where live[Int(row)] { try body(Int(row)) }
  }

  /// The row of an existing or deleted record.
  func anyRow(of identifier: PersistentIdentifier) -> Int? {
    if isAscending { return keys.search(identifier) }
    return index.row(hash: KeyColumn.hash(of: identifier)) { keys[$0] == identifier }
  }
}

// MARK: Rows

extension EntityTable {
  /// The row of a new record.
  struct NewRow {
    var row: Int
    /// True if the row of a deleted record with the same key is reused.
    var isRevived: Bool
  }

  /// Reserves rows, for keys of a kind if there are none yet.
  mutating func reserve(_ additional: Int, keys kind: KeyColumn.Kind? = nil) {
    if let kind { keys.expect(kind) }
    let capacity = rowCount + additional
    keys.reserve(capacity)
    live.reserve(capacity)
    for slot in columns.indices { columns[slot].reserve(capacity) }
  }

  /// Adds a row; nil if the record already exists.
  ///
  /// The caller must put a value or null into every column.
  mutating func addRow(_ identifier: PersistentIdentifier, _ placement: Placement) -> NewRow? {
    let row = rowCount
    let continues = isAscending && (row == 0 || keys.isAfter(row - 1, identifier))
    if !continues, let present = anyRow(of: identifier) {
      guard !live[present] else { return nil }
      live[present] = true
      liveCount += 1
      return NewRow(row: present, isRevived: true)
    }
    keys.append(identifier)
    live.append(true)
    liveCount += 1
    if !continues || !keys.isOrdered { leaveAscendingOrder(row, placement) }
    if !isAscending { addToIndex(row) }
    return NewRow(row: row, isRevived: false)
  }

  /// Adds rows in key order, for a caller that appends their values to every column.
  ///
  /// - Precondition: No row was ever there for any of the keys, unless it is still there.
  /// - Throws: `DuplicateKey` if a record exists; the table is unusable then.
  /// - Complexity: O(n), at the speed of copying for keys that ascend.
  mutating func addRows(_ added: KeyColumn) throws(DuplicateKey) {
    guard added.count > 0 else { return }
    let continues =
      isAscending && added.isAscending && (rowCount == 0 || keys.isAfter(rowCount - 1, added[0]))
    if continues {
      keys.append(contentsOf: added)
      live.append(repeating: true, count: added.count)
      liveCount += added.count
      return
    }
    for place in 0..<added.count {
      guard let new = addRow(added[place], .byKey) else {
        throw DuplicateKey(identifier: added[place])
      }
      precondition(!new.isRevived, "new rows follow the others")
    }
  }

  /// Fills an empty table with columns, and ascending keys for them.
  mutating func fill(_ keys: KeyColumn, _ columns: [Column]) {
    precondition(rowCount == 0 && uniqueSlots.isEmpty && keys.isAscending, "new rows in order")
    self.keys.append(contentsOf: keys)
    live.append(repeating: true, count: keys.count)
    liveCount = keys.count
    self.columns = columns
  }

  /// Takes over the rows of another table of the entity, if that needs no work for each of them.
  ///
  /// - Returns: False if nothing was done: the keys of the other table do not follow those here.
  /// - Complexity: O(1) for a table without rows, O(n) otherwise, at the speed of copying.
  mutating func adopt(_ other: EntityTable) -> Bool {
    if rowCount == 0, constraintIndexes.isEmpty {
      let former = keys
      self = other
      keys.note(greatestOf: former)
      return true
    }
    guard isAscending, other.isAscending, !isWide, other.liveCount == other.rowCount,
      keys.kind == other.keys.kind, rowCount > 0, keys.isAfter(rowCount - 1, other.keys[0])
    else { return false }
    let rows = rowCount..<rowCount + other.rowCount
    keys.append(contentsOf: other.keys)
    live.append(repeating: true, count: rows.count)
    liveCount += rows.count
    for slot in columns.indices { columns[slot].append(contentsOf: other.columns[slot]) }
    indexUniqueValues(rows)
    return true
  }

  /// Adds records under permanent identifiers, in their natural order.
  ///
  /// - Precondition: They were validated, and none exists yet.
  mutating func insert(_ snapshots: UnsafeBufferPointer<DefaultSnapshot>) {
    // For a few records the arrays grow on their own, by more than was requested.
    if snapshots.count > max(64, rowCount / 2) { reserve(snapshots.count) }
    var rows: [Int] = []
    rows.reserveCapacity(snapshots.count)
    for place in snapshots.indices {
      let identifier = snapshots[place].persistentIdentifier
      precondition(!identifier.isTemporary, "records are kept under permanent identifiers")
      guard let new = addRow(identifier, .byKey) else {
        preconditionFailure("validate the changes before applying them")
      }
      rows.append(new.row)
    }
    // Some rows at a time: their values are still in the cache for the next column.
    for start in stride(from: 0, to: rows.count, by: 64) {
      let part = start..<min(start + 64, rows.count)
      for slot in columns.indices {
        for place in part {
          columns[slot].put(snapshots[place].orderedValues[slot], at: rows[place])
        }
      }
    }
    indexUniqueValues(rows)
    mergeAddedRows()
  }

  /// Removes the last row, whose values may be incomplete.
  mutating func removeIncompleteRow() {
    let row = rowCount - 1
    for slot in columns.indices { columns[slot].remove(lastRow: row) }
    if live[row] { liveCount -= 1 }
    live.removeLast()
    keys.removeLast()
    if !isAscending { rebuildIndex() }
  }

  /// Replaces the keys of the rows.
  ///
  /// - Precondition: There is one key for each row, without duplicates, and no row is dead.
  mutating func replaceKeys(_ identifiers: [PersistentIdentifier]) {
    precondition(identifiers.count == rowCount && liveCount == rowCount)
    keys = KeyColumn(scope: keys.scope)
    keys.reserve(identifiers.count)
    isAscending = true
    for (row, identifier) in identifiers.enumerated() {
      if row > 0, !keys.isAfter(row - 1, identifier) { isAscending = false }
      keys.append(identifier)
    }
    isAscending = isAscending && keys.isOrdered
    isOrderedByKey = isAscending || identifiers.isEmpty
    order = nil
    if isAscending { index = HashIndex(capacity: 0) } else { rebuildIndex() }
  }

  mutating func kill(_ row: Int) {
    assert(live[row], "a record is deleted once")
    live[row] = false
    liveCount -= 1
  }

  /// Moves rows that were added out of order to their natural position.
  ///
  /// - Complexity: O(n) if there are any, O(1) otherwise.
  mutating func mergeAddedRows() {
    guard let inOrder = order, inOrder.count < rowCount else { return }
    guard keys.isOrdered else {
      order = inOrder + (inOrder.count..<rowCount).map { Int32($0) }
      isOrderedByKey = false
      return
    }
    let added = (inOrder.count..<rowCount).map { Int32($0) }
      .sorted { keys.precedes($0, $1) }
    var merged: [Int32] = []
    merged.reserveCapacity(rowCount)
    var next = 0
    for row in inOrder {
      while next < added.count, keys.precedes(added[next], row) {
        merged.append(added[next])
        next += 1
      }
      merged.append(row)
    }
    order = merged + added[next...]
  }

  private mutating func leaveAscendingOrder(_ row: Int, _ placement: Placement) {
    if isOrderedByKey, order == nil, row > 0 {
      if placement == .byKey, keys.isOrdered {
        order = (0..<row).map { Int32($0) }
      } else {
        isOrderedByKey = false
      }
    } else if row == 0 {
      isOrderedByKey = keys.isOrdered
    }
    if isAscending, !(row == 0 && keys.isOrdered) {
      isAscending = false
      rebuildIndex(upTo: row)
    }
  }
}

// MARK: Indexes

extension EntityTable {
  private mutating func addToIndex(_ row: Int) {
    if index.isFull { rebuildIndex(upTo: row) }
    index.insert(row, hash: KeyColumn.hash(of: keys[row]))
  }

  private mutating func rebuildIndex(upTo end: Int? = nil) {
    let end = end ?? rowCount
    index = HashIndex(capacity: end + end / 2 + 1)
    for row in 0..<end { index.insert(row, hash: KeyColumn.hash(of: keys[row])) }
  }

  /// Adds the value of a unique attribute to its index; called after it was put.
  mutating func indexUniqueValue(_ row: Int, slot: Int) {
    guard uniqueIndexes[slot] != nil, !columns[slot].isNull(row) else { return }
    if uniqueIndexes[slot]?.isFull ?? false {
      rebuildUniqueIndex(slot)
    } else {
      uniqueIndexes[slot]?.insert(row, hash: columns[slot].hash(at: row))
    }
  }

  mutating func indexUniqueValues(_ row: Int) {
    for slot in uniqueSlots { indexUniqueValue(row, slot: slot) }
    indexConstraints(row)
  }

  mutating func indexUniqueValues(_ rows: some Sequence<Int>) {
    guard !constraintIndexes.isEmpty || !uniqueSlots.isEmpty else { return }
    for row in rows { indexUniqueValues(row) }
  }

  private mutating func rebuildUniqueIndex(_ slot: Int) {
    var index = HashIndex(capacity: 2 * (liveCount + 1))
    live.forEach { row in
      guard columns[slot].isWide || row < columns[slot].count, !columns[slot].isNull(row) else {
        return
      }
      index.insert(row, hash: columns[slot].hash(at: row))
    }
    uniqueIndexes[slot] = index
  }

  /// The live row with this value of a unique attribute that passes the test.
  func row(holding value: Value, slot: Int, where test: (Int) -> Bool) -> Int? {
    uniqueIndexes[slot]?.row(hash: Column.hash(of: value)) { row in
      live[row] && columns[slot].holds(value, at: row) && test(row)
    }
  }
}

// MARK: Compacting and schema changes

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
    var rows: [Int32] = []
    rows.reserveCapacity(liveCount)
    forEachRow { rows.append(Int32($0)) }
    var numbers = [Int32](repeating: -1, count: rowCount)
    for (place, row) in rows.enumerated() { numbers[Int(row)] = Int32(place) }
    keys = keys.gathering(rows)
    columns = columns.map { $0.gathering(rows, isWide: $0.isWide) }
    live = Bitmap(repeating: true, count: rows.count)
    order = nil
    if rows.isEmpty { isOrderedByKey = true }
    isAscending = rows.isEmpty || (keys.isOrdered && isOrderedByKey)
    if isAscending { index = HashIndex(capacity: 0) } else { rebuildIndex() }
    for slot in uniqueSlots { rebuildUniqueIndex(slot) }
    rebuildConstraintIndexes()
    numbering = numbering.end(with: numbers)
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
