/// How a list looks: on a sheet over the table, or on a page in its place, with a title and columns.
struct ListLook: Sendable {
  /// A column of the list.
  struct Column: Sendable {
    /// Its heading; there is a line of headings if a column has one.
    var name = ""
    /// Its cells; nil for those that the other columns leave.
    var width: Int?
    var alignment = DisplayText.Alignment.left
  }

  /// The sheet; nil for a page.
  let sheet: Rect?
  private let title: String
  /// What stands in place of the lines if there are none.
  private let emptyText: String?
  private let columns: [Column]
  private let hasHeadings: Bool
  /// The cells of the lines.
  var lines: Rect
  /// The cells of the details below the lines of a page; nil without details or without room for them.
  private var details: Rect?

  /// Puts a list on a sheet.
  init(sheet: Rect, title: String, emptyText: String? = nil, _ columns: [Column] = [Column()]) {
    (self.sheet, self.title, self.emptyText, self.columns) = (sheet, title, emptyText, columns)
    lines = Sheet.inside(sheet)
    hasHeadings = columns.contains { !$0.name.isEmpty }
    if hasHeadings {
      lines.origin.y += 1
      lines.size.rows = max(1, lines.height - 1)
    }
  }

  /// Puts a list on a page, as far as the status line, and so many rows of details below it.
  init(
    page: ScreenLayout,
    title: String,
    details rows: Int = 0,
    emptyText: String? = nil,
    _ columns: [Column] = [Column()]
  ) {
    (sheet, self.title, self.emptyText, self.columns) = (nil, title, emptyText, columns)
    hasHeadings = false
    lines = Rect(x: 0, y: 1, width: page.size.columns, height: max(1, page.statusLine - 1))
    guard rows > 0, lines.height > 2 * rows else { return }
    lines.size.rows -= rows + 1
    details = Rect(x: 0, y: lines.maxY, width: lines.width, height: rows + 1)
  }

  var columnCount: Int { columns.count }

  /// The cells of a column.
  func width(ofColumn place: Int) -> Int {
    if let width = columns[place].width { return width }
    let others = columns.reduce(0) { $0 + ($1.width ?? 0) + 1 }
    return max(1, lines.width - markWidth - others + 1)
  }

  /// The cells of the sign before the selected line.
  private var markWidth: Int { sheet == nil ? 2 : 1 }

  /// Draws everything but the lines, of which some are visible.
  func drawFrame(on canvas: inout Canvas, _ visible: Range<Int>, of count: Int, isEmpty: Bool) {
    if let sheet {
      _ = Sheet.draw(on: &canvas, in: sheet, title: DisplayText(title))
      ScrollBar.draw(
        on: &canvas,
        x: sheet.maxX - 1,
        rows: lines.minY..<lines.maxY,
        first: visible.lowerBound,
        count: count,
        role: .border
      )
    } else {
      canvas.cursor = nil
      canvas.fill(Rect(x: 0, y: 0, width: canvas.size.columns, height: 1), role: .header)
      let point = Point(x: 1, y: 0)
      let width = canvas.size.columns - 1
      canvas.write(DisplayText(title), at: point, width: width, role: .header)
    }
    if hasHeadings {
      write(columns.map { ListCell($0.name) }, y: lines.minY - 1, .dim, on: &canvas)
    }
    if isEmpty, let emptyText {
      let point = Point(x: lines.minX + markWidth - 1, y: lines.minY)
      canvas.write(DisplayText(emptyText), at: point, width: lines.maxX - point.x, role: .dim)
    }
  }

  /// Draws a line in one of the rows, with a sign beside it if it is marked.
  func draw(
    _ cells: [ListCell],
    inRow row: Int,
    isSelected: Bool,
    isMarked: Bool,
    on canvas: inout Canvas
  ) {
    let role: Role = isSelected ? .cursorRow : isMarked ? .marked : .normal
    let y = lines.minY + row
    canvas.fill(Rect(x: lines.minX, y: y, width: lines.width, height: 1), role: role)
    canvas.write(isSelected ? ">" : " ", at: Point(x: lines.minX, y: y), role: role)
    // A sheet has a free cell before the sign of the selected line, a page one after it.
    let mark = Point(x: lines.minX + (sheet == nil ? 1 : -1), y: y)
    if isMarked { canvas.write("*", at: mark, role: .markSign) }
    write(cells, y: y, role, on: &canvas)
  }

  /// Draws the details of the selected line: each has the same room, and what the others leave of theirs.
  func draw(_ texts: [(label: String, text: DisplayText)], on canvas: inout Canvas) {
    guard let details, !texts.isEmpty else { return }
    let rule = DisplayText(String(repeating: "─", count: details.width))
    canvas.write(rule, at: details.origin, role: .border)
    let width = max(1, details.width - Self.labelWidth - 1)
    let parts = texts.map { $0.text.wrapped(to: width) }
    let share = max(1, (details.height - 1) / texts.count)
    var spare = details.height - 1 - parts.reduce(0) { $0 + min($1.count, share) }
    var y = details.minY + 1
    for ((label, _), parts) in zip(texts, parts) {
      canvas.write(DisplayText(label), at: Point(x: 1, y: y), role: .dim)
      let count = min(parts.count, share + max(0, spare))
      spare -= max(0, count - share)
      for part in parts.prefix(count) where y < details.maxY {
        canvas.write(part, at: Point(x: Self.labelWidth, y: y), role: .normal)
        y += 1
      }
    }
  }

  private static let labelWidth = 9

  /// Writes cells in their own roles, and the name of the selected line, its first word, as that of the cursor.
  private func write(_ cells: [ListCell], y: Int, _ role: Role, on canvas: inout Canvas) {
    var x = lines.minX + markWidth
    let name = role == .cursorRow ? cells.firstIndex { $0.role == nil && $0.isWord } : nil
    for (place, cell) in cells.enumerated() where x < lines.maxX {
      let width = min(self.width(ofColumn: place), lines.maxX - x)
      let text = DisplayText(cell.text, clippedTo: width)
        .padded(to: width, alignment: columns[place].alignment)
      canvas.write(text, at: Point(x: x, y: y), role: cell.role ?? role)
      if place == name {
        let shown = DisplayText(cell.text, clippedTo: width)
        let start = columns[place].alignment == .right ? width - shown.width : 0
        canvas.setRole(.cursorCell, Rect(x: x + start, y: y, width: shown.width, height: 1))
      }
      x += width + 1
    }
  }
}

/// A cell of a list.
struct ListCell: Sendable {
  let text: String
  /// Its role; nil for that of the line.
  let role: Role?

  init(_ text: String, _ role: Role? = nil) { (self.text, self.role) = (text, role) }

  /// False for signs alone.
  fileprivate var isWord: Bool { text.contains { $0.isLetter || $0.isNumber } }
}
