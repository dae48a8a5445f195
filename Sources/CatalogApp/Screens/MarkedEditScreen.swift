import OpenSwiftData

/// A screen on which one value is typed.
protocol CellEditor: Screen {
  var field: FieldEditor { get }
}

/// The column under the cursor while it is edited in all marked records at once.
struct MarkedEditScreen: CellEditor {
  private(set) var field: FieldEditor
  /// How many columns to go on with after the value was taken.
  private var step = 0
  private var isWaiting = false

  /// Begins with the value under the cursor, or with none.
  init?(_ app: AppState, isEmptied: Bool) {
    guard let attribute = app.table.currentAttribute, app.readOnlyReason == nil,
      !app.table.marks.isEmpty
    else { return nil }
    field = FieldEditor(attribute, app.table.currentValue ?? .null)
    if isEmptied { field.makeEmpty() }
  }

  var place: ScreenCommand.Place { .cell }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .cell) {
      switch command.name {
      case "accept": return accept(0, &app)
      case "next": return accept(1, &app)
      case "previous": return accept(-1, &app)
      case "null": field.makeNull()
      case "help": return .open(TextScreen.help(app, from: .cell))
      default: return .close
      }
      return .stay
    }
    _ = field.handle(event)
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if case .failed = report.answer { return .stay }
      app.lastChange = .set(attribute: field.attribute.name, text: field.text)
      return goOn(&app)
    case .edited(let text):
      guard let text else {
        app.say("left the editor without a change")
        return .close
      }
      field.take(fromEditor: text)
      return accept(0, &app)
    default: return .stay
    }
  }

  private mutating func accept(_ step: Int, _ app: inout AppState) -> Transition {
    self.step = step
    if let problem = field.problem {
      app.fail(problem)
      return .stay
    }
    guard !app.table.marks.isEmpty else {
      app.fail("no record is marked any longer; Esc leaves them as they are")
      return .stay
    }
    isWaiting = true
    app.run("set " + Assignment.word(field.attribute.name, field.text))
    return .stay
  }

  /// Leaves the column, or goes on to the next one.
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
