import OpenSwiftData

/// A list to choose the value of a field from: records by their titles, or the values of other records.
struct PickerScreen: Screen {
  fileprivate enum Source: Hashable, Sendable {
    /// The records of an entity, found by the store.
    case records(String)
    /// The values of a field.
    case values(String)
  }

  private struct Entry: Hashable, Sendable {
    let answer: String
    let text: String
    /// The identifier of a record; empty for a value.
    var identifier = DisplayText.empty
  }

  private let source: Source
  /// The identifiers to which a record is added; nil if it replaces the value.
  private let beginning: String?
  /// The answer that is selected at first; nil to begin with the first one.
  private let current: String?
  private var editor = LineEditor()
  /// The entries that match the text, or the first of them; nil before the first result.
  private var shown: [Entry]?
  /// The number of records or values from which the shown ones were taken.
  private var total = 0
  private var list = ScrollList()

  /// Lists the records of an entity; the chosen one replaces the current one.
  init(recordsOf entity: String, current: PersistentIdentifier?, _ host: inout ScreenHost) {
    source = .records(entity)
    beginning = nil
    self.current = current?.description
    host.ask(ListRecordsByTitle(entity: entity, text: "", current: current))
  }

  /// Lists the records of an entity; the chosen one is added to identifiers.
  init(recordsOf entity: String, addingTo beginning: String, _ host: inout ScreenHost) {
    source = .records(entity)
    self.beginning = beginning
    current = nil
    host.ask(ListRecordsByTitle(entity: entity, text: ""))
  }

  /// Lists the values of a field.
  init(valuesOf attribute: Schema.Attribute, current: String?, _ host: inout ScreenHost) {
    source = .values(attribute.name)
    beginning = nil
    self.current = current
    host.ask(SearchValues(field: attribute.name, text: "", current: current))
  }

  var place: KeyPlace { PromptAction.place }
  var acceptsTextWhileWorking: Bool { true }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .earlier, .later] as [PromptAction]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    switch list.handleTyped(event, in: PopupFrame.inside(Self.area(host)), host.keys) {
    case .accepted: return accept(&host)
    case .left: return .close
    case .handled: return .stay
    case .text: break
    }
    guard !editor.isNeedlessSlash(event), editor.handleInOneLine(event) else { return .stay }
    switch source {
    case .records(let entity): host.ask(ListRecordsByTitle(entity: entity, text: editor.text))
    case .values(let name):
      host.ask(SearchValues(field: name, text: editor.text, current: nil))
    }
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if let (question, found) = message.answer(to: ListRecordsByTitle.self),
      question.text == editor.text, source == .records(question.entity)
    {
      let entries = found.records.map { record in
        let name = record.title.isEmpty ? record.identifier.description : record.title
        return Entry(
          answer: record.identifier.description,
          text: name,
          identifier: RowText.identifier(record.identifier)
        )
      }
      show(entries, of: found.total)
    }
    if let (question, found) = message.answer(to: SearchValues.self),
      question.text == editor.text, source == .values(question.field)
    {
      show(
        found.values.map { Entry(answer: $0.text, text: ValueText($0, clippedTo: 200).text.plain) },
        of: found.total
      )
    }
    return .stay
  }

  private mutating func show(_ entries: [Entry], of total: Int) {
    shown = entries
    self.total = total
    list = ScrollList(count: entries.count)
    guard editor.text.isEmpty else { return }
    list.select(entries.firstIndex { $0.answer == current } ?? 0)
  }

  private func accept(_ host: inout ScreenHost) -> Transition {
    guard let shown, shown.indices.contains(list.selected) else {
      host.warn(shown == nil ? "still reading" : "no match; press Esc to cancel")
      return .stay
    }
    let answer = shown[list.selected].answer
    guard let beginning, !beginning.isEmpty else { return .answer(answer) }
    return .answer(beginning + " " + answer)
  }

  private static func area(_ host: ScreenHost) -> Rect { host.layout.popup(width: 72, height: 20) }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let area = Self.area(host)
    let name =
      switch source {
      case .records(let entity): "choose a record of \(entity)"
      case .values(let field): "choose a value of \(field)"
      }
    let entries = shown ?? []
    let position = "\(list.selected + (entries.isEmpty ? 0 : 1))/\(entries.count)"
    let rest = total > entries.count ? " of \(total)" : ""
    let title = DisplayText("\(name) · \(shown == nil ? "reading …" : position + rest)")
    let inner = PopupFrame.draw(on: &canvas, in: area, title: title)
    if shown?.isEmpty == true, editor.text.isEmpty {
      canvas.write("nothing to choose from", at: inner.origin, width: inner.width, role: .popupHint)
    }
    let visible = list.visible(inner.height)
    let idWidth = entries[visible].map(\.identifier.width).max() ?? 0
    for (line, place) in visible.enumerated() {
      let isSelected = place == list.selected
      let role: Role = isSelected ? .popupSelected : .popup
      let point = Point(x: inner.minX, y: inner.minY + line)
      canvas.fill(Rect(x: point.x, y: point.y, width: inner.width, height: 1), role: role)
      let entry = entries[place]
      canvas.write(
        DisplayText((isSelected ? ">" : " ") + entry.text),
        at: point,
        width: inner.width - (idWidth > 0 ? idWidth + 2 : 0),
        role: role
      )
      canvas.write(
        entry.identifier,
        at: Point(x: inner.maxX - idWidth, y: point.y),
        role: isSelected ? role : .popupHint
      )
    }
    ScrollBar.draw(
      on: &canvas,
      x: area.maxX - 1,
      rows: inner.minY..<inner.maxY,
      first: visible.lowerBound,
      count: entries.count,
      role: .popupBorder
    )
    PromptLine.draw(on: &canvas, host.layout, label: "containing: ", editor: editor)
  }
}
