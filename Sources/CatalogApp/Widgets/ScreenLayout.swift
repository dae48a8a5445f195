/// The positions of the parts of a screen of a given size.
struct ScreenLayout: Hashable, Sendable {
  /// Smaller screens show a notice only.
  static let smallest = Size(columns: 40, rows: 6)

  let size: Size
  /// The header and the rows of the table.
  let table: Rect
  /// True if the last line of the table tells what it shows.
  private let showsChips: Bool
  /// The values of the record under the cursor; nil when hidden.
  let details: Rect?

  /// The width from which on the details are next to the table.
  static let wide = 120

  /// Lays out a screen; without a wish for the details, they are shown where the whole table leaves room for them.
  init(
    size: Size,
    wantsDetails: Bool?,
    tableWidth: Int? = nil,
    showsChips: Bool = false,
    showsTabs: Bool = false
  ) {
    self.size = size
    self.showsChips = showsChips && size.rows >= Self.leastRowsForChips
    let top = showsTabs && size.rows >= Self.leastRowsForTabs ? 1 : 0
    let body = Rect(x: 0, y: top, width: size.columns, height: size.rows - 3 - top)
    let width = min(60, size.columns / 3)
    let isBeside = size.columns >= Self.wide
    let hasRoom = isBeside && tableWidth.map { $0 + width <= size.columns } ?? false
    guard wantsDetails ?? hasRoom, body.height >= 6 else {
      table = body
      details = nil
      return
    }
    if isBeside {
      table = Rect(x: 0, y: top, width: body.width - width, height: body.height)
      details = Rect(x: body.width - width, y: top, width: width, height: body.height)
    } else {
      let height = max(3, body.height * 2 / 5)
      table = Rect(x: 0, y: top, width: body.width, height: body.height - height)
      details = Rect(x: 0, y: table.maxY, width: body.width, height: height)
    }
  }

  var isTooSmall: Bool {
    size.columns < Self.smallest.columns || size.rows < Self.smallest.rows
  }

  /// The rows of records that fit.
  var rowCount: Int { max(1, (chipLine ?? table.maxY) - firstRow) }

  /// The line of the first record.
  var firstRow: Int { table.minY + 1 }

  /// The line under the records that tells what the table shows; nil if it shows everything as it is.
  ///
  /// The records above it stay where they are when it comes and goes.
  var chipLine: Int? { showsChips ? table.maxY - 1 : nil }

  /// The line with the entities; nil if there are not several of them.
  var tabLine: Int? { table.minY > 0 ? 0 : nil }

  /// Smaller screens keep the line for a record.
  private static let leastRowsForChips = 10
  private static let leastRowsForTabs = 16

  var statusLine: Int { size.rows - 3 }
  var hintLine: Int { size.rows - 2 }
  var messageLine: Int { size.rows - 1 }

  /// The cells before the first column; without a width, the identifiers are hidden.
  static func frozenWidth(idWidth: Int?) -> Int { idWidth.map { 3 + $0 + 2 } ?? 4 }

  /// The cells for columns that scroll.
  func columnsWidth(idWidth: Int?) -> Int {
    max(1, table.width - Self.frozenWidth(idWidth: idWidth) - 1)
  }

  /// The lower part of the table for a sheet with so many lines below its title, or as many as there is room for.
  func sheet(lines: Int) -> Rect {
    let height = min(max(1, lines), max(1, statusLine - 1)) + 1
    return Rect(x: 0, y: statusLine - height, width: size.columns, height: height)
  }
}
