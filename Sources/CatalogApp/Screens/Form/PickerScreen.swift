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
  private var editor = LineEditor()
  private var all: [Entry]?
  private var shown: [Entry] = []
  /// The number of records or values from which the shown ones were taken.
  private var total = 0
  private var list = ScrollList()

  /// Lists the records of an entity; the chosen one is added to identifiers, unless these are nil.
  init(recordsOf entity: String, addingTo beginning: String?) {
    source = .records(entity)
    self.beginning = beginning
  }

  /// Lists the values of a field.
  init(valuesOf attribute: Schema.Attribute) {
    source = .values(attribute.name)
    beginning = nil
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
    guard !editor.isNeedlessSlash(event), editor.handle(event) else { return .stay }
    if case .records(let entity) = source {
      host.request(.listRecords(entity: entity, text: editor.text))
    } else {
      arrange()
    }
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    switch (message, source) {
    case (.records(let entity, let text, let records, let total), .records(let own))
    where text == editor.text && entity == own:
      shown = records.map { record in
        let name = record.title.isEmpty ? record.identifier.description : record.title
        return Entry(
          answer: record.identifier.description,
          text: name,
          identifier: RowText.identifier(record.identifier)
        )
      }
      all = shown
      self.total = total
      list = ScrollList(count: shown.count)
    case (.values(let attribute, let values, _), .values(let own)) where attribute == own:
      all = values.map { Entry(answer: $0.text, text: ValueText($0, clippedTo: 200).text.plain) }
      total = values.count
      arrange()
    default: break
    }
    return .stay
  }

  private mutating func arrange() {
    let entries = all ?? []
    shown = Fuzzy.places(editor.text, among: entries.count) { (entries[$0].text, "") }
      .map { entries[$0] }
    list = ScrollList(count: shown.count)
  }

  private func accept(_ host: inout ScreenHost) -> Transition {
    guard shown.indices.contains(list.selected) else {
      host.warn(all == nil ? "still reading" : "no match; press Esc to cancel")
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
    let position = "\(list.selected + (shown.isEmpty ? 0 : 1))/\(shown.count)"
    let rest = total > shown.count ? " of \(total)" : ""
    let title = DisplayText("\(name) · \(all == nil ? "reading …" : position + rest)")
    let inner = PopupFrame.draw(on: &canvas, in: area, title: title)
    if all?.isEmpty == true, editor.text.isEmpty {
      canvas.write("nothing to choose from", at: inner.origin, width: inner.width, role: .popupHint)
    }
    let visible = list.visible(inner.height)
    let idWidth = shown[visible].map(\.identifier.width).max() ?? 0
    for (line, place) in visible.enumerated() {
      let isSelected = place == list.selected
      let role: Role = isSelected ? .popupSelected : .popup
      let point = Point(x: inner.minX, y: inner.minY + line)
      canvas.fill(Rect(x: point.x, y: point.y, width: inner.width, height: 1), role: role)
      let entry = shown[place]
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
      count: shown.count,
      role: .popupBorder
    )
    PromptLine.draw(on: &canvas, host.layout, label: "containing: ", editor: editor)
  }
}
