import OpenSwiftData

/// Edits the column under the cursor in all marked records together.
struct MarkedEditScreen: CellEditor {
  var field: FieldEditor
  /// The number of columns to move after the value was accepted.
  private var step = 0
  private var isWaiting = false

  /// Starts with the value under the cursor, or with an empty one.
  init?(_ host: ScreenHost, isEmptied: Bool) {
    guard let attribute = host.table.currentAttribute, host.readOnlyReason == nil,
      attribute.fixedReason == nil,
      !host.table.marks.isEmpty
    else { return nil }
    field = FieldEditor(attribute, host.table.currentValue ?? .null)
    if isEmptied { field.makeEmpty() }
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if case .failed = report.answer { return .stay }
      host.remember(.set(field.assignment))
      return goOn(&host)
    case .edited(let text): return take(fromEditor: text, &host)
    default: return .stay
    }
  }

  mutating func accept(_ step: Int, _ host: inout ScreenHost) -> Transition {
    self.step = step
    if let problem = field.problem {
      host.fail(problem)
      return .stay
    }
    guard !host.table.marks.isEmpty else {
      host.fail("no marked record is left; press Esc to cancel")
      return .stay
    }
    isWaiting = true
    host.perform(SetValues(target: .selection, assignments: [field.assignment]))
    return .stay
  }

  /// Closes the editor, or moves to the next column.
  private func goOn(_ host: inout ScreenHost) -> Transition {
    let column = host.table.column + step
    guard step != 0, host.table.attributes.indices.contains(column) else { return .close }
    host.move(toColumn: column)
    return MarkedEditScreen(host, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    let text = "\(field.attribute.name) of \(host.table.marks.recordsText): "
    let label = DisplayText(text).clipped(to: max(0, columns - 12))
    let y = host.layout.messageLine
    let hint = field.problem ?? FieldDescription.text(field.attribute)
    if host.notice == nil {
      canvas.fill(Rect(x: 0, y: host.layout.hintLine, width: columns, height: 1), role: .normal)
      canvas.write(
        DisplayText(hint),
        at: Point(x: 1, y: host.layout.hintLine),
        width: columns - 1,
        role: field.problem == nil ? .hint : .error
      )
    }
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    let x = canvas.write(label, at: Point(x: 0, y: y), role: .prompt)
    canvas.cursor = field.draw(
      on: &canvas,
      at: Point(x: x, y: y),
      width: max(1, columns - x),
      isFocused: true
    )
  }
}
