import OpenSwiftData

/// How often each value of a column occurs in the list; one of them can become the filter.
struct CountsScreen: ListScreen {
  private let attribute: Schema.Attribute
  private var counts: [ValueCount] = []
  private var total = 0
  private var isCounted = false
  var frame = ListFrame()

  init(attribute: Schema.Attribute) { self.attribute = attribute }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed = message {
      let isField = host.table.columns.contains { $0.name == attribute.name }
      guard isField else { return .close }
      host.ask(CountFieldValues(field: attribute.name))
    }
    // The message line says why there are no counts, for example because counting was canceled.
    if case .failed = message, !isCounted { return .close }
    guard let (question, counts) = message.answer(to: CountFieldValues.self),
      question.field == attribute.name
    else { return .stay }
    isCounted = true
    let former = frame.selected.map { self.counts[$0].value }
    self.counts = counts
    total = counts.reduce(0) { $0 + $1.count }
    frame.setLines(
      counts.map { $0.title ?? formatted($0.value, host) ?? $0.value.text },
      selecting: former.flatMap { value in counts.firstIndex { $0.value == value } }
    )
    return .stay
  }

  /// The value in the format of the column; nil if that shows it as it is.
  private func formatted(_ value: Value, _ host: ScreenHost) -> String? {
    host.table.columns.first { $0.name == attribute.name }?.look.format
      .exactText(of: value, today: host.table.today)
  }

  /// Adds the selected value to the filter of the table.
  func accept(_ host: inout ScreenHost) -> Transition {
    guard let place = frame.selected else { return .close }
    let value = counts[place].value
    let path = host.columnPaths.first(where: { $0.name == attribute.name })
    if let title = titlePath(of: counts[place], host) {
      narrow(to: .text(counts[place].title ?? ""), of: title.name, at: title, &host)
    } else {
      narrow(to: value, of: attribute.name, at: path, &host)
    }
    return .close
  }

  private func narrow(
    to value: Value,
    of name: String,
    at path: FieldPath?,
    _ host: inout ScreenHost
  ) {
    let added: Filter = value.isNull ? .isNull(name) : .compare(name, .equal, value)
    let text = PredicateText.equality(name, value)
    let former = host.table.filter
    let all = former.isActive ? "\(former.textForConjunction) and \(text)" : text
    if let path {
      host.filter(by: former.and(added, at: path, text: all))
    } else {
      host.filter(by: former.and(added, text: all))
    }
  }

  /// The path to the title of a linked record, if that names the record; nil if only the identifier does.
  private func titlePath(of entry: ValueCount, _ host: ScreenHost) -> FieldPath? {
    guard case .link(let destination) = attribute.type, let title = entry.title,
      !title.hasSuffix("…"), counts.count(where: { $0.title == title }) == 1,
      let entity = host.table.entity,
      let field = host.schema.entitiesByName[destination].flatMap(RecordTitle.titleField)
    else { return nil }
    // An invalid path is none.
    return (try? FieldPath("\(attribute.name).\(field)", of: entity, in: host.schema)) ?? nil
  }

  func area(_ host: ScreenHost) -> Rect { PopupFrame.inside(popup(host)) }

  private func popup(_ host: ScreenHost) -> Rect {
    host.layout.popup(width: 72, height: max(3, counts.count) + 2)
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let marked = host.table.marks
    let scope = marked.isEmpty ? counted(total) : marked.recordsText
    let found = "\(counted(counts.count, "value")) in \(scope) · \(frame.position)"
    let title = DisplayText("\(attribute.name): \(isCounted ? found : "counting …")")
    let inner = PopupFrame.draw(on: &canvas, in: popup(host), title: title)
    let most = counts.first?.count ?? 1
    let numberWidth = String(most).count
    let barWidth = max(0, min(24, inner.width / 3))
    let valueWidth = max(1, inner.width - numberWidth - barWidth - 4)
    for (line, place) in frame.visible(inner.height).enumerated() {
      let entry = counts[place]
      let y = inner.minY + line
      let isSelected = place == frame.selected
      let role: Role = isSelected ? .popupSelected : .popup
      canvas.fill(Rect(x: inner.minX, y: y, width: inner.width, height: 1), role: role)
      let value =
        (entry.title ?? formatted(entry.value, host))
        .map { ValueText(DisplayText($0, clippedTo: valueWidth), .normal) }
        ?? ValueText(entry.value, of: attribute, clippedTo: valueWidth)
      canvas.write(isSelected ? ">" : " ", at: Point(x: inner.minX, y: y), role: role)
      canvas.write(
        value.text.clipped(to: valueWidth),
        at: Point(x: inner.minX + 1, y: y),
        role: isSelected ? role : entry.value.isNull ? .popupHint : .popup
      )
      let number = DisplayText(String(entry.count)).padded(to: numberWidth, alignment: .right)
      let x = inner.minX + 2 + valueWidth
      canvas.write(number, at: Point(x: x, y: y), role: role)
      let length = max(1, barWidth * entry.count / max(1, most))
      let bar = Rect(x: x + numberWidth + 1, y: y, width: min(barWidth, length), height: 1)
      canvas.fill(bar, role: .bar, character: "█")
    }
    PopupFrame.drawScrollBar(
      on: &canvas,
      in: popup(host),
      frame.visiblePositions(inner.height),
      of: frame.shown.count
    )
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }
}

/// Predicates as text.
enum PredicateText {
  /// Writes that a field has a value, as the parser of predicates reads it.
  static func equality(_ name: String, _ value: Value) -> String {
    let filter: Filter = value.isNull ? .isNull(name) : .compare(name, .equal, value)
    return filter.description
  }

  /// Writes the name of a field, in backticks where it needs them.
  static func field(_ name: String) -> String { FilterParser.spelled(name) }

  /// Writes a value other than null.
  static func literal(_ value: Value) -> String {
    switch value {
    case .integer, .number, .decimal, .boolean, .date: return value.text
    default:
      let escaped = value.text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }
  }
}

/// How often each value of a field occurs in the list, or in the marked records, the most frequent first.
struct CountFieldValues: Question {
  let field: String
  var work: String { "counting values" }

  /// - Complexity: O(n) in the records listed.
  func answer(by reader: ListReader) throws -> [ValueCount]? {
    let sorted = try ValueRanking.sorted(try reader.counts(of: field, ofMarked: true))
    let names = try reader.session.namingLinks(sorted.map(\.value))
    return zip(sorted, names).map { count, title in
      ValueCount(
        value: count.value,
        count: count.count,
        title: title == count.value ? nil : title.text
      )
    }
  }
}
