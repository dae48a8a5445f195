import OpenSwiftData

/// Edits the cell under the cursor in place.
struct CellEditScreen: CellEditor {
  private var edited: EditedRecord
  var field: FieldEditor
  /// The number of columns to move after the value was accepted.
  var step = 0
  private var isWaiting = false

  init?(_ host: ScreenHost, isEmptied: Bool) {
    guard let edited = EditedRecord(host), let attribute = host.table.currentAttribute,
      let value = host.table.currentValue, host.readOnlyReason == nil,
      host.fixedColumnReason == nil,
      edited.row.pending != .deleted
    else { return nil }
    self.edited = edited
    field = FieldEditor(attribute.edited(in: edited.identifier), value, host)
    if isEmptied { field.makeEmpty() }
  }

  var record: PersistentIdentifier? { edited.identifier }
  var unlistedRow: TableRow? { edited.state == .listed ? nil : edited.row }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited.follow(message, sayingIn: &host)
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if report.isRecordMissing { return offerToAdd() }
      if case .failed = report.answer { return .stay }
      if edited.state == .deleted { return .close }
      host.remember(.set(field.assignment))
      return goOn(&host)
    default: return receiveValue(message, &host)
    }
  }

  mutating func accept(_ step: Int, _ host: inout ScreenHost) -> Transition {
    self.step = step
    guard field.isChanged || edited.state == .deleted else { return goOn(&host) }
    if let refusal = refusal(&host) { return refusal }
    if edited.state == .deleted { return offerToAdd() }
    isWaiting = true
    host.set([field], of: edited.row)
    return .stay
  }

  /// Asks whether to add the record again, and waits for the result.
  private mutating func offerToAdd() -> Transition {
    isWaiting = true
    return .open(edited.offerToAdd([field]))
  }

  /// The cell of the screen where the value is; nil if its column is not on the screen.
  private func cell(_ geometry: TableGeometry, _ host: ScreenHost) -> (point: Point, width: Int)? {
    if edited.state == .listed {
      return geometry.place(row: host.table.row, column: host.table.column, host.table)
    }
    return geometry.columns.first { $0.index == host.table.column }.map {
      (Point(x: $0.x, y: edited.y(geometry)), $0.width)
    }
  }

  /// Closes the cell, or moves to the next column.
  private func goOn(_ host: inout ScreenHost) -> Transition {
    let column = host.table.column + step
    guard step != 0, host.table.currentRow?.identifier == edited.identifier,
      host.table.columns.indices.contains(column)
    else { return .close }
    host.move(toColumn: column)
    return CellEditScreen(host, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let geometry = TableGeometry(host)
    guard let cell = cell(geometry, host) else { return }
    edited.drawInPlace(on: &canvas, host, geometry)
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
    guard host.messages.shown == nil else { return }
    let text = field.problem ?? field.preview ?? FieldDescription.text(field.attribute)
    let notice = Notice(kind: field.problem == nil ? .information : .error, text: text)
    StatusBar.draw(notice, on: &canvas, host.layout)
  }
}

/// Describes the valid values of a field.
enum FieldDescription {
  static func text(_ attribute: Schema.Attribute) -> String {
    let example =
      switch attribute.type {
      case .boolean: " (true or false)"
      case .json: " such as 12, [1,2] or {\"a\":1}, or text"
      case .link(let entity), .links(let entity): " (title or identifier of \(entity))"
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
      + (attribute.readOnlyCause.map { ", read-only: \($0)" } ?? "")
  }
}
