import OpenSwiftData

/// How often each value of a column occurs in the list, or how many are in each interval; some of them can become the
/// filter.
struct CountsScreen: ListScreen {
  private let attribute: Schema.Attribute
  /// Nil before the values are counted.
  private var known: Distribution?
  /// What the user wants them to be counted in; nil for what shows them best.
  private var wanted: Intervals?
  var frame = ListFrame<Distribution.Part>()

  init(attribute: Schema.Attribute) { self.attribute = attribute }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed = message {
      let isField = host.table.columns.contains { $0.name == attribute.name }
      guard isField else { return .close }
      count(&host)
    }
    // The message line says why there are no counts, for example because counting was canceled.
    if case .failed = message, known == nil { return .close }
    guard let (question, counts) = message.answer(to: CountFieldValues.self),
      question.field == attribute.name, question.intervals == wanted
    else { return .stay }
    // The values of a line have another meaning.
    if known?.intervals != counts.intervals { frame.sort(by: nil, values) }
    known = counts
    let counted = self
    frame.setLines(counts.parts, text: { counted.label(of: $0, host) }, values: values)
    return .stay
  }

  private func count(_ host: inout ScreenHost) {
    host.ask(CountFieldValues(field: attribute.name, intervals: wanted))
  }

  /// The columns of `freq`, with the title of a linked record, or where intervals begin and end.
  var valueNames: [String] {
    if areIntervals { return ["from", "count", "to"] }
    return ["value", "count"] + (isLink ? ["title"] : [])
  }

  func values(of line: Distribution.Part) -> [Value] {
    let values = [line.value, .integer(Int64(line.count))]
    if areIntervals { return values + [line.end ?? .null] }
    return values + (isLink ? [line.title.map { .text($0) } ?? .null] : [])
  }

  private var areIntervals: Bool { known.map { $0.intervals != .values } ?? false }

  private var isLink: Bool { attribute.type.destination != nil }

  /// The value in the format of the column; nil if that shows it as it is.
  private func formatted(_ value: Value, _ host: ScreenHost) -> String? {
    host.table.columns.first { $0.name == attribute.name }?.look.format
      .exactText(of: value, today: host.table.today)
  }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let canDivide = known.map { $0.choices.count > 1 } ?? false
    let own: [any KeyAction] = canDivide ? [CountsAction.intervals] : []
    return [ListAction.accept, CountsAction.exclude] + own + Self.listHints.dropFirst()
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    action as? ListAction == .accept ? "filter" : nil
  }

  /// Adds the marked values, or the selected one, to the filter of the table.
  func accept(_ line: Distribution.Part, _ host: inout ScreenHost) -> Transition {
    narrow(excluding: false, &host)
  }

  mutating func perform(own action: CountsAction, _ host: inout ScreenHost) -> Transition {
    switch action {
    case .exclude: return narrow(excluding: true, &host)
    case .intervals:
      guard let known, known.choices.count > 1 else {
        host.warn("intervals: only different numbers or days have some")
        return .stay
      }
      let place = known.choices.firstIndex(of: known.intervals).map { $0 + 1 } ?? 0
      wanted = known.choices[place % known.choices.count]
      count(&host)
      return .stay
    }
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
      added = filter(of: chosen)
    }
    host.filter(by: host.table.filter.and(excluding ? .not(added) : added, at: path))
    return .close
  }

  /// The field has one of the values, or one in the intervals.
  private func filter(of parts: [Distribution.Part]) -> Filter {
    let values = parts.filter { $0.end == nil }.map(\.value)
    let intervals = parts.compactMap { part in
      part.end.map { end in
        Filter.and([
          .compare(attribute.name, .greaterOrEqual, part.value),
          .compare(attribute.name, .less, end),
        ])
      }
    }
    let all = (values.isEmpty ? [] : [Filter.isOne(of: values, attribute.name)]) + intervals
    return all.count == 1 ? all[0] : .or(all)
  }

  /// The path to the title of a linked record, if that names the record; nil if only the identifier does.
  private func titlePath(of entry: Distribution.Part, _ host: ScreenHost) -> FieldPath? {
    guard case .link(let destination) = attribute.type, let title = entry.title,
      !title.hasSuffix("…"), frame.lines.count(where: { $0.title == title }) == 1,
      let entity = host.table.entity,
      let field = host.schema.entitiesByName[destination].flatMap(RecordTitle.titleField)
    else { return nil }
    // An invalid path is none.
    return (try? FieldPath("\(attribute.name).\(field)", of: entity, in: host.schema)) ?? nil
  }

  func look(_ host: ScreenHost) -> ListLook {
    let sheet = host.layout.sheet(lines: max(3, frame.lines.count + 1))
    let marked = host.table.marks
    let scope = marked.isEmpty ? counted(total) : marked.recordsText
    let found = [
      "\(counted(known?.valueCount ?? 0, "value")) in \(scope)", known?.intervals.text,
      frame.position,
    ]
    let inner = Sheet.inside(sheet).width
    let shares: [ListLook.Column] =
      inner < Self.leastForShares
      ? []
      : [
        .init(name: "%", width: 5, alignment: .right),
        .init(name: "cum", width: 4, alignment: .right),
      ]
    return ListLook(
      sheet: sheet,
      title:
        "\(attribute.name): \(known == nil ? "counting …" : found.compactMap { $0 }.joined(separator: " · "))",
      [
        .init(name: attribute.name, width: min(Self.widestValue, inner / 2)),
        .init(name: "records", width: max(7, String(total).count), alignment: .right),
      ] + shares + [.init()]
    )
  }

  /// Longer values are cut, so that there is room for the bars.
  private static let widestValue = 36
  /// On a narrower screen, the bars have the room of the shares.
  private static let leastForShares = 60

  private var total: Int { known?.parts.last?.cumulated ?? 0 }

  func cells(of line: Distribution.Part, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let isMissing = line.value.isNull
    let label = label(of: line, host, clippedTo: look.width(ofColumn: 0))
    let barColumn = look.columnCount - 1
    let shares =
      barColumn == 2
      ? []
      : [
        ListCell(Self.tenths(line.count, of: total)),
        // It would mean nothing in another order.
        ListCell(frame.order == nil ? "\(line.cumulated * 100 / max(1, total))" : "", .dim),
      ]
    return [ListCell(label, isMissing ? .dim : nil), ListCell(String(line.count))] + shares
      + [
        ListCell(
          Self.bar(line.count, of: known?.greatestCount ?? 1, in: look.width(ofColumn: barColumn)),
          .bar
        )
      ]
  }

  /// A share in percent, with a digit after the point.
  private static func tenths(_ count: Int, of total: Int) -> String {
    let tenths = (count * 1000 + total / 2) / max(1, total)
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func bar(_ count: Int, of most: Int, in width: Int) -> String {
    let halves = count == 0 ? 0 : max(1, 2 * (width - 1) * count / most)
    return String(repeating: "━", count: halves / 2) + (halves % 2 == 0 ? "" : "╸")
  }

  /// The value, or the interval: `200 – 400`, `1990 – 1994` of whole numbers, `2024-03`, `2024 Q1`.
  private func label(of part: Distribution.Part, _ host: ScreenHost, clippedTo width: Int = .max)
    -> String
  {
    if let title = part.title { return title }
    func text(_ value: Value) -> String {
      formatted(value, host)
        ?? ValueText(value, of: attribute, clippedTo: min(width, 4000)).text.plain
    }
    guard let end = part.end else { return text(part.value) }
    if case .calendar(let unit) = known?.intervals { return part.value.name(of: unit) }
    if case (.integer(let first), .integer(let next)) = (part.value, end) {
      let last = text(.integer(next - 1))
      return next - first == 1 ? last : "\(text(part.value)) – \(last)"
    }
    return "\(text(part.value)) – \(text(end))"
  }
}

extension Value {
  /// The part of the calendar that begins on this day: `2024`, `2024 Q1`, `2024-03`, or a day.
  fileprivate func name(of unit: String) -> String {
    let day = text.prefix(10)
    switch unit {
    case "year": return String(day.prefix(4))
    case "quarter": return "\(day.prefix(4)) Q\(((Int(day.dropFirst(5).prefix(2)) ?? 1) + 2) / 3)"
    case "month": return String(day.prefix(7))
    case "week": return "week of \(day)"
    default: return String(day)
    }
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

/// The actions of the keys that counts have besides those of all lists.
enum CountsAction: String, KeyAction {
  case exclude, intervals

  static let place = KeyPlace("counts", "In the counts of a column")

  var binding: KeyBinding {
    switch self {
    case .exclude: KeyBinding(["-"], "hide the records with the marked values, or with this one")
    case .intervals:
      KeyBinding(["b"], "count numbers or days in wider intervals, then each value by itself")
    }
  }
}

/// How the values of a field are spread over the records of the list, or over the marked ones.
struct CountFieldValues: Question {
  let field: String
  /// What they are counted in; nil for what shows them best.
  var intervals: Intervals?
  var work: String { "counting values" }

  /// - Complexity: O(n) in the records listed.
  func answer(by reader: ListReader) throws -> Distribution? {
    let sorted = try ValueRanking.sorted(try reader.counts(of: field, ofMarked: true))
    let names = try reader.session.context.namingLinks(sorted.map(\.value))
    let values = zip(sorted, names).map { count, title in
      ValueCount(
        value: count.value,
        count: count.count,
        title: title == count.value ? nil : title.text
      )
    }
    return Distribution(values, in: intervals)
  }
}
