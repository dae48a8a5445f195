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
  /// One decision: a field, or a record that one side deleted.
  private struct Line: Sendable {
    let record: Int
    let difference: RecordConflict.Difference?
  }

  private var reports: [ConflictReport]
  private var lines: [Line] = []
  var frame = ListFrame()

  init(_ reports: [ConflictReport]) {
    self.reports = reports
    arrange(selecting: nil)
  }

  var place: KeyPlace { ConflictAction.place }
  var isOpaque: Bool { true }
  var shows: ShownResult? { .conflicts }

  func hints(_ host: ScreenHost) -> [any KeyAction] { ConflictAction.allCases }

  func area(_ host: ScreenHost) -> Rect {
    Rect(x: 0, y: 1, width: host.size.columns, height: max(1, host.layout.statusLine / 3))
  }

  private mutating func arrange(selecting key: [String]?) {
    lines = reports.enumerated().flatMap { record, report in
      report.conflict.kind == .changed
        ? report.conflict.differences.map { Line(record: record, difference: $0) }
        : [Line(record: record, difference: nil)]
    }
    let texts = lines.map { "\(reports[$0.record].title) \($0.difference?.name ?? "")" }
    frame.setLines(
      texts,
      selecting: key.flatMap { key in lines.firstIndex { self.key(of: $0) == key } }
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

  func accept(_ host: inout ScreenHost) -> Transition {
    host.warn("press m to keep mine, t to take theirs")
    return .stay
  }

  func leave(_ host: inout ScreenHost) -> Transition {
    host.say("not saved, your changes are kept; use :conflicts to continue")
    return .close
  }

  private func resolve(_ side: RecordConflict.Side, _ host: inout ScreenHost) {
    guard let line = frame.selected.map({ lines[$0] }) else { return }
    host.perform(
      ResolveConflicts(
        identifier: reports[line.record].conflict.persistentIdentifier,
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

  /// Shows the conflicts as they are now, with the same line selected if it still exists.
  private mutating func show(_ conflicts: [ConflictReport]) {
    let former = frame.selected.map { key(of: lines[$0]) }
    reports = conflicts
    arrange(selecting: former)
  }

  private func key(of line: Line) -> [String] {
    let identifier = reports[line.record].conflict.persistentIdentifier
    return [identifier.entityName, identifier.description, line.difference?.name ?? ""]
  }

  // MARK: Drawing

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    canvas.write(
      DisplayText(
        "conflicts with another program:  m  keep mine   t  take theirs   M T  all  \(frame.position)"
      ),
      at: Point(x: 1, y: 0),
      width: columns - 1,
      role: .header
    )
    let room = max(0, host.layout.statusLine - 6)
    let details = detailLines(columns, rowsOfValue: min(3, max(1, (room - 1) / 3)))
    guard details.count < room else {
      drawList(on: &canvas, rows: 1..<max(2, host.layout.statusLine))
      return frame.filter.draw(on: &canvas, host.layout, note: frame.position)
    }
    let bottom = host.layout.statusLine - details.count - 1
    drawList(on: &canvas, rows: 1..<max(2, bottom))
    draw(details, on: &canvas, from: bottom)
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }

  /// Draws the lines around the selected one, with the title of a record above its first line.
  private func drawList(on canvas: inout Canvas, rows: Range<Int>) {
    var y = rows.lowerBound
    var record: Int?
    for place in linesShown(rows: rows.count) {
      let line = lines[place]
      if line.record != record {
        guard y + 1 < rows.upperBound else { return }
        drawTitle(of: line.record, on: &canvas, y)
        y += 1
        record = line.record
      }
      guard y < rows.upperBound else { return }
      draw(line, isSelected: place == frame.selected, on: &canvas, y)
      y += 1
    }
  }

  /// The lines to draw, starting so that the selected one is visible.
  private func linesShown(rows: Int) -> [Int] {
    var before: [Int] = []
    var used = 2
    var record = frame.selected.map { lines[$0].record }
    for place in frame.beforeSelected {
      used += lines[place].record == record ? 1 : 2
      if used > max(2, rows / 2) { break }
      record = lines[place].record
      before.insert(place, at: 0)
    }
    return before + frame.fromSelected
  }

  private func drawTitle(of record: Int, on canvas: inout Canvas, _ y: Int) {
    let report = reports[record]
    let entity = report.conflict.persistentIdentifier.entityName
    canvas.write(
      DisplayText("\(entity) \(report.title)"),
      at: Point(x: 1, y: y),
      width: canvas.size.columns - 1,
      role: .title
    )
  }

  private func draw(_ line: Line, isSelected: Bool, on canvas: inout Canvas, _ y: Int) {
    let columns = canvas.size.columns
    let role: Role = isSelected ? .popupSelected : .normal
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: role)
    canvas.write(isSelected ? ">" : " ", at: Point(x: 1, y: y), role: role)
    let nameWidth = min(20, columns / 5)
    let side = max(4, (columns - nameWidth - 20) / 2)
    let name = line.difference?.name ?? "the record"
    canvas.write(DisplayText(name), at: Point(x: 3, y: y), width: nameWidth, role: role)
    var x = 3 + nameWidth + 1
    for (label, text) in [("mine", mine(line, side)), ("theirs", theirs(line, side))] {
      x =
        canvas.write(DisplayText(label), at: Point(x: x, y: y), role: isSelected ? role : .dim) + 1
      canvas.write(text, at: Point(x: x, y: y), width: side, role: role)
      x += side + 1
    }
  }

  private func mine(_ line: Line, _ width: Int) -> DisplayText {
    if let difference = line.difference {
      return ValueText(difference.mine, clippedTo: width).text
    }
    return DisplayText(reports[line.record].conflict.words.mine)
  }

  private func theirs(_ line: Line, _ width: Int) -> DisplayText {
    if let difference = line.difference {
      return ValueText(difference.theirs, clippedTo: width).text
    }
    return DisplayText(reports[line.record].conflict.words.theirs)
  }

  /// The selected line in full: the original value, and the value on each side.
  private func detailLines(_ columns: Int, rowsOfValue: Int)
    -> [(label: DisplayText, text: DisplayText)]
  {
    guard let line = frame.selected.map({ lines[$0] }) else { return [] }
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
      let conflict = reports[line.record].conflict
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
    if conflict.doubt?.candidate != nil { texts.append(("", values(\.theirs))) }
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

  static let place = KeyPlace("conflict")

  var binding: KeyBinding {
    func binding(_ keys: [Key], _ summary: String, hint: String? = nil) -> KeyBinding {
      KeyBinding("In the conflict view", keys, summary, hint: hint)
    }
    return switch self {
    case .keepMine: binding([.character("m")], "keep my version of this value")
    case .takeTheirs: binding([.character("t")], "take their version of this value")
    case .keepAllMine: binding([.character("M")], "keep my version of all values")
    case .takeAllTheirs: binding([.character("T")], "take their version of all values")
    case .leave:
      binding(
        [.escape, .character("q")],
        "close; remaining conflicts stay unresolved and nothing is saved",
        hint: "close"
      )
    case .help: binding([.function(1), .character("?")], "show the keys")
    }
  }
}
