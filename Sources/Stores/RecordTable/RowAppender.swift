package import Foundation
package import OpenSwiftData

/// The error for a record that already exists.
package struct DuplicateKey: Error, Hashable, Sendable {
  /// The record.
  package let identifier: PersistentIdentifier
}

/// Appends records to one entity's table cell by cell, without a value or a string for each.
///
/// Rows are appended one at a time: `beginRow(key:)`, the cells in any order, `endRow()`. If a cell
/// is given twice, the last value counts; a cell that is not given has no value. Only keys are
/// validated.
package struct RowAppender: ~Copyable {
  var table: EntityTable
  private let placement: RecordTable.RowOrder
  private var row = 0
  private var isRevived = false
  private var isOpen = false

  init(_ table: EntityTable, _ placement: RecordTable.RowOrder) {
    self.table = table
    self.placement = placement
  }

  /// Starts the row of a record.
  ///
  /// - Returns: The number of the row.
  /// - Throws: `DuplicateKey` if the record exists; the appender is then ready for another record.
  /// - Complexity: O(1) for keys that ascend, O(1) expected otherwise.
  package mutating func beginRow(key identifier: PersistentIdentifier) throws(DuplicateKey) -> Int {
    precondition(!isOpen, "a row ends before the next begins")
    guard let new = table.addRow(identifier, placement) else {
      throw DuplicateKey(identifier: identifier)
    }
    row = new.row
    isRevived = new.isRevived
    isOpen = true
    if isRevived {
      for slot in table.columns.indices { table.columns[slot].putNull(at: row) }
    }
    return row
  }

  /// Starts a row whose cells the caller appends to each column itself; see `withColumn`.
  ///
  /// - Throws: `DuplicateKey` if the record exists.
  mutating func addRow(key identifier: PersistentIdentifier) throws(DuplicateKey) -> Int {
    precondition(!isOpen, "a row ends before the next begins")
    guard let new = table.addRow(identifier, placement), !new.isRevived else {
      throw DuplicateKey(identifier: identifier)
    }
    return new.row
  }

  /// Lends a column, which is empty in the table during the call.
  mutating func withColumn(_ slot: Int, _ body: (inout Column) -> Void) {
    var column = Column(table.columns[slot].kind, isWide: table.columns[slot].isWide)
    swap(&column, &table.columns[slot])
    body(&column)
    swap(&column, &table.columns[slot])
  }

  /// Ends rows that `addRow` started.
  mutating func indexRows(from first: Int) {
    assert(table.columns.allSatisfy { $0.count == table.rowCount }, "every column has every row")
    if table.uniqueSlots.isEmpty, table.constraintIndexes.isEmpty { return }
    for row in first..<table.rowCount { table.indexUniqueValues(row) }
  }

  /// Ends the row; cells that were not given become null.
  package mutating func endRow() {
    precondition(isOpen, "a row begins before it ends")
    if !table.isWide {
      for slot in table.columns.indices where table.columns[slot].count == row {
        table.columns[slot].putNull(at: row)
      }
    }
    table.indexUniqueValues(row)
    isOpen = false
  }

  /// Sets a cell to a whole number, or to a value with the same layout.
  package mutating func append(integer value: Int64, slot: Int) {
    check(slot, .whole)
    table.columns[slot].put(word: UInt64(bitPattern: value), at: row)
  }

  /// Sets a cell to a number, or to a moment in seconds since the reference date of `Date`.
  package mutating func append(number value: Double, slot: Int) {
    check(slot, .float)
    table.columns[slot].put(word: value.bitPattern, at: row)
  }

  /// Sets a cell to true or false.
  package mutating func append(boolean value: Bool, slot: Int) {
    check(slot, .flag)
    table.columns[slot].put(boolean: value, at: row)
  }

  /// Sets a cell to a text or JSON; the bytes must be valid UTF-8 and are copied.
  package mutating func append(utf8 text: UnsafeBufferPointer<UInt8>, slot: Int) {
    check(slot, .bytes)
    table.columns[slot].put(utf8: text, at: row)
  }

  /// Sets a cell to a date.
  package mutating func append(date value: CalendarDate, slot: Int) {
    check(slot, .days)
    table.columns[slot].put(days: value.daysSince1970, at: row)
  }

  /// Sets a cell to a decimal.
  package mutating func append(decimal value: Decimal, slot: Int) {
    check(slot, .decimal)
    table.columns[slot].put(decimal: value, at: row)
  }

  /// Sets a cell to a UUID.
  package mutating func append(uuid value: UUID, slot: Int) {
    check(slot, .pair)
    table.columns[slot].put(uuid: value, at: row)
  }

  /// Sets a cell to a reference.
  package mutating func append(link value: PersistentIdentifier, slot: Int) {
    check(slot, .link)
    table.columns[slot].put(link: value, at: row)
  }

  /// Sets a cell to a list of references.
  package mutating func append(links values: [PersistentIdentifier], slot: Int) {
    check(slot, .links)
    table.columns[slot].put(links: values, at: row)
  }

  /// Sets a cell to a value of its kind, or to null.
  package mutating func append(_ value: Value, slot: Int) {
    table.columns[slot].put(value, at: row)
  }

  /// Removes an unfinished row, and returns the table.
  consuming func finish() -> EntityTable {
    if isOpen {
      if isRevived { table.kill(row) } else { table.removeIncompleteRow() }
    }
    table.mergeAddedRows()
    return table
  }

  @inline(__always)
  private func check(_ slot: Int, _ layout: ValueKind.Layout) {
    precondition(table.columns[slot].layout == layout, "a cell gets a value of its column's kind")
  }
}

extension RecordTable {
  /// Where an appender inserts records whose keys do not ascend.
  package enum RowOrder: Sendable {
    /// In the order in which they are appended, which preserves the order of a file.
    case asAppended
    /// In key order, as with `apply(_:)`: the order of a log.
    case byKey
  }

  /// Lends an appender for one entity.
  ///
  /// Finished rows remain if the body throws.
  ///
  /// - Precondition: The schema has the entity.
  package mutating func withAppender(
    entity: String,
    reserving count: Int = 0,
    order: RowOrder = .asAppended,
    _ body: (inout RowAppender) throws -> Void
  ) rethrows {
    guard let place = place(of: entity) else {
      preconditionFailure("the schema has no entity \(entity)")
    }
    // Moves the table out while the appender has it: with two owners it would copy itself.
    let vacancy = EntityTable(tables[place].entity, storeIdentifier: storeIdentifier)
    var appender = RowAppender(
      exchange(place, for: vacancy),
      order == .byKey ? .byKey : .asAppended
    )
    if count > 0 { appender.table.reserve(count) }
    do {
      try body(&appender)
    } catch {
      tables[place] = appender.finish()
      throw error
    }
    tables[place] = appender.finish()
    finishChange()
  }

  private mutating func exchange(_ place: Int, for other: EntityTable) -> EntityTable {
    var table = other
    swap(&table, &tables[place])
    return table
  }
}
