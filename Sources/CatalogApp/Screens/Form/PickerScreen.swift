import OpenSwiftData

/// A list to choose the value of a field from: records by their titles, or the values of other records.
struct PickerScreen: TypedListScreen {
  fileprivate enum Source: Hashable, Sendable {
    /// The records of an entity, found by the store.
    case records(String)
    /// The values of a field.
    case values(String)
  }

  struct Entry: Hashable, Sendable {
    let answer: String
    let text: String
    /// The identifier of a record; empty for a value.
    var identifier = ""
  }

  private let source: Source
  /// The identifiers to which a record is added; nil if it replaces the value.
  private let beginning: String?
  /// The answer that is selected at first; nil to begin with the first one.
  private let current: String?
  var editor = LineEditor()
  /// The entries that match the text, or the first of them.
  var frame = ListFrame<Entry>()
  /// The number of records or values from which they were taken; nil before the first result.
  private var total: Int?

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

  var acceptsTextWhileWorking: Bool { true }

  mutating func find(_ host: inout ScreenHost) {
    switch source {
    case .records(let entity): host.ask(ListRecordsByTitle(entity: entity, text: editor.text))
    case .values(let name):
      host.ask(SearchValues(field: name, text: editor.text, current: nil))
    }
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
          identifier: RowText.identifier(record.identifier).plain
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
    self.total = total
    let wanted = editor.text.isEmpty ? current : nil
    frame = ListFrame()
    frame.setLines(entries, selecting: { $0.answer == wanted })
  }

  func acceptNothing(_ host: inout ScreenHost) -> Transition {
    host.warn(total == nil ? "still reading" : "no match; press Esc to cancel")
    return .stay
  }

  func accept(_ entry: Entry, _ host: inout ScreenHost) -> Transition {
    guard let beginning, !beginning.isEmpty else { return .answer(entry.answer) }
    return .answer(beginning + " " + entry.answer)
  }

  func look(_ host: ScreenHost) -> ListLook {
    let popup = host.layout.popup(width: 72, height: 20)
    let name =
      switch source {
      case .records(let entity): "choose a record of \(entity)"
      case .values(let field): "choose a value of \(field)"
      }
    let found = total.map {
      frame.positionOfSelected + ($0 > frame.lines.count ? " of \($0)" : "")
    }
    let visible = frame.visible(PopupFrame.inside(popup).height)
    let widest = frame.lines(visible).map { DisplayText($0.identifier).width }.max() ?? 0
    return ListLook(
      popup: popup,
      title: "\(name) · \(found ?? "reading …")",
      emptyText: total != nil && editor.text.isEmpty ? "nothing to choose from" : nil,
      [.init()] + (widest > 0 ? [.init(width: widest + 1)] : [])
    )
  }

  func cells(of entry: Entry, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [ListCell(entry.text)]
      + (entry.identifier.isEmpty ? [] : [ListCell(" " + entry.identifier, .popupHint)])
  }
}
