import OpenSwiftData

/// Edits the column under the cursor in all marked records together.
struct MarkedEditScreen: CellEditor {
  var field: FieldEditor { didSet { if field.text != oldValue.text { isTyped = true } } }
  /// The number of columns to move after the value was accepted.
  var step = 0
  private var isWaiting = false
  /// False while the line has the value of one record, which would be given to all others by mistake.
  private var isTyped: Bool

  /// Starts with the value under the cursor, or with an empty one.
  init?(_ host: ScreenHost, isEmptied: Bool) {
    guard let attribute = host.table.currentAttribute, host.readOnlyReason == nil,
      host.fixedColumnReason == nil,
      !host.table.marks.isEmpty
    else { return nil }
    let saved = host.table.marks.all.first { !$0.isTemporary }
    field = FieldEditor(
      saved == nil ? attribute.ofNewRecord : attribute,
      host.table.currentValue ?? .null,
      host
    )
    isTyped = isEmptied
    if isEmptied { field.makeEmpty() }
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    switch message {
    case .ran(let report) where isWaiting:
      isWaiting = false
      if case .failed = report.answer { return .stay }
      host.remember(.set(field.assignment))
      return goOn(&host)
    default: return receiveValue(message, &host)
    }
  }

  mutating func accept(_ step: Int, _ host: inout ScreenHost) -> Transition {
    self.step = step
    guard isTyped else {
      host.say("nothing was typed; the marked records stay as they are")
      return goOn(&host)
    }
    if let refusal = refusal(&host) { return refusal }
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
    guard step != 0, host.table.columns.indices.contains(column) else { return .close }
    host.move(toColumn: column)
    return MarkedEditScreen(host, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    // The line is where messages are otherwise.
    let notice = host.messages.shown
    drawLine(
      labeled: "\(field.attribute.name) of \(host.table.marks.recordsText): ",
      hint: notice?.text ?? field.problem ?? field.preview
        ?? FieldDescription.text(field.attribute),
      isProblem: notice.map { $0.kind == .error } ?? (field.problem != nil),
      on: &canvas,
      host.layout
    )
  }
}
