import Foundation
import OpenSwiftData

/// Draws the header and the rows.
struct TableDrawing {
  let host: ScreenHost
  let geometry: TableGeometry
  /// True if a row that is not in the list has the cursor.
  var hidesCursor = false
  private var table: TableState { host.table }

  init(host: ScreenHost, geometry: TableGeometry) {
    self.host = host
    self.geometry = geometry
  }

  func draw(on canvas: inout Canvas) {
    drawHeader(on: &canvas)
    let area = geometry.area
    if let y = host.layout.chipLine { ChipLine.draw(on: &canvas, area, y: y, host) }
    drawLines(on: &canvas)
    if table.extent.count == 0 {
      let text =
        table.filter.isActive
        ? "no record matches the filter; press Esc to clear it"
        : host.noFieldReason ?? host.noRecordsText
      let point = Point(x: area.minX + 3, y: geometry.firstRow)
      canvas.write(DisplayText(text), at: point, width: max(0, area.width - 3), role: .dim)
    }
    if let place = geometry.place(row: table.row, column: table.column, table),
      table.extent.count > 0
    {
      canvas.cursor = place.point
    }
  }

  /// Draws the records and the headings of their groups; a line can be left free for a row that is not in the list.
  func drawLines(freeing free: Int? = nil, on canvas: inout Canvas) {
    let lines = table.lines(height: max(0, geometry.lastRow - geometry.firstRow))
    for (place, line) in lines.enumerated() {
      let y = geometry.firstRow + place + (free.map { $0 <= place } ?? false ? 1 : 0)
      guard y < geometry.lastRow else { return }
      switch line {
      case .heading(let row): drawHeading(of: row, isFolded: false, y: y, on: &canvas)
      case .folded(let row): drawHeading(of: row, isFolded: true, y: y, on: &canvas)
      case .record(let row):
        if let values = table.window[row] { draw(values, row: row, y: y, on: &canvas) }
      }
    }
  }

  /// Draws the line above the records of a group, or in place of them.
  private func drawHeading(of row: Int, isFolded: Bool, y: Int, on canvas: inout Canvas) {
    let area = geometry.area
    guard let text = table.heading(of: row, clippedTo: area.width) else { return }
    let isCurrent = isFolded && row == table.row && !hidesCursor
    let line = Rect(x: area.minX, y: y, width: area.width, height: 1)
    let role: Role = isCurrent ? .cursorRow : .normal
    canvas.fill(line, role: role)
    let start = canvas.write(
      DisplayText("\(isCurrent ? ">" : " ")\(isFolded ? "▸" : "▾") "),
      at: line.origin,
      role: role
    )
    let point = Point(x: start, y: y)
    let width = max(0, area.maxX - start)
    canvas.write(text, at: point, width: width, role: isCurrent ? .cursorCell : role)
  }

  private func drawHeader(on canvas: inout Canvas) {
    let area = geometry.area
    let y = area.minY
    canvas.fill(Rect(x: area.minX, y: y, width: area.width, height: 1), role: .header)
    if let width = geometry.idWidth, table.showsIdentifiers {
      canvas.write(
        DisplayText(table.entity?.identifierKey ?? "id"),
        at: Point(x: area.minX + 3, y: y),
        width: width,
        role: .header
      )
    }
    for column in geometry.columns {
      let shown = table.columns[column.index]
      let sign = sortSign(shown.name)
      let name = DisplayText(shown.heading).clipped(to: max(1, column.width - sign.width)) + sign
      let text = name.fitted(to: column.width, alignment: shown.alignment)
      canvas.write(
        text,
        at: Point(x: column.x, y: y),
        role: column.index == table.column
          ? .headerCurrent : sign.isEmpty ? .header : .headerSorted
      )
    }
    if table.left > geometry.stuckCount {
      let next = geometry.columns.dropFirst(geometry.stuckCount).first?.x ?? area.maxX
      canvas.write("‹", at: Point(x: next - 2, y: y), role: .header)
    }
    if geometry.continues {
      canvas.write("›", at: Point(x: area.maxX - 1, y: y), role: .header)
    }
  }

  private func sortSign(_ name: String) -> DisplayText {
    guard let place = table.sort.firstIndex(where: { $0.attribute == name }) else { return .empty }
    return DisplayText(" " + (table.sort[place].isDescending ? "▼" : "▲") + "\(place + 1)")
  }

  /// Draws a row on a line of the screen: one of the list, or an edited one that is no longer in the
  /// list.
  func draw(_ row: TableRow, row number: Int? = nil, y: Int, on canvas: inout Canvas) {
    let area = geometry.area
    let isCurrent = number == nil || number == table.row && !hidesCursor
    let isMarked = table.marks.contains(row.identifier) || number.map(isInRange) ?? false
    let line = Rect(x: area.minX, y: y, width: area.width, height: 1)
    let role: Role = isCurrent ? .cursorRow : isMarked ? .marked : .normal
    if role != .normal { canvas.fill(line, role: role) }
    let x = area.minX
    if isCurrent { canvas.write(">", at: Point(x: x, y: y), role: role) }
    if isMarked { canvas.write("*", at: Point(x: x + 1, y: y), role: .markSign) }
    canvas.write(
      isForeign(row) ? "!" : RowText.sign(row.pending),
      at: Point(x: x + 2, y: y),
      role: pendingRole(row.pending) ?? (isForeign(row) ? .foreign : role)
    )
    if let width = geometry.idWidth, table.showsIdentifiers || row.identifier.isTemporary {
      canvas.write(
        RowText.identifier(row.identifier),
        at: Point(x: x + 3, y: y),
        width: width,
        role: pendingRole(row.pending) ?? .dim
      )
    }
    for column in geometry.columns {
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
    let shown = table.columns[column.index]
    guard let value = shown.text(in: row, clippedTo: column.width, today: table.today) else {
      return
    }
    let point = Point(x: column.x, y: y)
    let role: Role
    if isCurrent, column.index == table.column {
      role = .cursorCell
    } else if let pending = row.pending, pending != .updated {
      role = pendingRole(pending) ?? rowRole
    } else {
      role = changeRole(of: column, in: row) ?? (value.role == .normal ? rowRole : value.role)
    }
    // The gutter has the sign of an unsaved change.
    if changeRole(of: column, in: row) == .foreign {
      canvas.write("!", at: Point(x: column.x - 1, y: y), role: role)
    }
    let after = table.cellsAfter(value.text, in: shown)
    let aligned =
      value.text.width + after <= column.width ? value.text + .spaces(after) : value.text
    let text = aligned.fitted(to: column.width, alignment: shown.alignment)
    canvas.write(text, at: point, role: role)
    if role == .normal, value.edges != (0, 0) {
      let missing = max(0, column.width - aligned.width)
      let start =
        switch shown.alignment {
        case .left: 0
        case .right: missing
        case .center: missing / 2
        }
      dimEdges(of: value, at: Point(x: point.x + start, y: y), on: &canvas)
    }
    if !table.search.isEmpty, role != .cursorCell {
      highlight(shown.name, in: text, at: point, on: &canvas)
    }
  }

  /// Dims the dots that stand for white space at the ends of a text.
  private func dimEdges(of value: ValueText, at point: Point, on canvas: inout Canvas) {
    let (leading, trailing) = value.edges
    canvas.setRole(.dim, Rect(x: point.x, y: point.y, width: leading, height: 1))
    let end = point.x + value.text.width
    canvas.setRole(.dim, Rect(x: end - trailing, y: point.y, width: trailing, height: 1))
  }

  private func highlight(
    _ column: String,
    in shown: DisplayText,
    at point: Point,
    on canvas: inout Canvas
  ) {
    let plain = shown.plain
    let search = SearchText(table.search, table.entity)
    guard let range = search.range(in: plain, of: column) else { return }
    let before = DisplayText(String(plain[..<range.lowerBound])).width
    let width = DisplayText(String(plain[range])).width
    canvas.setRole(
      .match,
      Rect(x: point.x + before, y: point.y, width: width, height: 1)
    )
  }

  /// True if another program changed the record and nobody has looked at it yet.
  private func isForeign(_ row: TableRow) -> Bool {
    row.pending == nil && table.unseen[row.identifier] != nil
  }

  /// The color of a cell whose value is not saved yet, or was changed by another program.
  private func changeRole(of column: TableGeometry.Column, in row: TableRow) -> Role? {
    let slots = table.columns[column.index].slots
    if !row.changed.isDisjoint(with: slots) { return .changed }
    return table.unseen[row.identifier].map { !$0.isDisjoint(with: slots) } ?? false
      ? .foreign : nil
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
