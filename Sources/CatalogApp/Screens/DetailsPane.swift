import OpenSwiftData

/// All values of the record under the cursor.
enum DetailsPane {
  static func draw(on canvas: inout Canvas, in area: Rect, _ host: ScreenHost) {
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
    guard let row = host.unlistedRow ?? host.table.currentRow, !inner.isEmpty else { return }
    var y = inner.minY
    if isBeside {
      let title = DisplayText(row.identifier.description)
      canvas.write(title, at: Point(x: inner.minX, y: y), width: inner.width, role: .title)
      y += 1
    }
    let names = host.table.attributes.map { DisplayText($0.name) }
    let label = min(names.map(\.width).max() ?? 0, inner.width / 3)
    // The field under the cursor is always among those shown.
    let room = inner.maxY - y
    let first = max(0, min(host.table.column - room + 1, names.count - room))
    for slot in first..<max(first, names.count) where row.values.indices.contains(slot) {
      guard y < inner.maxY else { break }
      let isCurrent = slot == host.table.column
      canvas.write(
        names[slot].clipped(to: label),
        at: Point(x: inner.minX, y: y),
        role: isCurrent ? .fieldFocused : .fieldLabel
      )
      let width = max(1, inner.width - label - 2)
      let lines = valueLines(
        row.values[slot],
        of: host.table.attributes[slot],
        width: width,
        limit: isBeside ? 8 : 1
      )
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
    of attribute: Schema.Attribute,
    width: Int,
    limit: Int
  ) -> [(text: DisplayText, role: Role)] {
    let shown = ValueText(value, of: attribute, clippedTo: width * limit)
    guard limit > 1 else { return [(shown.text.clipped(to: width), shown.role)] }
    return shown.text.wrapped(to: width).prefix(limit).map { ($0, shown.role) }
  }
}
