package import OpenSwiftData

/// Reads cells of one entity without looking up its table for each.
///
/// It reads the table as it was when the reader was created.
package struct RowReader: Sendable {
  private let table: EntityTable

  init(_ table: EntityTable) { self.table = table }

  /// The record in a row.
  package func identifier(row: Int) -> PersistentIdentifier { table.keys[row] }

  /// True if a cell has no value.
  package func isNull(row: Int, slot: Int) -> Bool { table.columns[slot].isNull(row) }

  /// The value of a cell.
  package func value(row: Int, slot: Int) -> Value { table.columns[slot].value(at: row) }

  /// Lends the UTF-8 bytes of a text or JSON cell for the duration of the call; empty without a
  /// value.
  @inline(__always)
  package func withText<Result>(
    row: Int,
    slot: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    precondition(table.columns[slot].layout == .bytes, "only text and JSON have bytes")
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
