package import OpenSwiftData

/// A record with a conflict, and its title.
package struct ConflictReport: Hashable, Sendable {
  /// The conflicting changes.
  package let conflict: RecordConflict
  /// The record in a few words.
  package let title: String
}

/// The values changed both here and by another program, side by side: mine and theirs, field by field.
///
/// This screen writes nothing: a resolved value becomes an unsaved change, or is no longer one.
struct ConflictScreen: ListScreen {
  /// One decision: a field, or a record that one side deleted or that may be another one.
  struct Line: Sendable {
    let report: ConflictReport
    let difference: RecordConflict.Difference?

    var record: PersistentIdentifier { report.conflict.persistentIdentifier }

    static func == (left: Line, right: Line?) -> Bool {
      left.record == right?.record && left.difference?.name == right?.difference?.name
    }
  }

  var frame = ListFrame<Line>()

  init(_ reports: [ConflictReport]) { show(reports) }

  var place: KeyPlace { ConflictAction.place }
  var isOpaque: Bool { true }
  var shows: ShownResult? { .conflicts }

  func hints(_ host: ScreenHost) -> [any KeyAction] { ConflictAction.allCases }

  /// Shows the conflicts as they are now, with the same line selected if it still exists.
  private mutating func show(_ reports: [ConflictReport]) {
    let former = frame.selected
    frame.setLines(
      reports.flatMap { report in
        report.conflict.isAboutValues
          ? report.conflict.differences.map { Line(report: report, difference: $0) }
          : [Line(report: report, difference: nil)]
      },
      text: { "\($0.report.title) \($0.difference?.name ?? "")" },
      selecting: { $0 == former }
    )
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    switch event {
    case .mouse(let mouse) where mouse.kind != .scrollDown && mouse.kind != .scrollUp: return .stay
    case .key(let key) where !frame.filter.isTyped:
      guard let action: ConflictAction = host.keys.action(for: key) else {
        return handleList(event, &host)
      }
      return perform(action, &host)
    default: return handleList(event, &host)
    }
  }

  private func perform(_ action: ConflictAction, _ host: inout ScreenHost) -> Transition {
    switch action {
    case .keepMine: resolve(.mine, &host)
    case .takeTheirs: resolve(.theirs, &host)
    case .keepAllMine: host.perform(ResolveConflicts(identifier: nil, side: .mine, fields: []))
    case .takeAllTheirs: host.perform(ResolveConflicts(identifier: nil, side: .theirs, fields: []))
    case .help: return .open(TextScreen.help(host.keys, from: place))
    case .leave: return leave(&host)
    }
    return .stay
  }

  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition { acceptNothing(&host) }

  func acceptNothing(_ host: inout ScreenHost) -> Transition {
    host.warn("press m to keep mine, t to take theirs")
    return .stay
  }

  func leave(_ host: inout ScreenHost) -> Transition {
    host.say("not saved, your changes are kept; use :conflicts to continue")
    return .close
  }

  private func resolve(_ side: RecordConflict.Side, _ host: inout ScreenHost) {
    guard let line = frame.selected else { return }
    host.perform(
      ResolveConflicts(
        identifier: line.record,
        side: side,
        fields: line.difference.map { [$0.name] } ?? []
      )
    )
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    let conflicts: [ConflictReport]?
    switch message {
    case .ran(let report): conflicts = report.conflicts
    case .refreshed(_, _, _, _, let shown, _): conflicts = shown
    default: conflicts = nil
    }
    guard let conflicts else { return .stay }
    guard !conflicts.isEmpty else { return .close }
    show(conflicts)
    return .stay
  }

  func values(of line: Line) -> [Value] {
    let words = line.report.conflict.words
    return [
      .text(line.report.title), .text(line.difference?.name ?? "the record"),
      line.difference?.mine ?? .text(words.mine), line.difference?.theirs ?? .text(words.theirs),
    ]
  }

  // MARK: Drawing

  func look(_ host: ScreenHost) -> ListLook {
    let columns = host.size.columns
    let name = min(20, columns / 5)
    let side = max(4, (columns - name - 20) / 2)
    var look = ListLook(
      page: host.layout,
      title: "conflicts with another program:"
        + "  m  keep mine   t  take theirs   M T  all  \(frame.position)",
      [.init(width: name), .init(width: 4), .init(width: side), .init(width: 6), .init()]
    )
    look.lines = Rect(x: 1, y: 1, width: columns - 1, height: max(1, host.layout.statusLine / 3))
    return look
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let words = line.report.conflict.words
    func side(_ value: Value?, _ word: String) -> ListCell {
      ListCell(value.map { ValueText($0, clippedTo: look.width(ofColumn: 2)).text.plain } ?? word)
    }
    return [
      ListCell(line.difference?.name ?? "the record"),
      ListCell("mine", .dim), side(line.difference?.mine, words.mine),
      ListCell("theirs", .dim), side(line.difference?.theirs, words.theirs),
    ]
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let look = look(host)
    look.drawFrame(on: &canvas, 0..<0, of: 0, isEmpty: false)
    let room = max(0, host.layout.statusLine - 6)
    let details = detailLines(canvas.size.columns, rowsOfValue: min(3, max(1, (room - 1) / 3)))
    let fits = details.count < room
    let bottom = host.layout.statusLine - (fits ? details.count + 1 : 0)
    drawList(look, on: &canvas, rows: 1..<max(2, bottom), host)
    if fits { draw(details, on: &canvas, from: bottom) }
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }

  /// Draws the lines around the selected one, with the title of a record above its first line.
  private func drawList(
    _ look: ListLook,
    on canvas: inout Canvas,
    rows: Range<Int>,
    _ host: ScreenHost
  ) {
    var y = rows.lowerBound
    var record: PersistentIdentifier?
    for place in firstPlace(rows: rows.count)..<frame.shownCount {
      let line = frame[place]
      if line.record != record {
        guard y + 1 < rows.upperBound else { return }
        canvas.write(
          DisplayText("\(line.record.entityName) \(line.report.title)"),
          at: Point(x: 1, y: y),
          width: canvas.size.columns - 1,
          role: .title
        )
        y += 1
        record = line.record
      }
      guard y < rows.upperBound else { return }
      let cells = cells(of: line, look, host)
      look.draw(cells, inRow: y - look.lines.minY, isSelected: place == frame.place, on: &canvas)
      y += 1
    }
  }

  /// The position of the first line to draw, so that the selected one is visible.
  private func firstPlace(rows: Int) -> Int {
    var used = 2
    var record = frame.selected?.record
    for place in (0..<frame.place).reversed() {
      used += frame[place].record == record ? 1 : 2
      if used > max(2, rows / 2) { return place + 1 }
      record = frame[place].record
    }
    return 0
  }

  /// The selected line in full: the original value, and the value on each side.
  private func detailLines(_ columns: Int, rowsOfValue: Int)
    -> [(label: DisplayText, text: DisplayText)]
  {
    guard let line = frame.selected else { return [] }
    let width = max(1, columns - 10)
    func whole(_ value: Value) -> DisplayText {
      ValueText(value, clippedTo: rowsOfValue * width).text
    }
    var texts: [(label: DisplayText, text: DisplayText)] = []
    if let difference = line.difference {
      texts.append(("was", whole(difference.base)))
      texts.append(("mine", whole(difference.mine)))
      texts.append(("theirs", whole(difference.theirs)))
    } else {
      let conflict = line.report.conflict
      if conflict.doubt != nil { return doubtLines(of: conflict, width, rowsOfValue) }
      let names = DisplayText(conflict.differences.map(\.name).joined(separator: ", "))
      let isMine = conflict.kind == .deletedHere
      texts.append(("mine", isMine ? "the record is deleted" : "changed: " + names))
      texts.append(("theirs", isMine ? "changed: " + names : "the record is deleted"))
    }
    return wrapped(texts, width, rowsOfValue)
  }

  /// Both records of a conflict about which it is not certain that they are the same.
  private func doubtLines(of conflict: RecordConflict, _ width: Int, _ rowsOfValue: Int)
    -> [(label: DisplayText, text: DisplayText)]
  {
    func values(_ value: (RecordConflict.Difference) -> Value) -> DisplayText {
      DisplayText(
        conflict.differences.map { "\($0.name): \(value($0).text)" }.joined(separator: ", ")
      )
    }
    let (mine, theirs) = conflict.words
    var texts: [(label: DisplayText, text: DisplayText)] = []
    if conflict.kind != .addedElsewhere { texts.append(("was", values(\.base))) }
    texts.append(("mine", conflict.kind == .deletedHere ? DisplayText(mine) : values(\.mine)))
    texts.append(("theirs", DisplayText(theirs)))
    if conflict.kind == .changed || conflict.doubt?.candidate != nil {
      texts.append(("", values(\.theirs)))
    }
    return wrapped(texts, width, rowsOfValue)
  }

  private func wrapped(
    _ texts: [(label: DisplayText, text: DisplayText)],
    _ width: Int,
    _ rowsOfValue: Int
  ) -> [(label: DisplayText, text: DisplayText)] {
    texts.flatMap { entry in
      entry.text.wrapped(to: width).prefix(rowsOfValue).enumerated().map { row, part in
        (label: row == 0 ? entry.label : .empty, text: part)
      }
    }
  }

  private func draw(
    _ details: [(label: DisplayText, text: DisplayText)],
    on canvas: inout Canvas,
    from top: Int
  ) {
    let columns = canvas.size.columns
    canvas.fill(Rect(x: 0, y: top, width: columns, height: 1), role: .popupBorder)
    canvas.write(
      DisplayText(String(repeating: "─", count: columns)),
      at: Point(x: 0, y: top),
      role: .popupBorder
    )
    for (place, entry) in details.enumerated() {
      let y = top + 1 + place
      canvas.write(entry.label, at: Point(x: 1, y: y), role: .dim)
      canvas.write(entry.text, at: Point(x: 9, y: y), width: max(1, columns - 10), role: .normal)
    }
  }
}

/// The actions of keys on the conflict screen, in addition to those of a list.
enum ConflictAction: String, KeyAction {
  case keepMine = "keep mine"
  case takeTheirs = "take theirs"
  case keepAllMine = "keep all mine"
  case takeAllTheirs = "take all theirs"
  case leave, help

  static let place = KeyPlace("conflict", "In the conflict view")

  var binding: KeyBinding {
    switch self {
    case .keepMine: KeyBinding(["m"], "keep my version of this value")
    case .takeTheirs: KeyBinding(["t"], "take their version of this value")
    case .keepAllMine: KeyBinding(["M"], "keep my version of all values")
    case .takeAllTheirs: KeyBinding(["T"], "take their version of all values")
    case .leave:
      KeyBinding(
        [.escape, "q"],
        "close; remaining conflicts stay unresolved and nothing is saved",
        hint: "close"
      )
    case .help: KeyBinding([.function(1), "?"], "show the keys")
    }
  }
}
