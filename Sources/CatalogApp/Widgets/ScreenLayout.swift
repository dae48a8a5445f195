/// The positions of the parts of a screen of a given size.
struct ScreenLayout: Hashable, Sendable {
  /// Smaller screens show a notice only.
  static let smallest = Size(columns: 40, rows: 6)

  let size: Size
  /// The header and the rows of the table.
  let table: Rect
  /// The values of the record under the cursor; nil when hidden.
  let details: Rect?

  init(size: Size, showsDetails: Bool) {
    self.size = size
    let body = Rect(x: 0, y: 0, width: size.columns, height: size.rows - 3)
    guard showsDetails, body.height >= 6 else {
      table = body
      details = nil
      return
    }
    if size.columns >= 120 {
      let width = min(60, size.columns / 3)
      table = Rect(x: 0, y: 0, width: body.width - width, height: body.height)
      details = Rect(x: body.width - width, y: 0, width: width, height: body.height)
    } else {
      let height = max(3, body.height * 2 / 5)
      table = Rect(x: 0, y: 0, width: body.width, height: body.height - height)
      details = Rect(x: 0, y: body.height - height, width: body.width, height: height)
    }
  }

  var isTooSmall: Bool {
    size.columns < Self.smallest.columns || size.rows < Self.smallest.rows
  }

  /// The rows of records that fit.
  var rowCount: Int { max(1, table.height - 1) }

  var statusLine: Int { size.rows - 3 }
  var hintLine: Int { size.rows - 2 }
  var messageLine: Int { size.rows - 1 }

  /// The cells before the first column that scrolls.
  static func frozenWidth(idWidth: Int) -> Int { 3 + idWidth + 2 }

  /// The cells for columns that scroll.
  func columnsWidth(idWidth: Int) -> Int {
    max(1, table.width - Self.frozenWidth(idWidth: idWidth) - 1)
  }

  /// A centered rectangle for a list with the given number of lines.
  func popup(width: Int, height: Int) -> Rect {
    let width = min(max(10, width), size.columns)
    let height = min(max(3, height), max(1, size.rows - 3))
    return Rect(
      x: (size.columns - width) / 2,
      y: max(0, (size.rows - 3 - height) / 2),
      width: width,
      height: height
    )
  }
}
