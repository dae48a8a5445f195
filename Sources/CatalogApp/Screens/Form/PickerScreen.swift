import OpenSwiftData

/// A list to choose the value of a field from: records by their titles, or the values of other records.
struct PickerScreen: TypedListScreen {
  private let source: ListChoices.Source
  /// The identifiers to which a record is added; empty if it replaces the value.
  private let beginning: String
  /// The value that is selected at first; nil to begin with the first one.
  private let current: Value?
  var editor = LineEditor()
  /// The entries that match the text, or the first of them.
  var frame = ListFrame<ListChoices.Choice>()
  /// The number of records or values from which they were taken; nil before the first result.
  private var total: Int?

  /// Lists what there is; a chosen record can be added to identifiers.
  init(
    _ source: ListChoices.Source,
    current: Value? = nil,
    addingTo beginning: String = "",
    _ host: inout ScreenHost
  ) {
    (self.source, self.current, self.beginning) = (source, current, beginning)
    host.ask(ListChoices(source: source, text: "", current: current))
  }

  var acceptsTextWhileWorking: Bool { true }

  mutating func find(_ host: inout ScreenHost) {
    host.ask(ListChoices(source: source, text: editor.text))
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    guard let (question, found) = message.answer(to: ListChoices.self),
      question.text == editor.text, question.source == source
    else { return .stay }
    total = found.total
    frame = ListFrame()
    frame.setLines(found.choices, selecting: editor.text.isEmpty ? current?.text : nil)
    return .stay
  }

  func acceptNothing(_ host: inout ScreenHost) -> Transition {
    host.warn(total == nil ? "still reading" : "no match; press Esc to cancel")
    return .stay
  }

  func accept(_ line: ListChoices.Choice, _ host: inout ScreenHost) -> Transition {
    .answer(beginning.isEmpty ? line.answer : beginning + " " + line.answer)
  }

  func look(_ host: ScreenHost) -> ListLook {
    let sheet = host.layout.sheet(lines: 18)
    let name =
      switch source {
      case .records(let entity): "choose a record of \(entity)"
      case .values(let field): "choose a value of \(field)"
      }
    let found = total.map {
      frame.positionOfSelected + ($0 > frame.lines.count ? " of \($0)" : "")
    }
    let visible = frame.visible(Sheet.inside(sheet).height)
    let widest = visible.map { DisplayText(frame[$0].identifier).width }.max() ?? 0
    return ListLook(
      sheet: sheet,
      title: "\(name) · \(found ?? "reading …")",
      emptyText: total != nil && editor.text.isEmpty ? "nothing to choose from" : nil,
      [.init()] + (widest > 0 ? [.init(width: widest + 1)] : [])
    )
  }

  func cells(of line: ListChoices.Choice, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [ListCell(line.text)]
      + (line.identifier.isEmpty ? [] : [ListCell(" " + line.identifier, .dim)])
  }
}
