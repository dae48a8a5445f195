import Foundation
import OpenSwiftData

/// Where the columns of the table stand.
struct TableGeometry {
  /// A column that is shown, at least in part.
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

  init(_ app: AppState) {
    area = app.layout.table
    idWidth = app.table.idWidth
    var columns: [Column] = []
    var x = area.minX + ScreenLayout.frozenWidth(idWidth: idWidth)
    let end = area.maxX - 1
    var isCut = false
    var index = app.table.left
    while index < app.table.attributes.count, x + 3 <= end {
      let width = app.table.width(of: index)
      isCut = x + width > end
      columns.append(Column(index: index, x: x, width: min(width, end - x)))
      x += width + 2
      index += 1
    }
    self.columns = columns
    continues = isCut || index < app.table.attributes.count
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

/// Draws the header and the rows.
struct TableDrawing {
  let app: AppState
  let geometry: TableGeometry
  private var table: TableState { app.table }

  init(app: AppState, geometry: TableGeometry) {
    self.app = app
    self.geometry = geometry
  }

  func draw(on canvas: inout Canvas) {
    drawHeader(on: &canvas)
    let area = geometry.area
    for line in 0..<max(0, area.height - 1) {
      let row = table.top + line
      guard row < table.extent.count, let values = table.window[row] else { continue }
      draw(values, row: row, y: area.minY + 1 + line, on: &canvas)
    }
    if table.extent.count == 0 {
      let text: DisplayText =
        table.filter.isActive
        ? "no record matches the filter; Esc clears it" : "no records yet; a adds one"
      let point = Point(x: area.minX + 3, y: area.minY + 1)
      canvas.write(text, at: point, width: max(0, area.width - 3), role: .dim)
    }
    if let place = geometry.place(row: table.row, column: table.column, table),
      table.extent.count > 0
    {
      canvas.cursor = place.point
    }
  }

  private func drawHeader(on canvas: inout Canvas) {
    let area = geometry.area
    let y = area.minY
    canvas.fill(Rect(x: area.minX, y: y, width: area.width, height: 1), role: .header)
    canvas.write(
      DisplayText(table.entity?.identifierKey ?? "id"),
      at: Point(x: area.minX + 3, y: y),
      width: geometry.idWidth,
      role: .header
    )
    for column in geometry.columns {
      let attribute = table.attributes[column.index]
      let sign = sortSign(attribute.name)
      let name = DisplayText(attribute.name).clipped(to: max(1, column.width - sign.width)) + sign
      let text = name.fitted(
        to: column.width,
        alignment: attribute.type.isNumeric ? .right : .left
      )
      canvas.write(
        text,
        at: Point(x: column.x, y: y),
        role: sign.isEmpty ? .header : .headerSorted
      )
    }
    if table.left > 0 {
      let x = area.minX + ScreenLayout.frozenWidth(idWidth: geometry.idWidth) - 2
      canvas.write("‹", at: Point(x: x, y: y), role: .header)
    }
    if geometry.continues {
      canvas.write("›", at: Point(x: area.maxX - 1, y: y), role: .header)
    }
  }

  private func sortSign(_ name: String) -> DisplayText {
    guard let place = table.sort.firstIndex(where: { $0.attribute == name }) else { return .empty }
    return DisplayText(" " + (table.sort[place].isDescending ? "▼" : "▲") + "\(place + 1)")
  }

  private func draw(_ row: TableRow, row number: Int, y: Int, on canvas: inout Canvas) {
    let area = geometry.area
    let isCurrent = number == table.row
    let isMarked = table.marks.contains(row.identifier) || isInRange(number)
    let line = Rect(x: area.minX, y: y, width: area.width, height: 1)
    let role: Role =
      isCurrent ? (isMarked ? .cursorMarked : .cursorRow) : isMarked ? .marked : .normal
    if role != .normal { canvas.fill(line, role: role) }
    let x = area.minX
    if isCurrent { canvas.write(">", at: Point(x: x, y: y), role: role) }
    if isMarked { canvas.write("*", at: Point(x: x + 1, y: y), role: role) }
    canvas.write(
      RowText.sign(row.pending),
      at: Point(x: x + 2, y: y),
      role: pendingRole(row.pending) ?? role
    )
    canvas.write(
      RowText.identifier(row.identifier),
      at: Point(x: x + 3, y: y),
      width: geometry.idWidth,
      role: pendingRole(row.pending) ?? (role == .normal ? .gutter : role)
    )
    for column in geometry.columns where row.values.indices.contains(column.index) {
      draw(row, column, y: y, isCurrent: isCurrent, rowRole: role, on: &canvas)
    }
  }

  private func draw(
    _ row: TableRow,
    _ column: TableGeometry.Column,
    y: Int,
    isCurrent: Bool,
    rowRole: Role,
    on canvas: inout Canvas
  ) {
    let value = ValueText(row.values[column.index], clippedTo: column.width)
    let point = Point(x: column.x, y: y)
    let alignment: DisplayText.Alignment = value.isRightAligned ? .right : .left
    let role: Role
    if isCurrent, column.index == table.column {
      role = .cursorCell
    } else if row.pending == .deleted {
      role = .deleted
    } else {
      role = rowRole == .normal ? value.role : rowRole
    }
    let text = value.text.fitted(to: column.width, alignment: alignment)
    canvas.write(text, at: point, role: role)
    if !table.search.isEmpty, role != .cursorCell {
      highlight(value.text, in: text, at: point, on: &canvas)
    }
  }

  private func highlight(
    _ value: DisplayText,
    in shown: DisplayText,
    at point: Point,
    on canvas: inout Canvas
  ) {
    let plain = shown.plain
    guard
      let range = plain.range(
        of: table.search,
        options: [.caseInsensitive, .diacriticInsensitive]
      )
    else { return }
    let before = DisplayText(String(plain[..<range.lowerBound])).width
    let width = DisplayText(String(plain[range])).width
    canvas.setRole(
      .match,
      Rect(x: point.x + before, y: point.y, width: width, height: 1)
    )
  }

  private func isInRange(_ row: Int) -> Bool {
    guard let anchor = table.anchor else { return false }
    return row >= min(anchor, table.row) && row <= max(anchor, table.row)
  }

  private func pendingRole(_ pending: ModelContext.PendingKind?) -> Role? {
    switch pending {
    case .inserted: .inserted
    case .updated: .changed
    case .deleted: .deleted
    case nil: nil
    }
  }
}

/// All values of the record under the cursor.
enum DetailsPane {
  static func draw(on canvas: inout Canvas, in area: Rect, _ app: AppState) {
    let isBeside = area.minX > 0
    var inner = area
    if isBeside {
      canvas.fill(
        Rect(x: area.minX, y: area.minY, width: 1, height: area.height),
        role: .border,
        character: "│"
      )
      inner = Rect(x: area.minX + 2, y: area.minY, width: area.width - 2, height: area.height)
    } else {
      canvas.fill(
        Rect(x: area.minX, y: area.minY, width: area.width, height: 1),
        role: .border,
        character: "─"
      )
      inner = Rect(
        x: area.minX + 1,
        y: area.minY + 1,
        width: area.width - 2,
        height: area.height - 1
      )
    }
    guard let row = app.table.currentRow, !inner.isEmpty else { return }
    var y = inner.minY
    if isBeside {
      let title = DisplayText(row.identifier.description)
      canvas.write(title, at: Point(x: inner.minX, y: y), width: inner.width, role: .title)
      y += 1
    }
    let names = app.table.attributes.map { DisplayText($0.name) }
    let label = min(names.map(\.width).max() ?? 0, inner.width / 3)
    // The field under the cursor is always among those shown.
    let room = inner.maxY - y
    let first = max(0, min(app.table.column - room + 1, names.count - room))
    for slot in first..<max(first, names.count) where row.values.indices.contains(slot) {
      guard y < inner.maxY else { break }
      let isCurrent = slot == app.table.column
      canvas.write(
        names[slot].clipped(to: label),
        at: Point(x: inner.minX, y: y),
        role: isCurrent ? .fieldFocused : .fieldLabel
      )
      let width = max(1, inner.width - label - 2)
      let lines = valueLines(row.values[slot], width: width, limit: isBeside ? 8 : 1)
      for line in lines where y < inner.maxY {
        canvas.write(
          line.text,
          at: Point(x: inner.minX + label + 2, y: y),
          width: width,
          role: line.role
        )
        y += 1
      }
    }
  }

  private static func valueLines(
    _ value: Value,
    width: Int,
    limit: Int
  ) -> [(text: DisplayText, role: Role)] {
    let shown = ValueText(value, clippedTo: width * limit)
    guard limit > 1 else { return [(shown.text.clipped(to: width), shown.role)] }
    return shown.text.wrapped(to: width).prefix(limit).map { ($0, shown.role) }
  }
}
