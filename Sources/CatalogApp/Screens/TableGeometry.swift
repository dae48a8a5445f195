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
  /// The number of frozen columns that stay on the left.
  let stuckCount: Int
  /// True when columns are hidden or cut on the right.
  let continues: Bool

  init(_ host: ScreenHost) {
    let layout = host.layout
    area = layout.table
    firstRow = layout.firstRow
    idWidth = host.table.idWidth
    let table = host.table
    let stuck = table.stuckColumns(before: table.left, width: host.columnsWidth)
    var columns: [Column] = []
    var x = area.minX + ScreenLayout.frozenWidth(idWidth: idWidth)
    let end = area.maxX - 1
    var isCut = false
    var waiting = stuck[...] + Array(table.left..<max(table.left, table.columns.count))
    while let index = waiting.first, x + 3 <= end {
      let width = table.width(of: index)
      isCut = x + width > end
      columns.append(Column(index: index, x: x, width: min(width, end - x)))
      x += width + 2
      waiting.removeFirst()
    }
    self.columns = columns
    stuckCount = stuck.count
    continues = isCut || !waiting.isEmpty
  }

  /// The column whose right border is at a cell of the screen.
  func border(at x: Int) -> Column? {
    columns.last { $0.x + $0.width == x || $0.x + $0.width + 1 == x }
  }

  /// The column under a cell of the screen.
  func column(at x: Int) -> Int? {
    columns.first { $0.x <= x && x < $0.x + $0.width + 1 }?.index
  }

  /// The row of the list under a cell of the screen.
  func row(at point: Point, _ table: TableState) -> Int? {
    guard area.contains(point), point.y >= firstRow else { return nil }
    let row = table.top + point.y - firstRow
    return row < table.extent.count ? row : nil
  }

  /// The cell of the screen where a cell of the table begins.
  func place(row: Int, column: Int, _ table: TableState) -> (point: Point, width: Int)? {
    guard let column = columns.first(where: { $0.index == column }) else { return nil }
    let y = firstRow + row - table.top
    guard y >= firstRow, y < area.maxY else { return nil }
    return (Point(x: column.x, y: y), column.width)
  }
}
