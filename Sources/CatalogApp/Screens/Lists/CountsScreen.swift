import OpenSwiftData

/// How often each value of a column occurs in the list; one of them can become the filter.
struct CountsScreen: ListScreen {
  private let attribute: Schema.Attribute
  private var total = 0
  private var isCounted = false
  var frame = ListFrame<ValueCount>()

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
    total = counts.reduce(0) { $0 + $1.count }
    let format = formatted
    frame.setLines(
      counts,
      text: { $0.title ?? format($0.value, host) ?? $0.value.text },
      values: values
    )
    return .stay
  }

  /// The columns of `freq`, with the title of a linked record.
  var valueNames: [String] { ["value", "count"] + (isLink ? ["title"] : []) }

  func values(of line: ValueCount) -> [Value] {
    [line.value, .integer(Int64(line.count))]
      + (isLink ? [line.title.map { .text($0) } ?? .null] : [])
  }

  private var isLink: Bool { attribute.type.destination != nil }

  /// The value in the format of the column; nil if that shows it as it is.
  private func formatted(_ value: Value, _ host: ScreenHost) -> String? {
    host.table.columns.first { $0.name == attribute.name }?.look.format
      .exactText(of: value, today: host.table.today)
  }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [ListAction.accept, CountsAction.exclude] + Self.listHints.dropFirst()
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    action as? ListAction == .accept ? "filter" : nil
  }

  /// Adds the marked values, or the selected one, to the filter of the table.
  func accept(_ line: ValueCount, _ host: inout ScreenHost) -> Transition {
    narrow(excluding: false, &host)
  }

  func perform(own action: CountsAction, _ host: inout ScreenHost) -> Transition {
    narrow(excluding: true, &host)
  }

  private func narrow(excluding: Bool, _ host: inout ScreenHost) -> Transition {
    let chosen = frame.markedOrSelected
    guard let first = chosen.first else { return .stay }
    let added: Filter
    var path = host.columnPaths.first { $0.name == attribute.name }
    if chosen.count == 1, let title = titlePath(of: first, host) {
      added = .compare(title.name, .equal, .text(first.title ?? ""))
      path = title
    } else {
      added = .isOne(of: chosen.map(\.value), attribute.name)
    }
    host.filter(by: host.table.filter.and(excluding ? .not(added) : added, at: path))
    return .close
  }

  /// The path to the title of a linked record, if that names the record; nil if only the identifier does.
  private func titlePath(of entry: ValueCount, _ host: ScreenHost) -> FieldPath? {
    guard case .link(let destination) = attribute.type, let title = entry.title,
      !title.hasSuffix("…"), frame.lines.count(where: { $0.title == title }) == 1,
      let entity = host.table.entity,
      let field = host.schema.entitiesByName[destination].flatMap(RecordTitle.titleField)
    else { return nil }
    // An invalid path is none.
    return (try? FieldPath("\(attribute.name).\(field)", of: entity, in: host.schema)) ?? nil
  }

  func look(_ host: ScreenHost) -> ListLook {
    let sheet = host.layout.sheet(lines: max(3, frame.lines.count))
    let marked = host.table.marks
    let scope = marked.isEmpty ? counted(total) : marked.recordsText
    let found = "\(counted(frame.lines.count, "value")) in \(scope) · \(frame.position)"
    return ListLook(
      sheet: sheet,
      title: "\(attribute.name): \(isCounted ? found : "counting …")",
      [
        .init(width: min(Self.widestValue, Sheet.inside(sheet).width / 2)),
        .init(width: String(mostFrequent).count, alignment: .right), .init(),
      ]
    )
  }

  /// Longer values are cut, so that there is room for the bars.
  private static let widestValue = 40

  private var mostFrequent: Int { frame.lines.first?.count ?? 1 }

  func cells(of line: ValueCount, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let width = look.width(ofColumn: 0)
    let value =
      line.title ?? formatted(line.value, host)
      ?? ValueText(line.value, of: attribute, clippedTo: width).text.plain
    let bar = max(1, (look.width(ofColumn: 2) - 1) * line.count / max(1, mostFrequent))
    return [
      ListCell(value, line.value.isNull ? .dim : nil), ListCell(String(line.count)),
      ListCell(String(repeating: "█", count: bar), .bar),
    ]
  }
}

extension Filter {
  /// The field has one of the values, which may be null.
  fileprivate static func isOne(of values: [Value], _ name: String) -> Filter {
    let known = values.filter { !$0.isNull }
    let isKnown: Filter =
      known.count == 1 ? .compare(name, .equal, known[0]) : .isIn(name, known)
    if known.isEmpty { return .isNull(name) }
    return known.count == values.count ? isKnown : .or([isKnown, .isNull(name)])
  }
}

/// The action of the key that counts have besides those of all lists.
enum CountsAction: String, KeyAction {
  case exclude

  static let place = KeyPlace("counts", "In the counts of a column")

  var binding: KeyBinding {
    KeyBinding(["-"], "hide the records with the marked values, or with this one")
  }
}

/// How often each value of a field occurs in the list, or in the marked records, the most frequent first.
struct CountFieldValues: Question {
  let field: String
  var work: String { "counting values" }

  /// - Complexity: O(n) in the records listed.
  func answer(by reader: ListReader) throws -> [ValueCount]? {
    let sorted = try ValueRanking.sorted(try reader.counts(of: field, ofMarked: true))
    let names = try reader.session.context.namingLinks(sorted.map(\.value))
    return zip(sorted, names).map { count, title in
      ValueCount(
        value: count.value,
        count: count.count,
        title: title == count.value ? nil : title.text
      )
    }
  }
}
