import OpenSwiftData

/// The record that an editor was opened for; it stays the same no matter what the table below shows.
struct EditedRecord: Sendable {
  let entity: Schema.Entity
  /// The record when the editor was opened.
  let row: TableRow
  /// The line of the table where it was shown.
  let line: Int
  /// Its state since the editor was opened.
  private(set) var state = State.listed

  enum State: Hashable, Sendable {
    case listed
    /// It exists, but the table no longer lists it.
    case unlisted
    case deleted
  }

  /// Starts with the record under the cursor.
  init?(_ host: ScreenHost) {
    guard let entity = host.table.entity, let row = host.table.currentRow,
      row.values.count == entity.fields.count
    else { return nil }
    self.entity = entity
    self.row = row
    let lines = host.table.lines(height: host.layout.rowCount)
    line = lines.firstIndex(of: .record(row: host.table.row)) ?? 0
  }

  var identifier: PersistentIdentifier { row.identifier }

  /// Updates the state of the record.
  mutating func follow(_ message: AppMessage) {
    switch message {
    case .refreshed(_, _, _, let gone, _, _) where gone.contains(identifier): state = .deleted
    case .answer(let answer):
      guard case .listed(_, let cursor, _, _)? = answer.to(QueryList.self)?.answer else { return }
      if cursor != nil {
        state = .listed
      } else if state == .listed {
        state = .unlisted
      }
    case .ran(let report) where report.isRecordMissing: state = .deleted
    default: break
    }
  }

  /// Updates the state of the record, and reports a change in the message line.
  mutating func follow(_ message: AppMessage, sayingIn host: inout ScreenHost) {
    let former = state
    follow(message)
    guard state != former else { return }
    switch state {
    case .deleted: host.warn("another program deleted this record; press Enter to add it again")
    case .unlisted:
      host.warn("this record has changed and is no longer listed; press Enter to edit it anyway")
    case .listed: break
    }
  }

  /// The reason why a command for the record under the cursor can no longer use it; nil if it can.
  var lossReason: String? {
    switch state {
    case .listed: nil
    case .unlisted: "the record has changed and is no longer listed"
    case .deleted: "another program deleted the record"
    }
  }

  /// Asks whether to add the record again with the values typed in some fields.
  func offerToAdd(_ typed: [FieldEditor]) -> ChoiceScreen {
    let changed = Dictionary(typed.map { ($0.attribute.name, $0.assignment) }) { first, _ in first }
    let insertion = InsertRecord(
      entityName: entity.name,
      assignments: zip(entity.fields, row.values).filter { !$0.0.isReadOnly }.map { field, value in
        changed[field.name] ?? Assignment(field.name, value)
      }
    )
    let title = RecordTitle.text(of: row.values, in: entity)
    let name = [row.identifier.description, title].filter { !$0.isEmpty }.joined(separator: " · ")
    return ChoiceScreen(
      question: "add the record again?",
      details: [
        "Another program deleted \(name).",
        "It can be added as a new record, with its values and your input.",
      ],
      choices: [
        ChoiceScreen.Choice(
          key: "y",
          word: "add",
          text: "add it as a new record",
          consequence: .request(.perform(Request(insertion)))
        )
      ]
    )
  }

  /// Draws the record in its original line, with the current contents of the table around it.
  func drawInPlace(on canvas: inout Canvas, _ host: ScreenHost, _ geometry: TableGeometry) {
    guard state != .listed else { return }
    let shown = TableRow(
      identifier: row.identifier,
      values: row.values,
      pending: state == .deleted ? .deleted : row.pending
    )
    let area = geometry.area
    let height = geometry.lastRow - geometry.firstRow
    canvas.fill(
      Rect(x: area.minX, y: geometry.firstRow, width: area.width, height: height),
      role: .normal
    )
    var drawing = TableDrawing(host: host, geometry: geometry)
    drawing.hidesCursor = true
    drawing.drawLines(freeing: min(line, height - 1), on: &canvas)
    drawing.draw(shown, y: y(geometry), on: &canvas)
  }

  /// The line of the screen for the record.
  func y(_ geometry: TableGeometry) -> Int {
    min(geometry.firstRow + line, geometry.lastRow - 1)
  }
}
