import OpenSwiftData

/// The records of one entity, stored in columns.
///
/// A record is a row. A deleted record stays as a dead row until `compact()`, so that row
/// numbers are stable and a record restored under its identifier gets back its old position. Rows
/// with ascending keys, the usual case, need no index: their keys are found by binary search.
struct EntityTable: Sendable {
  // The properties are set by this file and the other extensions of the table only.

  var entity: Schema.Entity { didSet { forgetLookups() } }
  var keys: KeyColumn { didSet { forgetLookups() } }
  var columns: [Column] { didSet { forgetLookups() } }
  var live = Bitmap() { didSet { forgetLookups() } }
  var liveCount = 0
  /// The rows in natural order, dead ones included; nil if that is the order of their numbers.
  var order: [Int32]?
  /// True while the natural order is the key order.
  var isOrderedByKey = true
  /// True while the keys ascend from row to row; no index is needed then.
  var isAscending = true
  var index = HashIndex(capacity: 0)
  /// For each unique attribute an index of rows by value; nil for the others.
  var uniqueIndexes: [HashIndex?]
  /// The slots of the unique attributes; with them a row costs nothing for its other fields.
  var uniqueSlots: [Int]
  /// The rows by the values that are unique together; see `index(constraints:)`.
  var constraintIndexes: [ConstraintIndex] = []

  /// Identifies the numbers of the rows, which stay until the table is compacted.
  var numbering = RowNumbering()
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

  /// The record in a row, with all values.
  func snapshot(at row: Int) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: keys[row],
      layout: entity.layout,
      orderedValues: columns.withUnsafeBufferPointer { columns in
        columns.indices.map { columns[$0].value(at: row) }
      }
    )
  }

  /// The record in a row, with the values of these columns.
  ///
  /// Columns are read where they are: reading one out of its array retains all of its arrays.
  func snapshot(at row: Int, as projection: Projection) -> DefaultSnapshot {
    let values = columns.withUnsafeBufferPointer { columns in
      projection.slots.map { columns[$0].value(at: row) }
    }
    return DefaultSnapshot(
      persistentIdentifier: keys[row],
      layout: projection.layout,
      orderedValues: values
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
    rows.count == 1
      ? [snapshot(at: Int(rows[0]), as: projection)]
      : snapshots(at: rows, as: projection, pausing: { _ in })
  }

  /// The records in these rows, in order, with the values of these columns.
  ///
  /// Works column by column on some rows at a time: reading a column out of its array retains all
  /// of its arrays, which takes longer than reading a value. `pause` is called from time to time with the number of
  /// records so far, and throws to stop the work.
  func snapshots(
    at rows: [Int32],
    as projection: Projection,
    pausing pause: (Int) throws -> Void
  ) rethrows -> [DefaultSnapshot] {
    let (slots, layout) = (projection.slots, projection.layout)
    let width = slots.count
    let block = min(64, max(rows.count, 1))
    let cells = UnsafeMutableBufferPointer<Value>.allocate(capacity: block * width)
    defer { cells.deallocate() }
    var snapshots: [DefaultSnapshot] = []
    snapshots.reserveCapacity(rows.count)
    for start in stride(from: 0, to: rows.count, by: block) {
      if start % (block << 8) == 0 { try pause(start) }
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

  /// True if no row is dead and the order of the rows is that of their numbers.
  var isInOrder: Bool { order == nil && liveCount == rowCount }

  /// The live rows in natural order.
  ///
  /// - Complexity: O(n).
  func rowsInOrder() -> [Int32] {
    var rows: [Int32] = []
    rows.reserveCapacity(liveCount)
    forEachRow { rows.append(Int32($0)) }
    return rows
  }

  /// The position of each row in natural order; -1 for dead rows.
  ///
  /// - Complexity: O(n).
  func positions(of rowsInOrder: [Int32]) -> [Int32] {
    var positions = [Int32](repeating: -1, count: rowCount)
    for (position, row) in rowsInOrder.enumerated() { positions[Int(row)] = Int32(position) }
    return positions
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
