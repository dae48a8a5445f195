package import OpenSwiftData

/// A record with a conflict, and what to call it.
package struct ConflictReport: Hashable, Sendable {
  /// What contradicts what.
  package let conflict: RecordConflict
  /// The record in a few words.
  package let title: String
}

/// What was changed here and by others, side by side: mine, theirs, field by field.
///
/// Nothing is written here: what is settled is an unsaved change, or none any more.
struct ConflictScreen: Screen {
  /// One decision: a field, or a record that one side deleted.
  private struct Line: Sendable {
    let record: Int
    let difference: RecordConflict.Difference?
  }

  private var reports: [ConflictReport]
  private var lines: [Line] = []
  private var list = ScrollList()

  init(_ reports: [ConflictReport]) {
    self.reports = reports
    arrange()
  }

  var place: ScreenCommand.Place { .conflict }
  var isOpaque: Bool { true }

  private mutating func arrange() {
    lines = reports.enumerated().flatMap { record, report in
      report.conflict.kind == .changed
        ? report.conflict.differences.map { Line(record: record, difference: $0) }
        : [Line(record: record, difference: nil)]
    }
    list.count = lines.count
    list.select(list.selected)
  }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    switch event {
    case .interrupt: return leave(&app)
    case .mouse(let mouse):
      if mouse.kind == .scrollDown { list.select(list.selected + 1) }
      if mouse.kind == .scrollUp { list.select(list.selected - 1) }
    case .key(let key):
      return handle(key, &app)
    default: break
    }
    return .stay
  }

  private mutating func handle(_ key: Key, _ app: inout AppState) -> Transition {
    let command =
      app.keys.command(for: key, at: .conflict) ?? app.keys.command(for: key, at: .list)
    switch command?.name {
    case nil: break
    case "keep mine": settle(.mine, &app)
    case "take theirs": settle(.theirs, &app)
    case "keep all mine": app.run("resolve all mine")
    case "take all theirs": app.run("resolve all theirs")
    case "help": return .open(TextScreen.help(app, from: .conflict))
    case "accept": app.warn("press m to keep mine, t to take theirs")
    case "leave": return leave(&app)
    case let name?: _ = list.handle(name, page: app.layout.statusLine / 3)
    }
    return .stay
  }

  private func leave(_ app: inout AppState) -> Transition {
    app.say("not saved, your changes are kept; use :conflicts to continue")
    return .close
  }

  private func settle(_ side: RecordConflict.Side, _ app: inout AppState) {
    guard lines.indices.contains(list.selected) else { return }
    let line = lines[list.selected]
    let identifier = reports[line.record].conflict.persistentIdentifier.description
    let field = line.difference.map { " " + CommandLine.quoted($0.name) } ?? ""
    app.run("resolve \(CommandLine.quoted(identifier)) \(side.rawValue)\(field)")
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    let conflicts: [ConflictReport]?
    switch message {
    case .ran(let report): conflicts = report.conflicts
    case .refreshed(_, _, _, _, let shown): conflicts = shown
    default: conflicts = nil
    }
    guard let conflicts else { return .stay }
    guard !conflicts.isEmpty else { return .close }
    show(conflicts)
    return .stay
  }

  /// Shows the conflicts as they are by now, with the same line selected if it is still there.
  private mutating func show(_ conflicts: [ConflictReport]) {
    let former = lines.indices.contains(list.selected) ? key(of: lines[list.selected]) : nil
    reports = conflicts
    arrange()
    if let place = lines.firstIndex(where: { key(of: $0) == former }) { list.select(place) }
  }

  private func key(of line: Line) -> [String] {
    let identifier = reports[line.record].conflict.persistentIdentifier
    return [identifier.entityName, identifier.description, line.difference?.name ?? ""]
  }

  // MARK: Drawing

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let columns = canvas.size.columns
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    canvas.write(
      "conflicts with another program:  m  keep mine   t  take theirs   M T  all",
      at: Point(x: 1, y: 0),
      width: columns - 1,
      role: .header
    )
    let room = max(0, app.layout.statusLine - 6)
    let details = detailLines(columns, rowsOfValue: min(3, max(1, (room - 1) / 3)))
    guard details.count < room else {
      drawList(on: &canvas, rows: 1..<max(2, app.layout.statusLine))
      return
    }
    let bottom = app.layout.statusLine - details.count - 1
    drawList(on: &canvas, rows: 1..<max(2, bottom))
    draw(details, on: &canvas, from: bottom)
  }

  /// Draws the lines around the selected one; a record's name stands above its first one.
  private func drawList(on canvas: inout Canvas, rows: Range<Int>) {
    var y = rows.lowerBound
    for place in firstLine(rows: rows.count)..<lines.count {
      let line = lines[place]
      let isFirst = place == 0 || lines[place - 1].record != line.record
      if isFirst || y == rows.lowerBound {
        guard y + 1 < rows.upperBound else { return }
        drawTitle(of: line.record, on: &canvas, y)
        y += 1
      }
      guard y < rows.upperBound else { return }
      draw(line, isSelected: place == list.selected, on: &canvas, y)
      y += 1
    }
  }

  private func firstLine(rows: Int) -> Int {
    var first = list.selected
    var used = 2
    while first > 0 {
      used += lines[first - 1].record == lines[first].record ? 1 : 2
      if used > max(2, rows / 2) { break }
      first -= 1
    }
    return first
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
    return reports[line.record].conflict.kind == .deletedHere ? "deleted" : "changed"
  }

  private func theirs(_ line: Line, _ width: Int) -> DisplayText {
    if let difference = line.difference {
      return ValueText(difference.theirs, clippedTo: width).text
    }
    return reports[line.record].conflict.kind == .deletedHere ? "changed" : "deleted"
  }

  /// The selected line in full: what it was, and what each side made of it.
  private func detailLines(_ columns: Int, rowsOfValue: Int)
    -> [(label: DisplayText, text: DisplayText)]
  {
    guard lines.indices.contains(list.selected) else { return [] }
    let line = lines[list.selected]
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
      let names = DisplayText(conflict.differences.map(\.name).joined(separator: ", "))
      let isMine = conflict.kind == .deletedHere
      texts.append(("mine", isMine ? "the record is deleted" : "changed: " + names))
      texts.append(("theirs", isMine ? "changed: " + names : "the record is deleted"))
    }
    return texts.flatMap { entry in
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
