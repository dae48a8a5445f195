import OpenSwiftData

/// What was saved of a record and when; one of these states can be brought back.
struct HistoryScreen: Screen {
  private let identifier: PersistentIdentifier
  private var entries: [HistoryEntry] = []
  private var failure: String?
  private var list = ScrollList()
  private var isDeleted = false

  init(identifier: PersistentIdentifier) { self.identifier = identifier }

  var place: ScreenCommand.Place { .list }
  var record: PersistentIdentifier? { identifier }
  var isOpaque: Bool { true }

  func hints(_ app: AppState) -> [String] { ["accept", "leave", "page down", "page up", "help"] }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    switch event {
    case .interrupt: return .close
    case .mouse(let mouse):
      if mouse.kind == .scrollDown { list.select(list.selected + 1) }
      if mouse.kind == .scrollUp { list.select(list.selected - 1) }
    case .key(let key):
      guard let command = app.keys.command(for: key, at: .list) else { return .stay }
      if list.handle(command.name, page: app.layout.statusLine / 4) { return .stay }
      if command.name == "help" { return .open(TextScreen.help(app, from: .list)) }
      if command.name == "accept" { return revert(&app) }
      return .close
    default: break
    }
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    if case .refreshed(_, _, _, let gone, _) = message {
      isDeleted = isDeleted || gone.contains(identifier)
      app.request(.readHistory(identifier))
    }
    guard case .history(let identifier, let entries, let failure) = message,
      identifier == self.identifier
    else { return .stay }
    let former = self.entries.indices.contains(list.selected) ? self.entries[list.selected] : nil
    self.entries = entries
    self.failure = failure
    list.count = entries.count
    list.select(entries.firstIndex { $0.token == former?.token } ?? list.selected)
    return .stay
  }

  private func revert(_ app: inout AppState) -> Transition {
    guard entries.indices.contains(list.selected) else { return .close }
    if let reason = app.readOnlyReason {
      app.warn("cannot revert: \(reason)")
      return .stay
    }
    guard let token = entries[list.selected].token else {
      app.warn("not saved yet; press u to undo or w to save")
      return .stay
    }
    let name = CommandLine.quoted(identifier.description)
    app.run("revert \(name) to \(token)")
    return .close
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let columns = canvas.size.columns
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    canvas.write(
      DisplayText(
        "history of \(identifier)\(isDeleted ? " (deleted by another program)" : ""),"
          + " newest first; Enter restores a state"
      ),
      at: Point(x: 1, y: 0),
      width: columns - 1,
      role: .header
    )
    guard !entries.isEmpty else {
      let text =
        failure
        ?? (identifier.isTemporary
          ? "not saved yet; its history begins with the first save"
          : "no history for this record; log stores keep history (see :help saveas)")
      canvas.write(DisplayText(text), at: Point(x: 1, y: 1), width: columns - 1, role: .dim)
      return
    }
    var y = 1
    for place in firstEntry(rows: app.layout.statusLine - 1)..<entries.count {
      guard y < app.layout.statusLine else { break }
      let entry = entries[place]
      let isSelected = place == list.selected
      canvas.write(
        DisplayText((isSelected ? "> " : "  ") + entry.title),
        at: Point(x: 0, y: y),
        width: columns,
        role: isSelected ? .popupSelected : .title
      )
      y += 1
      for line in entry.lines where y < app.layout.statusLine {
        canvas.write(DisplayText(line), at: Point(x: 4, y: y), width: columns - 4, role: .normal)
        y += 1
      }
    }
  }

  /// The first entry to draw so that the selected one begins on the screen.
  private func firstEntry(rows: Int) -> Int {
    var first = list.selected
    var used = 1
    while first > 0, used + 1 + entries[first - 1].lines.count <= max(1, rows / 2) {
      first -= 1
      used += 1 + entries[first].lines.count
    }
    return first
  }
}
