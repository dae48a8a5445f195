import OpenSwiftData

/// The cell under the cursor while it is edited in its place.
struct CellEditScreen: Screen {
  let identifier: PersistentIdentifier
  var field: FieldEditor
  /// How many columns to go on with after the value was taken.
  private var step = 0
  private var isWaiting = false

  init?(_ app: AppState, isEmptied: Bool) {
    guard let row = app.table.currentRow, let attribute = app.table.currentAttribute,
      let value = app.table.currentValue, app.readOnlyReason == nil, row.pending != .deleted
    else { return nil }
    identifier = row.identifier
    field = FieldEditor(attribute, value)
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
      // Editors end the last line; the value had no such end unless it brought one.
      let isEnded = text.hasSuffix("\n") && !field.original.text.hasSuffix("\n")
      field.replace(with: isEnded ? String(text.dropLast()) : text)
      return accept(0, &app)
    default: return .stay
    }
  }

  private mutating func accept(_ step: Int, _ app: inout AppState) -> Transition {
    self.step = step
    guard field.isChanged else { return goOn(&app) }
    if let problem = field.problem {
      app.refuse(problem)
      return .stay
    }
    isWaiting = true
    app.set([field], of: identifier)
    return .stay
  }

  /// Leaves the cell, or goes on to the next column.
  private func goOn(_ app: inout AppState) -> Transition {
    let column = app.table.column + step
    guard step != 0, app.table.attributes.indices.contains(column) else { return .close }
    app.table.move(toColumn: column)
    return CellEditScreen(app, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let geometry = TableGeometry(app)
    guard let cell = geometry.place(row: app.table.row, column: app.table.column, app.table) else {
      return
    }
    let area = geometry.area
    let wanted = DisplayText(field.editor.text, clippedTo: area.width).width + 1
    let width = min(area.width - 2, max(cell.width, wanted, 12))
    let x = max(area.minX, min(cell.point.x, area.maxX - width))
    canvas.cursor = field.draw(
      on: &canvas,
      at: Point(x: x, y: cell.point.y),
      width: width,
      isFocused: true
    )
    guard app.notice == nil else { return }
    let text = field.problem ?? FieldDescription.text(field.attribute)
    canvas.write(
      DisplayText(text),
      at: Point(x: 0, y: app.layout.messageLine),
      width: canvas.size.columns,
      role: field.problem == nil ? .message : .error
    )
  }
}

/// What a field takes, in words.
enum FieldDescription {
  static func text(_ attribute: Schema.Attribute) -> String {
    let example =
      switch attribute.type {
      case .date: " such as 2009-05-29"
      case .datetime: " such as 2009-05-29T18:30:00Z"
      case .boolean: " (true or false)"
      case .link(let entity), .links(let entity): " (identifiers of \(entity))"
      default: ""
      }
    let name =
      switch attribute.type {
      case .link: "link"
      case .links: "links"
      default: attribute.type.description
      }
    return "\(attribute.name): \(name)\(example)"
      + (attribute.isOptional ? "" : ", required") + (attribute.isUnique ? ", unique" : "")
  }
}
