import OpenSwiftData

extension FormScreen {
  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let layout = FormLayout(self, host)
    // The table stays visible, but recedes.
    let body = Rect(x: 0, y: 0, width: canvas.size.columns, height: host.layout.statusLine)
    canvas.setRole(.dim, body)
    let fate = edited?.state == .deleted ? " · deleted by another program" : ""
    let position = fields.isEmpty ? "" : " · \(focus + 1)/\(fields.count)"
    let name = identifier.map { "\(entity.name) \($0)\(fate)" } ?? "new \(entity.name) record"
    _ = Sheet.draw(on: &canvas, in: layout.area, title: DisplayText(name + position))
    for field in layout.fields { draw(field, layout, on: &canvas, host) }
    ScrollBar.draw(
      on: &canvas,
      x: layout.area.maxX - 1,
      rows: layout.inner.minY..<layout.inner.maxY,
      first: layout.firstLine,
      count: layout.lineCount,
      role: .border
    )
    drawMessage(on: &canvas, host)
  }

  private func draw(
    _ shown: FormLayout.Field,
    _ layout: FormLayout,
    on canvas: inout Canvas,
    _ host: ScreenHost
  ) {
    let field = fields[shown.place]
    let isFocused = shown.place == focus
    let x = layout.inner.minX
    let sign: DisplayText = field.isChanged ? (field.problem == nil ? "~" : "!") : " "
    canvas.write(
      (isFocused ? ">" : " ") + sign,
      at: Point(x: x - 1, y: shown.y),
      role: .normal
    )
    canvas.write(
      DisplayText(field.attribute.name).clipped(to: layout.nameWidth),
      at: Point(x: x + 1, y: shown.y),
      role: isFocused ? .fieldFocused : .normal
    )
    canvas.write(
      DisplayText(FormLayout.typeText(field)).clipped(to: layout.typeWidth),
      at: Point(x: x + 2 + layout.nameWidth, y: shown.y),
      role: .dim
    )
    let start = x + 3 + layout.nameWidth + layout.typeWidth
    let area = Rect(x: start, y: shown.y, width: layout.valueWidth, height: shown.lines)
    let cursor = field.draw(
      on: &canvas,
      in: area,
      isFocused: isFocused,
      note: note(on: field, host)
    )
    if isFocused { canvas.cursor = cursor }
  }

  /// The title of the record that a link refers to, if it is known; nil for other fields.
  private func note(on field: FieldEditor, _ host: ScreenHost) -> String? {
    guard case .link(let link) = field.original, !field.isChanged else { return nil }
    return host.details.known?.titles[link]
  }

  private func drawMessage(on canvas: inout Canvas, _ host: ScreenHost) {
    guard host.messages.shown == nil, let field = focused else { return }
    let problem = field.isChanged ? field.problem : nil
    let isMade = entity.fields[focus].isReadOnly && !field.attribute.isReadOnly
    let about =
      FieldDescription.text(field.attribute) + (isMade ? "; without one the database makes it" : "")
    let text = problem ?? field.preview ?? about
    let notice = Notice(kind: problem == nil ? .information : .error, text: text)
    StatusBar.draw(notice, on: &canvas, host.layout)
  }
}
