import Foundation
import OpenSwiftData

/// What the details pane shows while it has the keys.
struct DetailsView: Hashable, Sendable {
  /// The line of the cursor.
  var cursor = 0
  /// The parts of JSON that are not as they are at first.
  var folds: Set<DetailsFold> = []
  /// The text that is looked for; empty for none.
  var search = ""
}

/// All values of the record under the cursor.
enum DetailsPane {
  /// The longest value that is shown to a pane without the keys, and to one with them, in lines.
  private static let mostLines = 500

  /// The row that the pane shows; nil for none.
  static func row(_ host: ScreenHost) -> TableRow? {
    host.openScreens.unlistedRow ?? host.table.currentRow
  }

  /// The cells for the lines.
  static func inside(_ area: Rect) -> Rect {
    let isBeside = area.minX > 0
    return Rect(
      x: area.minX + (isBeside ? 2 : 1),
      y: area.minY + 1,
      width: area.width - (isBeside ? 3 : 2),
      height: area.height - 1
    )
  }

  /// The contents for a pane in the given cells; nil without a record.
  static func content(in area: Rect, _ host: ScreenHost, _ view: DetailsView?) -> DetailsContent? {
    let inner = inside(area)
    guard let row = row(host), let entity = host.table.entity, !inner.isEmpty else { return nil }
    let computed = host.table.columns.filter { $0.look.expression != nil }
    let attributes = entity.fields + computed.map(\.attribute)
    var whole = row
    if !row.values.isEmpty {
      whole = TableRow(
        identifier: row.identifier,
        values: row.values + computed.map { row.paths[$0.name] ?? .null },
        pending: row.pending
      )
      whole.failures = row.failures
    }
    return DetailsContent(
      row: whole,
      attributes: attributes,
      formats: attributes.map { host.table.arrangement[$0.name]?.format ?? ColumnFormat() },
      today: host.table.today,
      details: host.details.known.flatMap { $0.request.identifier == row.identifier ? $0 : nil },
      folds: view?.folds ?? [],
      width: inner.width,
      mostLines: view == nil ? max(1, inner.height) : mostLines
    )
  }

  static func draw(on canvas: inout Canvas, in area: Rect, _ host: ScreenHost) {
    let view = host.openScreens.detailsView
    drawFrame(on: &canvas, area, host, isFocused: view != nil)
    guard let content = content(in: area, host, view) else { return }
    let inner = inside(area)
    let lines = content.lines
    let cursor = view.map { min($0.cursor, lines.count - 1) }
    let first = first(of: lines, cursor, room: inner.height, host)
    for (y, line) in lines.dropFirst(first).prefix(inner.height).enumerated() {
      let isCurrent =
        cursor.map { $0 == first + y } ?? (!line.label.isEmpty && line.field == currentField(host))
      let hasCursor = isCurrent && view != nil
      let point = Point(x: inner.minX, y: inner.minY + y)
      draw(line, at: point, isCurrent, hasCursor: hasCursor, inner, on: &canvas)
      if let view { highlight(view.search, inner, y: inner.minY + y, on: &canvas) }
    }
    if let cursor {
      canvas.cursor = Point(x: inner.minX - 1, y: inner.minY + cursor - first)
    }
    ScrollBar.draw(
      on: &canvas,
      x: inner.maxX,
      rows: inner.minY..<inner.maxY,
      first: first,
      count: lines.count,
      role: .border
    )
  }

  /// The index of the line at a cell of the screen; nil outside the lines.
  static func place(at point: Point, in area: Rect, _ host: ScreenHost, _ view: DetailsView?)
    -> Int?
  {
    let inner = inside(area)
    guard inner.contains(point), let lines = content(in: area, host, view)?.lines else {
      return nil
    }
    let cursor = view.map { min($0.cursor, lines.count - 1) }
    let place = first(of: lines, cursor, room: inner.height, host) + point.y - inner.minY
    return lines.indices.contains(place) ? place : nil
  }

  /// The line at a cell of the screen; nil outside the lines.
  static func line(at point: Point, in area: Rect, _ host: ScreenHost, _ view: DetailsView?)
    -> DetailsLine?
  {
    place(at: point, in: area, host, view).flatMap { content(in: area, host, view)?.lines[$0] }
  }

  private static func drawFrame(
    on canvas: inout Canvas,
    _ area: Rect,
    _ host: ScreenHost,
    isFocused: Bool
  ) {
    let isBeside = area.minX > 0
    let line = Rect(
      x: area.minX,
      y: area.minY,
      width: isBeside ? 1 : area.width,
      height: isBeside ? area.height : 1
    )
    canvas.fill(line, role: .border, character: isBeside ? "│" : "─")
    guard let row = row(host) else { return }
    let title = host.table.entity.map { RecordTitle.text(of: row.values, in: $0) } ?? ""
    let head =
      DisplayText(row.identifier.description) + DisplayText(title.isEmpty ? "" : " " + title)
    canvas.write(
      isBeside ? head : " " + head + " ",
      at: Point(x: area.minX + (isBeside ? 2 : 1), y: area.minY),
      width: max(0, area.width - 3),
      role: isFocused ? .tabSelected : .title
    )
  }

  /// The first visible line, so that the cursor or the field under the cursor of the table is visible.
  private static func first(
    of lines: [DetailsLine],
    _ cursor: Int?,
    room: Int,
    _ host: ScreenHost
  ) -> Int {
    let last = max(0, lines.count - room)
    if let cursor { return max(0, min(cursor - room / 2, last)) }
    let field = currentField(host)
    guard let line = lines.firstIndex(where: { $0.field == field }), line >= room else { return 0 }
    return min(line - room + 1, last)
  }

  /// The index of the field under the cursor of the table.
  private static func currentField(_ host: ScreenHost) -> Int? {
    guard host.table.currentAttribute != nil else { return nil }
    return host.table.currentSlot
  }

  private static func draw(
    _ line: DetailsLine,
    at point: Point,
    _ isCurrent: Bool,
    hasCursor: Bool,
    _ inner: Rect,
    on canvas: inout Canvas
  ) {
    if hasCursor {
      canvas.fill(
        Rect(x: point.x - 1, y: point.y, width: inner.width + 1, height: 1),
        role: .cursorRow
      )
    }
    if isCurrent { canvas.write(">", at: Point(x: point.x - 1, y: point.y), role: .dim) }
    canvas.write(
      line.label,
      at: point,
      role: hasCursor ? .cursorCell : isCurrent ? .title : .fieldLabel
    )
    canvas.write(
      line.text,
      at: Point(x: point.x + line.indent, y: point.y),
      width: max(0, inner.width - line.indent),
      role: line.role
    )
  }

  private static func highlight(_ search: String, _ inner: Rect, y: Int, on canvas: inout Canvas) {
    guard !search.isEmpty else { return }
    let text = (inner.minX..<inner.maxX).map { canvas.text(at: Point(x: $0, y: y)) }
    let line = text.joined()
    guard let range = line.range(of: search, options: [.caseInsensitive, .diacriticInsensitive])
    else { return }
    let before = DisplayText(String(line[..<range.lowerBound])).width
    let width = DisplayText(String(line[range])).width
    canvas.setRole(.match, Rect(x: inner.minX + before, y: y, width: width, height: 1))
  }
}
