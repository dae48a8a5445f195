import OpenSwiftData

/// The saved transactions of a record, with a line for each field that they changed.
///
/// A line of a field puts the value before the change back; the line above it restores the state after the transaction.
struct HistoryScreen: ListScreen {
  /// A line: a transaction, or one of its changes.
  private struct Row: Hashable {
    let entry: Int
    var line: Int?
  }

  /// The cells before a line of a change.
  static let indent = 4

  private let identifier: PersistentIdentifier
  private var entries: [HistoryEntry] = []
  private var rows: [Row] = []
  private var failure: String?
  var frame = ListFrame()
  private var isDeleted = false

  init(identifier: PersistentIdentifier) { self.identifier = identifier }

  var record: PersistentIdentifier? { identifier }
  var isOpaque: Bool { true }

  func area(_ host: ScreenHost) -> Rect {
    Rect(x: 0, y: 1, width: host.size.columns, height: max(1, host.layout.statusLine - 1))
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed(_, _, _, let gone, _, _) = message {
      isDeleted = isDeleted || gone.contains(identifier)
      host.request(.readHistory(identifier))
    }
    guard case .history(let identifier, let entries, let failure) = message,
      identifier == self.identifier
    else { return .stay }
    let former = frame.selected.map { (token: self.entries[rows[$0].entry].token, row: rows[$0]) }
    self.entries = entries
    self.failure = failure
    rows = entries.indices.flatMap { entry in
      [Row(entry: entry)] + entries[entry].lines.indices.map { Row(entry: entry, line: $0) }
    }
    frame.setLines(
      rows.map { row in
        let entry = entries[row.entry]
        return entry.title + " " + (row.line.map { entry.lines[$0].text } ?? "")
      },
      selecting: former.flatMap { former in
        rows.firstIndex {
          entries[$0.entry].token == former.token && $0.line == former.row.line
        }
      }
    )
    return .stay
  }

  func accept(_ host: inout ScreenHost) -> Transition {
    guard let place = frame.selected else { return .close }
    if let reason = host.readOnlyReason {
      host.warn("cannot revert: \(reason)")
      return .stay
    }
    let row = rows[place]
    let entry = entries[row.entry]
    guard let token = entry.token else {
      host.warn("not saved yet; press u to undo or w to save")
      return .stay
    }
    if let line = row.line, let former = entry.lines[line].former {
      host.perform(
        RestoreField(identifier: identifier, field: former.field, value: former.value)
      )
    } else {
      host.perform(Revert(identifier: identifier, token: token))
    }
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    canvas.write(
      DisplayText(
        "history of \(identifier)\(isDeleted ? " (deleted by another program)" : ""),"
          + " newest first; Enter restores this \(selectedWord)  \(frame.position)"
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
          : host.status.keepsHistory
            ? "no saved changes of this record in the history yet"
            : "no history for this record; log stores keep history (see :help saveas)")
      canvas.write(DisplayText(text), at: Point(x: 1, y: 1), width: columns - 1, role: .dim)
      return
    }
    let area = area(host)
    for (line, place) in frame.visible(area.height).enumerated() {
      draw(rows[place], isSelected: place == frame.selected, at: area.minY + line, on: &canvas)
    }
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }

  /// What Enter restores: a state of the record, or the field of the line.
  private var selectedWord: String {
    guard let place = frame.selected, let line = rows[place].line,
      entries[rows[place].entry].lines[line].former != nil
    else { return "state" }
    return "field"
  }

  private func draw(_ row: Row, isSelected: Bool, at y: Int, on canvas: inout Canvas) {
    let entry = entries[row.entry]
    let text = row.line.map { "  " + entry.lines[$0].text } ?? entry.title
    canvas.write(
      DisplayText((isSelected ? "> " : "  ") + text),
      at: Point(x: 0, y: y),
      width: canvas.size.columns,
      role: isSelected ? .popupSelected : row.line == nil ? .title : .normal
    )
  }
}
