/// A list, a form or a question that lies over the lower part of the table, under a line with its title.
enum Sheet {
  /// The cells below the title.
  static func inside(_ area: Rect) -> Rect {
    Rect(
      x: area.minX + 2,
      y: area.minY + 1,
      width: max(0, area.width - 4),
      height: max(0, area.height - 1)
    )
  }

  /// Draws it and returns the cells below the title.
  static func draw(on canvas: inout Canvas, in area: Rect, title: DisplayText) -> Rect {
    canvas.cursor = nil
    canvas.fill(area, role: .normal)
    guard area.width >= 4, area.height >= 2 else { return area }
    let line = DisplayText(String(repeating: "─", count: area.width))
    canvas.write(line, at: area.origin, role: .border)
    let head = (" " + title + " ").clipped(to: area.width - 4)
    canvas.write(head, at: Point(x: area.minX + 2, y: area.minY), role: .title)
    return inside(area)
  }

  /// Draws a question with details and the answers below it.
  ///
  /// The details are a text, or the first ones of a number of records.
  static func draw(
    on canvas: inout Canvas,
    _ layout: ScreenLayout,
    question: String,
    details: [String],
    recordCount: Int? = nil,
    answers: [String]
  ) {
    let widest = max(1, layout.size.columns - 4)
    // A text that is too long continues on the next line, indented below the text of an answer.
    let choices: [DisplayText] = answers.flatMap { answer in
      let parts = DisplayText(answer).wrapped(to: max(1, widest - 3))
      return parts.prefix(1) + parts.dropFirst().map { "   " + $0 }
    }
    // The answers are always visible, regardless of the height.
    let room = inside(layout.sheet(lines: .max)).height - choices.count
    let lines = Self.lines(of: details, recordCount, width: widest, room: room) + choices
    let area = layout.sheet(lines: lines.count)
    let inner = draw(on: &canvas, in: area, title: DisplayText(question))
    for (line, text) in lines.prefix(max(1, inner.height)).enumerated() {
      canvas.write(
        text,
        at: Point(x: inner.minX, y: inner.minY + line),
        width: inner.width,
        role: .normal
      )
    }
  }
}

extension Sheet {
  /// The details that fit, with what is left out, and an empty line after them if there is room.
  private static func lines(
    of details: [String],
    _ recordCount: Int?,
    width: Int,
    room: Int
  ) -> [DisplayText] {
    for shown in (0...details.count).reversed() {
      let rest = (recordCount ?? details.count) - shown
      let more = rest == 0 ? [] : [recordCount == nil ? "…" : "… and \(rest) more"]
      let lines = (details.prefix(shown) + more).flatMap { DisplayText($0).wrapped(to: width) }
      guard lines.count <= room else { continue }
      return lines + (lines.isEmpty || lines.count == room ? [] : [.empty])
    }
    return []
  }
}

/// The input line at the bottom.
enum PromptLine {
  /// Draws label, text and, if there is room, a note on the right.
  static func draw(
    on canvas: inout Canvas,
    _ layout: ScreenLayout,
    label: DisplayText,
    editor: LineEditor,
    note: DisplayText = .empty,
    noteRole: Role = .dim
  ) {
    let y = layout.messageLine
    let columns = canvas.size.columns
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    let start = canvas.write(label, at: Point(x: 0, y: y), role: .prompt)
    let noteWidth = note.isEmpty ? 0 : min(note.width, columns / 2)
    let width = max(1, columns - start - noteWidth - (note.isEmpty ? 0 : 1))
    let window = editor.visibleWindow(width)
    canvas.write(window.text, at: Point(x: start, y: y), width: width, role: .normal)
    canvas.cursor = Point(x: start + window.cursorColumn, y: y)
    if noteWidth > 0 {
      let point = Point(x: columns - noteWidth, y: y)
      canvas.write(note.shortened(to: noteWidth), at: point, role: noteRole)
    }
  }
}
