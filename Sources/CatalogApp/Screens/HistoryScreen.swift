import OpenSwiftData

/// The saved transactions of a record, with a line for each field that they changed.
///
/// A line of a field restores the value before the change; the line above it restores the record as after the save.
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

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let accept: [ListAction] =
      frame.selected != nil && reasonNotToRestore(host) == nil ? [.accept] : []
    return accept + [.leave, .filter, .pageDown, .pageUp, .help] as [ListAction]
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    guard case .accept? = action as? ListAction, let place = frame.selected else { return nil }
    let row = rows[place]
    let save = entries[row.entry].token.map { "save \($0)" } ?? "the save"
    guard let former = row.line.flatMap({ entries[row.entry].lines[$0].former }) else {
      return "restore the record as after \(save)"
    }
    return "restore \(former.field) as before \(save)"
  }

  /// The reason why nothing can be restored; nil if something can.
  private func reasonNotToRestore(_ host: ScreenHost) -> String? {
    if let reason = host.readOnlyReason { return "cannot revert: \(reason)" }
    let token = frame.selected.flatMap { entries[rows[$0].entry].token }
    return token == nil ? "not saved yet; press u to undo or w to save" : nil
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed(_, _, _, let gone, _, _) = message {
      isDeleted = isDeleted || gone.contains(identifier)
      host.ask(ReadHistory(record: identifier))
    }
    guard let (question, found) = message.answer(to: ReadHistory.self),
      question.record == identifier
    else { return .stay }
    let entries = found.entries
    let former = frame.selected.map { (token: self.entries[rows[$0].entry].token, row: rows[$0]) }
    self.entries = entries
    failure = found.failure
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
    let row = rows[place]
    let entry = entries[row.entry]
    if let reason = reasonNotToRestore(host) { host.warn(reason) }
    guard let token = entry.token, host.readOnlyReason == nil else { return .stay }
    if let line = row.line, let former = entry.lines[line].former {
      host.perform(
        RestoreField(
          identifier: identifier,
          field: former.field,
          value: former.value,
          token: token
        )
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
          + " newest first  \(frame.position)"
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

/// The saved transactions of a record, newest first, after its unsaved changes.
struct ReadHistory: Question {
  struct Reply: Hashable, Sendable {
    let entries: [HistoryEntry]
    /// The reason why the transactions could not be read; nil if they were.
    let failure: String?
  }

  let record: PersistentIdentifier
  var work: String { "reading the history" }

  func answer(by reader: ListReader) -> Reply? {
    let session = reader.session
    let context = session.context
    let width = reader.facts.width - HistoryScreen.indent
    var unsaved: [HistoryEntry] = []
    do {
      let own = HistoryEntry(
        token: nil,
        title: "not saved yet",
        try context.withFormerValues(context.pendingChanges),
        session.convertedValues(by: context.unsavedSchemaSteps),
        of: record,
        width: width
      )
      unsaved = own.map { [$0] } ?? []
      let saved = try context.transactions(touching: record).reversed().compactMap { own in
        let by = own.author.map { " by \($0)" } ?? ""
        let message = own.message.map { ": \($0)" } ?? ""
        return HistoryEntry(
          token: own.token,
          title: "\(own.token)  \(session.services.clock.text(of: own.timestamp))\(by)\(message)",
          own.changesWithFormerValues,
          session.convertedValues(by: own.steps),
          of: record,
          width: width
        )
      }
      return Reply(entries: unsaved + saved, failure: nil)
    } catch {
      return Reply(entries: unsaved, failure: errorLine(error))
    }
  }
}
