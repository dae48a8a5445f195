import OpenSwiftData

/// Edits the cell under the cursor in place.
struct CellEditScreen: CellEditor {
  private var edited: EditedRecord
  var field: FieldEditor
  /// The number of columns to move after the value was accepted.
  private var step = 0
  private var isWaiting = false

  init?(_ app: AppState, isEmptied: Bool) {
    guard let edited = EditedRecord(app), let attribute = app.table.currentAttribute,
      let value = app.table.currentValue, app.readOnlyReason == nil, edited.row.pending != .deleted
    else { return nil }
    self.edited = edited
    field = FieldEditor(attribute, value)
    if isEmptied { field.makeEmpty() }
  }

  var record: PersistentIdentifier? { edited.identifier }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    edited.follow(message, sayingIn: &app)
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if report.isRecordMissing { return offerToAdd() }
      if case .failed = report.answer { return .stay }
      if edited.state == .deleted { return .close }
      app.lastChange = .set(field.assignment)
      return goOn(&app)
    case .edited(let text): return take(fromEditor: text, &app)
    default: return .stay
    }
  }

  mutating func accept(_ step: Int, _ app: inout AppState) -> Transition {
    self.step = step
    guard field.isChanged || edited.state == .deleted else { return goOn(&app) }
    if let problem = field.problem {
      app.refuse(problem)
      return .stay
    }
    if edited.state == .deleted { return offerToAdd() }
    isWaiting = true
    app.set([field], of: edited.identifier)
    return .stay
  }

  /// Asks whether to add the record again, and waits for the result.
  private mutating func offerToAdd() -> Transition {
    isWaiting = true
    return .open(edited.offerToAdd([field]))
  }

  /// The edited record, if the table no longer lists it.
  var lostRow: TableRow? { edited.state == .listed ? nil : edited.row }

  /// Closes the cell, or moves to the next column.
  private func goOn(_ app: inout AppState) -> Transition {
    let column = app.table.column + step
    guard step != 0, app.table.currentRow?.identifier == edited.identifier,
      app.table.attributes.indices.contains(column)
    else { return .close }
    app.table.move(toColumn: column)
    return CellEditScreen(app, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let geometry = TableGeometry(app)
    let row = edited.state == .listed ? app.table.row : app.table.top + edited.line
    guard let cell = geometry.place(row: row, column: app.table.column, app.table) else { return }
    edited.drawInPlace(on: &canvas, app, geometry)
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

/// Describes the valid values of a field.
enum FieldDescription {
  static func text(_ attribute: Schema.Attribute) -> String {
    let example =
      switch attribute.type {
      case .boolean: " (true or false)"
      case .link(let entity), .links(let entity): " (identifiers of \(entity))"
      default: attribute.type.kind.example.map { " such as \($0)" } ?? ""
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
