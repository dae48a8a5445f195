import OpenSwiftData

/// Edits the column under the cursor in all marked records together.
struct MarkedEditScreen: CellEditor {
  var field: FieldEditor
  /// The number of columns to move after the value was accepted.
  private var step = 0
  private var isWaiting = false

  /// Starts with the value under the cursor, or with an empty one.
  init?(_ app: AppState, isEmptied: Bool) {
    guard let attribute = app.table.currentAttribute, app.readOnlyReason == nil,
      !app.table.marks.isEmpty
    else { return nil }
    field = FieldEditor(attribute, app.table.currentValue ?? .null)
    if isEmptied { field.makeEmpty() }
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if case .failed = report.answer { return .stay }
      app.lastChange = .set(field.assignment)
      return goOn(&app)
    case .edited(let text): return take(fromEditor: text, &app)
    default: return .stay
    }
  }

  mutating func accept(_ step: Int, _ app: inout AppState) -> Transition {
    self.step = step
    if let problem = field.problem {
      app.fail(problem)
      return .stay
    }
    guard !app.table.marks.isEmpty else {
      app.fail("no marked record is left; press Esc to cancel")
      return .stay
    }
    isWaiting = true
    app.perform(SetValues(target: .selection, assignments: [field.assignment]))
    return .stay
  }

  /// Closes the editor, or moves to the next column.
  private func goOn(_ app: inout AppState) -> Transition {
    let column = app.table.column + step
    guard step != 0, app.table.attributes.indices.contains(column) else { return .close }
    app.table.move(toColumn: column)
    return MarkedEditScreen(app, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let columns = canvas.size.columns
    let text = "\(field.attribute.name) of \(app.table.marks.recordsText): "
    let label = DisplayText(text).clipped(to: max(0, columns - 12))
    let y = app.layout.messageLine
    let hint = field.problem ?? FieldDescription.text(field.attribute)
    if app.notice == nil {
      canvas.fill(Rect(x: 0, y: app.layout.hintLine, width: columns, height: 1), role: .normal)
      canvas.write(
        DisplayText(hint),
        at: Point(x: 1, y: app.layout.hintLine),
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
