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
  let idWidth: Int
  let columns: [Column]
  /// True when columns are hidden or cut on the right.
  let continues: Bool

  init(_ host: ScreenHost) {
    area = host.layout.table
    idWidth = host.table.idWidth
    var columns: [Column] = []
    var x = area.minX + ScreenLayout.frozenWidth(idWidth: idWidth)
    let end = area.maxX - 1
    var isCut = false
    var index = host.table.left
    while index < host.table.attributes.count, x + 3 <= end {
      let width = host.table.width(of: index)
      isCut = x + width > end
      columns.append(Column(index: index, x: x, width: min(width, end - x)))
      x += width + 2
      index += 1
    }
    self.columns = columns
    continues = isCut || index < host.table.attributes.count
  }

  /// The column under a cell of the screen.
  func column(at x: Int) -> Int? {
    columns.last { $0.x <= x && x < $0.x + $0.width + 1 }?.index
  }

  /// The row of the list under a cell of the screen.
  func row(at point: Point, _ table: TableState) -> Int? {
    guard area.contains(point), point.y > area.minY else { return nil }
    let row = table.top + point.y - area.minY - 1
    return row < table.extent.count ? row : nil
  }

  /// The cell of the screen where a cell of the table begins.
  func place(row: Int, column: Int, _ table: TableState) -> (point: Point, width: Int)? {
    guard let column = columns.first(where: { $0.index == column }) else { return nil }
    let y = area.minY + 1 + row - table.top
    guard y > area.minY, y < area.maxY else { return nil }
    return (Point(x: column.x, y: y), column.width)
  }
}
