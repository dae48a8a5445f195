import OpenSwiftData

/// Edits the column under the cursor in all marked records together.
struct MarkedEditScreen: CellEditor {
  var field: FieldEditor { didSet { if field.text != oldValue.text { isTyped = true } } }
  /// The number of columns to move after the value was accepted.
  private var step = 0
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
      today: host.today,
      readsPercent: host.table.showsPercent(attribute.name)
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
    case .edited(let text): return take(fromEditor: text, &host)
    case .answered(let text):
      let isMeaning = !field.meanings.isEmpty
      field.choose(text)
      // A value from a picker is accepted with Enter, as a typed one.
      if isMeaning { return accept(step, &host) }
    case .answer(let answer):
      if let (_, today) = answer.to(ReadClock.self) { field.setToday(today) }
    default: break
    }
    return .stay
  }

  mutating func accept(_ step: Int, _ host: inout ScreenHost) -> Transition {
    self.step = step
    guard isTyped else {
      host.say("nothing was typed; the marked records stay as they are")
      return goOn(&host)
    }
    if let question = ChoiceScreen.meaning(of: field) { return .open(question) }
    if let problem = field.problem {
      host.refuse(problem)
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
    guard step != 0, host.table.columns.indices.contains(column) else { return .close }
    host.move(toColumn: column)
    return MarkedEditScreen(host, isEmptied: false).map { .replace($0) } ?? .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    let text = "\(field.attribute.name) of \(host.table.marks.recordsText): "
    let label = DisplayText(text).clipped(to: max(0, columns - 12))
    let y = host.layout.messageLine
    let hint = field.problem ?? field.preview ?? FieldDescription.text(field.attribute)
    // The line is where messages are otherwise.
    StatusBar.drawHint(
      host.shownNotice?.text ?? hint,
      isProblem: host.shownNotice.map { $0.kind == .error } ?? (field.problem != nil),
      on: &canvas,
      host.layout
    )
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
