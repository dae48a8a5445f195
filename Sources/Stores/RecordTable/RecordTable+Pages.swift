package import OpenSwiftData

extension RecordTable {
  /// Calls the body with the records that match, in order, page by page.
  ///
  /// - Throws: As `snapshots(matching:)`, and what the body throws.
  /// - Complexity: O(n) over the columns that the query uses; a page costs O(1) in the number of values.
  package func forEachPage(
    matching query: Query,
    _ body: (any RecordPage) throws -> Void
  ) throws {
    let rows = try rows(matching: query)
    let table = tables[knownPlace(query.entityName)]
    let size = table.entity.layout.pageCount(atMost: TablePage.sizeLimit)
    let counter = WorkCounter(of: rows.count)
    for start in stride(from: 0, to: rows.count, by: size) {
      try counter.advance(to: start)
      let end = min(start + size, rows.count)
      try body(TablePage(table, rows[start..<end]))
    }
    try counter.advance(to: rows.count)
  }

  /// The existing ones of these records of one entity, in order.
  ///
  /// - Complexity: O(1) for a record that follows the one before it, else O(log n).
  package func page(for identifiers: [PersistentIdentifier]) -> any RecordPage {
    guard let first = identifiers.first, let place = place(of: first.entityName) else {
      return SnapshotPage([], layout: SnapshotLayout([]))
    }
    let table = tables[place]
    var rows: [Int32] = []
    rows.reserveCapacity(identifiers.count)
    var next = 0
    for identifier in identifiers {
      if next < table.rowCount, table.keys[next] == identifier {
        if table.live[next] { rows.append(Int32(next)) }
        next += 1
      } else if let row = table.row(of: identifier) {
        rows.append(Int32(row))
        next = row + 1
      }
    }
    return TablePage(table, rows[...])
  }
}

/// Some rows of a table.
private struct TablePage: RecordPage {
  static let sizeLimit = 2048

  private let table: EntityTable
  private let rows: ArraySlice<Int32>

  init(_ table: EntityTable, _ rows: ArraySlice<Int32>) {
    self.table = table
    self.rows = rows
  }

  var count: Int { rows.count }
  var layout: SnapshotLayout { table.entity.layout }

  func identifier(at place: Int) -> PersistentIdentifier {
    table.keys[Int(rows[rows.startIndex + place])]
  }

  private func rows(in range: Range<Int>) -> ArraySlice<Int32> {
    rows[rows.startIndex + range.lowerBound..<rows.startIndex + range.upperBound]
  }

  func snapshots(in range: Range<Int>) -> [DefaultSnapshot] {
    table.snapshots(at: Array(rows(in: range)), as: table.wholeRecord)
  }

  func values(slot: Int) -> [Value] {
    let column = table.columns[slot]
    return rows.map { column.value(at: Int($0)) }
  }

  func append(_ range: Range<Int>, slot: Int, to column: inout TextColumn) {
    CellText.append(rows(in: range), of: table.columns[slot], to: &column)
  }

  func appendIdentifiers(_ range: Range<Int>, to column: inout TextColumn) {
    CellText.append(rows(in: range), of: table.keys, to: &column)
  }
}
