package import OpenSwiftData

/// Reads cells of one entity without looking its table up for each, as the table was when the reader
/// was made.
package struct RowReader: Sendable {
  private let table: EntityTable

  init(_ table: EntityTable) { self.table = table }

  /// The entity with its attributes, whose places are the slots.
  package var entity: Schema.Entity { table.entity }

  /// The number of records.
  package var count: Int { table.liveCount }

  /// The record in a row.
  package func identifier(row: Int) -> PersistentIdentifier { table.keys[row] }

  /// True when a cell has no value.
  package func isNull(row: Int, slot: Int) -> Bool { table.columns[slot].nulls[row] }

  /// The value of a cell.
  package func value(row: Int, slot: Int) -> Value { table.columns[slot].value(at: row) }

  /// The whole number of a cell; 0 where there is none.
  package func integer(row: Int, slot: Int) -> Int64 {
    precondition(table.columns[slot].kind == .integer, "only integers have a whole number")
    return Int64(bitPattern: table.columns[slot].words[row])
  }

  /// The number of a cell, or the seconds since the reference date of a moment; 0 where there is none.
  package func number(row: Int, slot: Int) -> Double {
    let column = table.columns[slot]
    precondition(
      column.kind == .number || column.kind == .datetime,
      "only numbers and moments have a number"
    )
    return column.seconds(at: row)
  }

  /// True or false; false where there is no value.
  package func boolean(row: Int, slot: Int) -> Bool {
    precondition(table.columns[slot].kind == .boolean, "only booleans are true or false")
    return table.columns[slot].flags[row]
  }

  /// The day of a cell; 1970-01-01 where there is none.
  package func date(row: Int, slot: Int) -> CalendarDate {
    precondition(table.columns[slot].kind == .date, "only dates have a day")
    return CalendarDate(daysSince1970: table.columns[slot].days[row])
  }

  /// Lends the UTF-8 bytes of a text or JSON cell for the time of the call; empty when there is no
  /// value.
  @inline(__always)
  package func withText<Result>(
    row: Int,
    slot: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    precondition(
      table.columns[slot].kind == .text || table.columns[slot].kind == .json,
      "only text and JSON have bytes"
    )
    return try table.columns[slot].withText(at: row, body)
  }

  /// Calls the body with the row of every record in natural order.
  package func forEachRow(_ body: (Int) throws -> Void) rethrows { try table.forEachRow(body) }
}

extension RecordTable {
  /// A reader for one entity.
  ///
  /// - Precondition: The schema has the entity.
  package func reader(entity: String) -> RowReader { RowReader(tables[knownPlace(entity)]) }
}
