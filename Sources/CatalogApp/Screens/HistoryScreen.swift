import OpenSwiftData

/// The saved transactions of a record; any of its states can be restored.
struct HistoryScreen: ListScreen {
  private let identifier: PersistentIdentifier
  private var entries: [HistoryEntry] = []
  private var failure: String?
  var frame = ListFrame()
  private var isDeleted = false

  init(identifier: PersistentIdentifier) { self.identifier = identifier }

  var record: PersistentIdentifier? { identifier }
  var isOpaque: Bool { true }

  func area(_ host: ScreenHost) -> Rect {
    Rect(x: 0, y: 1, width: host.size.columns, height: max(1, host.layout.statusLine / 4))
  }

  /// An entry takes several rows, so the wheel moves the selection and a click does not select.
  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .mouse(let mouse) = event, [.press, .double, .release].contains(mouse.kind) {
      return .stay
    }
    return handleList(event, &host)
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed(_, _, _, let gone, _, _) = message {
      isDeleted = isDeleted || gone.contains(identifier)
      host.request(.readHistory(identifier))
    }
    guard case .history(let identifier, let entries, let failure) = message,
      identifier == self.identifier
    else { return .stay }
    let former = frame.selected.map { self.entries[$0].token }
    self.entries = entries
    self.failure = failure
    frame.setLines(
      entries.map { ([$0.title] + $0.lines).joined(separator: " ") },
      selecting: former.flatMap { token in entries.firstIndex { $0.token == token } }
    )
    return .stay
  }

  func accept(_ host: inout ScreenHost) -> Transition {
    guard let place = frame.selected else { return .close }
    if let reason = host.readOnlyReason {
      host.warn("cannot revert: \(reason)")
      return .stay
    }
    guard let token = entries[place].token else {
      host.warn("not saved yet; press u to undo or w to save")
      return .stay
    }
    host.perform(Revert(identifier: identifier, token: token))
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    canvas.write(
      DisplayText(
        "history of \(identifier)\(isDeleted ? " (deleted by another program)" : ""),"
          + " newest first; Enter restores a state  \(frame.position)"
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
    for place in entriesShown(rows: host.layout.statusLine - 1) {
      guard y < host.layout.statusLine else { break }
      let entry = entries[place]
      let isSelected = place == frame.selected
      canvas.write(
        DisplayText((isSelected ? "> " : "  ") + entry.title),
        at: Point(x: 0, y: y),
        width: columns,
        role: isSelected ? .popupSelected : .title
      )
      y += 1
      for line in entry.lines where y < host.layout.statusLine {
        canvas.write(DisplayText(line), at: Point(x: 4, y: y), width: columns - 4, role: .normal)
        y += 1
      }
    }
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }

  /// The entries to draw, starting so that the selected one is visible.
  private func entriesShown(rows: Int) -> [Int] {
    var before: [Int] = []
    var used = 1
    for place in frame.beforeSelected {
      used += 1 + entries[place].lines.count
      if used > max(1, rows / 2) { break }
      before.insert(place, at: 0)
    }
    return before + frame.fromSelected
  }
}
