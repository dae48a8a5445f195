import OpenSwiftData

/// What a command would change, each value before and after, of which some records can be skipped.
///
/// Only the visible lines are made into text.
struct PreviewScreen: ListScreen {
  /// A line by its place in the preview; the lines of a record share its identifier.
  struct Line: Identifiable, Sendable {
    let place: Int
    let id: PersistentIdentifier
  }

  private var preview: ChangePreview
  var frame = ListFrame<Line>()
  private var skipped: Set<PersistentIdentifier> = []
  /// The records in a few words, as far as they were visible.
  private var labels: [PersistentIdentifier: String] = [:]
  private var awaited: [PersistentIdentifier] = []
  /// True as soon as the lines can be filtered.
  private var hasTexts = false

  init(_ preview: ChangePreview, _ host: inout ScreenHost) {
    self.preview = preview
    show()
    askLabels(&host)
  }

  var isOpaque: Bool { true }
  var shows: ShownResult? { .preview }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let own: [any KeyAction] = preview.isDivisible ? PreviewAction.allCases : []
    return [ListAction.accept] + own + [ListAction.leave, ListAction.filter, ListAction.help]
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    switch action as? ListAction {
    case .accept: "make the changes"
    case .leave: "change nothing"
    default: nil
    }
  }

  /// Shows the lines, those of a record together; most previews are not filtered, and a million texts take time.
  private mutating func show() {
    let (preview, hasTexts) = (self.preview, self.hasTexts)
    var lines = (0..<preview.count).compactMap { place in
      preview[place].map { Line(place: place, id: $0.record) }
    }
    if preview.count > preview.recordCount {
      let firsts = Dictionary(lines.map { ($0.id, $0.place) }) { first, _ in first }
      lines.sort { (firsts[$0.id] ?? 0, $0.place) < (firsts[$1.id] ?? 0, $1.place) }
    }
    frame.setLines(
      lines,
      text: { hasTexts ? preview.values(of: $0).map(\.text).joined(separator: " ") : "" },
      values: preview.values
    )
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    defer { askLabels(&host) }
    if !hasTexts, case .key(let key) = event,
      let action: ListAction = host.keys.action(for: key), action == .filter
    {
      hasTexts = true
      show()
    }
    return handleList(event, &host)
  }

  mutating func perform(own action: PreviewAction, _ host: inout ScreenHost) -> Transition {
    guard preview.isDivisible else {
      host.warn("links or the schema change; no record can be skipped")
      return .stay
    }
    switch action {
    case .tick:
      guard let line = frame.selected else { return .stay }
      if case .refused(let refused)? = preview[line.place] {
        host.warn("this record stays as it is: \(refused.reason)")
      } else if skipped.remove(line.id) == nil {
        skipped.insert(line.id)
      }
      // The next record, whose first line may not be the next one.
      while frame.selected?.id == line.id, frame.place + 1 < frame.shownCount {
        _ = frame.move(.down)
      }
    case .tickAll:
      let shown = (0..<frame.shownCount).map { frame[$0] }
        .filter { preview[$0.place]?.isRefused == false }.map(\.id)
      if skipped.isSuperset(of: shown) { skipped.subtract(shown) } else { skipped.formUnion(shown) }
    }
    return .stay
  }

  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition { acceptNothing(&host) }

  func acceptNothing(_ host: inout ScreenHost) -> Transition {
    guard skipped.count < preview.recordCount - preview.refused.count else {
      host.warn("no record is left to change; press Esc to cancel")
      return .stay
    }
    host.perform(ApplyPreview(preview: preview, skipped: skipped))
    return .stay
  }

  func leave(_ host: inout ScreenHost) -> Transition {
    host.say("nothing changed")
    return .close
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    switch message {
    case .refreshed:
      // What would change may be something else now.
      host.perform(preview.again.value)
    case .ran(let report):
      let instruction = report.request?.instruction.value
      guard instruction is ApplyPreview || instruction is PreviewChange else { return .stay }
      // The message line says what was done, or why it cannot be shown any more.
      guard case .screen(.preview(let new)) = report.answer else { return .close }
      if instruction is ApplyPreview {
        host.warn("another program has saved; look at the changes again")
      }
      preview = new
      labels = [:]
      skipped.formIntersection((0..<new.count).compactMap { new[$0]?.record })
      show()
      askLabels(&host)
    default:
      guard let (_, found) = message.answer(to: LabelRecords.self) else { return .stay }
      labels.merge(found) { $1 }
      awaited = []
    }
    return .stay
  }

  /// Asks for the titles of the visible records; only the preview has those of new ones.
  private mutating func askLabels(_ host: inout ScreenHost) {
    var wanted: [PersistentIdentifier] = []
    for line in frame.visible(look(host).lines.height).map({ frame[$0] })
    where labels[line.id] == nil {
      if case .changed(.inserted(let snapshot))? = preview[line.place] {
        labels[line.id] = host.schema.label(of: snapshot)
      } else {
        wanted.append(line.id)
      }
    }
    guard !wanted.isEmpty, wanted != awaited else { return }
    awaited = wanted
    host.ask(LabelRecords(records: wanted))
  }

  // MARK: Lines

  var valueNames: [String] { ["record", "field", "before", "after"] }

  func values(of line: Line) -> [Value] { preview.values(of: line) }

  func look(_ host: ScreenHost) -> ListLook {
    let count = skipped.isEmpty ? "" : ", \(skipped.count.groupedDigits) skipped"
    let (words, place) = ("\(preview.words)\(count): ", " · \(frame.position)")
    let width = host.size.columns
    let room = max(0, width - DisplayText(words + place).width - 2)
    let fields = frame.visible(host.layout.size.rows).lazy.compactMap { preview[frame[$0].place] }
    let field = min(fields.map { DisplayText($0.field).width }.max() ?? 0, width / 5)
    let record = min(30, width / 4)
    return ListLook(
      page: host.layout,
      title: words + DisplayText(preview.line, clippedTo: room).plain + place,
      details: 5,
      [
        .init(width: 1), .init(width: record), .init(width: max(1, field)),
        .init(width: max(4, (width - record - field - 9) / 2)), .init(width: 1), .init(),
      ]
    )
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    guard let content = preview[line.place] else { return [] }
    let isSkipped = skipped.contains(line.id)
    let difference = Difference(content, look)
    let role: Role? = isSkipped ? .dim : nil
    let sign = content.isRefused ? ListCell("!", .error) : ListCell(isSkipped ? " " : "✓", role)
    let texts = [label(of: line), content.field, difference.before.text].map { ListCell($0, role) }
    return [sign] + texts + [
      ListCell(content.isRefused ? "" : "→", .dim), ListCell(difference.after.text, role),
    ]
  }

  /// Draws the list, and what differs in the values once more in its color.
  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    drawList(on: &canvas, host)
    let look = look(host)
    let columns = (0..<6).map(look.width(ofColumn:))
    let after = look.lines.maxX - columns[5]
    let before = after - columns[3] - columns[4] - 2
    for (row, place) in frame.visible(look.lines.height).enumerated() {
      let line = frame[place]
      guard let content = preview[line.place], !content.isRefused, !skipped.contains(line.id) else {
        continue
      }
      let difference = Difference(content, look)
      for (side, x, width, role) in [
        (difference.before, before, columns[3], Role.deleted),
        (difference.after, after, columns[5], Role.inserted),
      ] where side.start.width < width {
        canvas.write(
          side.different,
          at: Point(x: x + side.start.width, y: look.lines.minY + row),
          width: width - side.start.width,
          role: role
        )
      }
    }
  }

  func details(of line: Line) -> [(label: String, text: DisplayText)] {
    guard let content = preview[line.place] else { return [] }
    let field = content.field.isEmpty ? "" : ", \(content.field)"
    let record = ("record", DisplayText("\(line.id.entityName) \(label(of: line))\(field)"))
    let texts = content.texts
    if content.isRefused { return [record, ("refused", texts.after)] }
    return [record, ("before", texts.before), ("after", texts.after)]
  }

  private func label(of line: Line) -> String {
    labels[line.id] ?? RowText.identifier(line.id).plain
  }
}

extension ChangePreview {
  /// The record, the field, and both values.
  fileprivate func values(of line: PreviewScreen.Line) -> [Value] {
    let content = self[line.place]
    let (before, after) = content?.values ?? (nil, nil)
    return [
      .text(line.id.description), .text(content?.field ?? ""), before ?? .null, after ?? .null,
    ]
  }
}

extension ChangePreview.Line {
  var record: PersistentIdentifier {
    switch self {
    case .refused(let refused): refused.record
    case .changed(let change): change.record
    }
  }

  fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }

  /// The field, or the part of its JSON that changes alone; empty for a whole record.
  fileprivate var field: String {
    switch self {
    case .refused(let refused): refused.field ?? ""
    case .changed: valueChange?.name ?? ""
    }
  }

  /// The values of the field, a whole record as text, or the reason for a refusal.
  fileprivate var values: (before: Value?, after: Value?) {
    switch self {
    case .refused(let refused): (nil, .text(refused.reason))
    case .changed(.inserted(let snapshot)): (nil, .text(Self.text(of: snapshot)))
    case .changed(.deleted(let snapshot)): (.text(Self.text(of: snapshot)), nil)
    case .changed(.updated): (valueChange?.before, valueChange?.after)
    }
  }

  /// The values as people read them.
  fileprivate var texts: (before: DisplayText, after: DisplayText) {
    let values = values
    func text(_ value: Value?, _ absent: String) -> DisplayText {
      value.map { ValueText($0, clippedTo: Difference.most).text } ?? DisplayText(absent)
    }
    if case .changed(.deleted) = self { return (text(values.before, ""), "deleted") }
    return (text(values.before, isRefused ? "" : "new"), text(values.after, "removed"))
  }

  private var valueChange: ValueChange? {
    guard case .changed(.updated(_, let field, let before, let after)) = self else { return nil }
    let parts = ValueChange.all(of: field, from: before, to: after)
    return parts.count == 1 ? parts[0] : ValueChange(name: field, before: before, after: after)
  }

  private static func text(of snapshot: DefaultSnapshot) -> String {
    zip(snapshot.layout.names, snapshot.orderedValues).filter { !$1.isNull }
      .map { "\($0): \($1.text)" }.joined(separator: ", ")
  }
}

/// Two values, of which a common beginning is cut if the difference would not be visible otherwise.
private struct Difference {
  struct Side {
    let start, different: DisplayText
    let text: String
  }

  let before, after: Side

  init(_ line: ChangePreview.Line, _ look: ListLook) {
    let texts = line.texts
    let (old, new) = (Array(texts.before.plain), Array(texts.after.plain))
    // Only of texts a part differs: 120 → 130 is another number, not another digit.
    let isText = if case (.text, .text) = line.values { true } else { false }
    let first = isText ? zip(old, new).prefix { $0 == $1 }.count : 0
    let rest = isText ? min(old.count, new.count) - first : 0
    let last = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let width = min(look.width(ofColumn: 3), look.width(ofColumn: 5))
    let isLong = max(texts.before.width, texts.after.width) > width
    let cut = isLong && first > Self.context ? first - Self.context : 0
    func side(_ characters: [Character]) -> Side {
      let start = (cut > 0 ? "…" : "") + String(characters[cut..<first])
      let different = String(characters[first..<(characters.count - last)])
      return Side(
        start: DisplayText(start),
        different: DisplayText(different),
        text: start + different + String(characters[(characters.count - last)...])
      )
    }
    (before, after) = (side(old), side(new))
  }

  /// The number of cells that are compared.
  static let most = 5000
  /// The number of equal characters before the difference.
  private static let context = 8
}

/// Records in a few words.
private struct LabelRecords: Question {
  let records: [PersistentIdentifier]
  var work: String { "reading" }
  var urgency: Urgency { .background }

  func answer(by reader: ListReader) throws -> [PersistentIdentifier: String]? {
    let context = reader.session.context
    return try context.snapshots(for: records).mapValues(context.schema.label)
  }
}

/// The actions of keys in a preview, besides those of all lists.
enum PreviewAction: String, KeyAction {
  case tick
  case tickAll = "tick all"

  static let place = KeyPlace("preview", "In the preview of a change")

  var binding: KeyBinding {
    switch self {
    case .tick:
      KeyBinding([.space], "skip the record, or change it after all", hint: "skip")
    case .tickAll: KeyBinding(["*"], "do so with all records that are shown", hint: "all")
    }
  }
}
