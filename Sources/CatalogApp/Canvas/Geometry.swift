/// The extent of a screen or of a part of it, in terminal cells.
package struct Size: Hashable, Sendable {
  /// The number of cells in a row.
  package var columns: Int
  /// The number of rows.
  package var rows: Int

  /// Creates a size; negative extents count as zero.
  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }
}

/// A position on the screen, counted from the upper left corner.
package struct Point: Hashable, Sendable {
  /// The column, 0 at the left edge.
  package var x: Int
  /// The row, 0 at the top.
  package var y: Int

  /// Creates a point, which may be outside of any screen.
  package init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// A rectangle of cells: from `minX` and `minY` up to, not including, `maxX` and `maxY`.
package struct Rect: Hashable, Sendable {
  /// The upper left corner.
  package var origin: Point
  /// The extent.
  package var size: Size

  /// Creates a rectangle from its corner and extent.
  package init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// Creates a rectangle from four numbers; negative extents count as zero.
  package init(x: Int, y: Int, width: Int, height: Int) {
    self.init(origin: Point(x: x, y: y), size: Size(columns: width, rows: height))
  }

  /// The first column.
  package var minX: Int { origin.x }
  /// The first row.
  package var minY: Int { origin.y }
  /// The column after the last.
  package var maxX: Int { origin.x + size.columns }
  /// The row after the last.
  package var maxY: Int { origin.y + size.rows }
  /// The number of columns.
  package var width: Int { size.columns }
  /// The number of rows.
  package var height: Int { size.rows }
  /// True if the rectangle contains no cell.
  package var isEmpty: Bool { size.columns == 0 || size.rows == 0 }

  /// Tests whether the rectangle contains the cell at `point`.
  package func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  /// Returns the cells that both rectangles contain; an empty rectangle if there are none.
  package func intersection(_ other: Rect) -> Rect {
    let left = max(minX, other.minX)
    let top = max(minY, other.minY)
    return Rect(
      x: left,
      y: top,
      width: min(maxX, other.maxX) - left,
      height: min(maxY, other.maxY) - top
    )
  }
}
