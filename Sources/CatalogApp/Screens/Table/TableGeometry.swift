import OpenSwiftData

/// The positions of the table columns.
struct TableGeometry {
  /// A column that is visible, at least in part.
  struct Column {
    let index: Int
    let x: Int
    let width: Int
  }

  let area: Rect
  /// The width of the identifiers; nil if they are hidden.
  let idWidth: Int?
  let columns: [Column]
  /// The line of the first record.
  let firstRow: Int
  /// The line after that of the last record.
  let lastRow: Int
  /// The number of frozen columns that stay on the left.
  let stuckCount: Int
  /// True when columns are hidden or cut on the right.
  let continues: Bool

  init(_ host: ScreenHost) {
    let layout = host.layout
    area = layout.table
    firstRow = layout.firstRow
    lastRow = layout.firstRow + layout.rowCount
    idWidth = host.table.idWidth
    let table = host.table
    let stuck = table.stuckColumns(before: table.left, width: host.columnsWidth)
    var columns: [Column] = []
    var x = area.minX + ScreenLayout.frozenWidth(idWidth: idWidth)
    let end = area.maxX - 1
    var isCut = false
    let moving = (table.left..<max(table.left, table.columns.count)).map {
      (index: $0, width: table.width(of: $0))
    }
    var waiting = (stuck + moving)[...]
    while let (index, width) = waiting.first, x + 3 <= end {
      isCut = x + width > end
      columns.append(Column(index: index, x: x, width: min(width, end - x)))
      x += width + 2
      waiting.removeFirst()
    }
    if !isCut, waiting.isEmpty { Self.widen(&columns, table, free: end - x + 2) }
    self.columns = columns
    stuckCount = stuck.count
    continues = isCut || !waiting.isEmpty
  }

  /// Gives free cells to the columns whose values are cut, the same number to each.
  private static func widen(_ columns: inout [Column], _ table: TableState, free: Int) {
    var added = columns.map { _ in 0 }
    let missing = columns.map { table.missingWidth(of: $0.index) }
    var free = free
    while free > 0 {
      let wanting = columns.indices.filter { added[$0] < missing[$0] }
      guard !wanting.isEmpty else { break }
      for place in wanting.prefix(free) {
        added[place] += 1
        free -= 1
      }
    }
    var shift = 0
    for place in columns.indices {
      let column = columns[place]
      columns[place] = Column(
        index: column.index,
        x: column.x + shift,
        width: column.width + added[place]
      )
      shift += added[place]
    }
  }

  /// The column whose right border is at a cell of the screen.
  func border(at x: Int) -> Column? {
    columns.last { $0.x + $0.width == x || $0.x + $0.width + 1 == x }
  }

  /// The column under a cell of the screen.
  func column(at x: Int) -> Int? {
    columns.first { $0.x <= x && x < $0.x + $0.width + 1 }?.index
  }

  /// The field of the record under the cursor that matches the search, if no match in the record is on the screen.
  func unseenMatch(_ table: TableState) -> String? {
    guard !table.search.isEmpty, let row = table.currentRow, let entity = table.entity else {
      return nil
    }
    let search = SearchText(table.search, entity)
    let isSeen = columns.contains { place in
      let column = table.columns[place.index]
      let text = column.text(in: row, clippedTo: place.width, today: table.today)?.text.plain
      return search.range(in: text ?? "", of: column.name) != nil
    }
    if isSeen { return nil }
    return zip(entity.fields, row.values).first { field, value in
      let text = ShownColumn.titles(of: value, in: row) ?? value.text
      return text.utf8.count <= Self.longestSearched
        && search.range(in: text, of: field.name) != nil
    }?.0.name
  }

  /// The size of the longest text that is searched when the screen is drawn.
  private static let longestSearched = 100_000

  /// The row of the list under a cell of the screen.
  func row(at point: Point, _ table: TableState) -> Int? {
    guard area.contains(point), point.y >= firstRow, point.y < lastRow else { return nil }
    let lines = table.lines(height: lastRow - firstRow)
    let line = point.y - firstRow
    return lines.indices.contains(line) ? lines[line].row : nil
  }

  /// The cell of the screen where a cell of the table begins.
  func place(row: Int, column: Int, _ table: TableState) -> (point: Point, width: Int)? {
    guard let column = columns.first(where: { $0.index == column }) else { return nil }
    let line =
      table.group == nil
      ? row - table.top
      : table.lines(height: lastRow - firstRow)
        .firstIndex { $0 == .record(row: row) || $0 == .folded(row: row) }
    guard let y = line.map({ firstRow + $0 }), y >= firstRow, y < lastRow else { return nil }
    return (Point(x: column.x, y: y), column.width)
  }
}
