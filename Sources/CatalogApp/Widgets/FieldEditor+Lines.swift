import OpenSwiftData

/// A field in several lines, as a form shows it.
extension FieldEditor {
  /// The lines of a text; one for any other value.
  private var lines: [Substring] {
    guard attribute.type == .text, !attribute.isBlob else { return [editor.text[...]] }
    return editor.text.split(omittingEmptySubsequences: false, whereSeparator: Self.endsLine)
  }

  private static func endsLine(_ character: Character) -> Bool {
    character == "\n" || character == "\r\n"
  }

  /// The number of lines.
  var lineCount: Int { isNull ? 1 : lines.count }

  /// The line of the cursor, and the characters before it in that line.
  private var cursorPlace: (line: Int, column: Int) {
    var rest = editor.cursor
    let lines = lines
    for (place, line) in lines.enumerated() {
      if rest <= line.count { return (place, rest) }
      rest -= line.count + 1
    }
    return (max(0, lines.count - 1), lines.last?.count ?? 0)
  }

  /// Moves the cursor to the previous or the next line; false if there is none.
  mutating func moveLine(by step: Int) -> Bool {
    let lines = lines
    let (line, column) = cursorPlace
    guard !isNull, lines.indices.contains(line + step) else { return false }
    let before = lines.prefix(line + step).reduce(0) { $0 + $1.count + 1 }
    moveCursor(to: before + min(column, lines[line + step].count))
    return true
  }

  /// Moves the cursor to the start of its line.
  mutating func moveToLineStart() { moveCursor(to: editor.cursor - cursorPlace.column) }

  /// Moves the cursor to the end of its line.
  mutating func moveToLineEnd() {
    let (line, column) = cursorPlace
    moveCursor(to: editor.cursor - column + lines[line].count)
  }

  /// Begins a new line at the cursor.
  mutating func insertLine() { insert("\n") }

  /// Draws the field in the given cells and returns the position of the cursor.
  func draw(on canvas: inout Canvas, in area: Rect, isFocused: Bool, note: String?) -> Point {
    if attribute.type == .boolean { return drawBox(on: &canvas, in: area, isFocused: isFocused) }
    guard lineCount > 1, !isNull else {
      let cursor = draw(on: &canvas, at: area.origin, width: area.width, isFocused: isFocused)
      if let note, !note.isEmpty { write(note, on: &canvas, in: area) }
      return cursor
    }
    let role: Role =
      problem != nil && (isFocused || isChanged)
      ? .fieldInvalid : isFocused ? .fieldFocused : .field
    canvas.fill(area, role: role)
    let place = cursorPlace
    let first = max(0, min(isFocused ? place.line - area.height / 2 : 0, lineCount - area.height))
    var cursor = area.origin
    for (y, text) in lines.dropFirst(first).prefix(area.height).enumerated() {
      var line = LineEditor(String(text))
      let isCurrent = isFocused && first + y == place.line
      line.move(to: isCurrent ? place.column : 0)
      let window = line.visibleWindow(area.width)
      let point = Point(x: area.minX, y: area.minY + y)
      canvas.write(window.text, at: point, width: area.width, role: role)
      if isCurrent { cursor = Point(x: point.x + window.cursorColumn, y: point.y) }
    }
    return cursor
  }

  /// Writes a note after a short value.
  private func write(_ note: String, on canvas: inout Canvas, in area: Rect) {
    let x = area.minX + DisplayText(editor.text).width + 2
    guard x + 4 < area.maxX else { return }
    canvas.write(
      DisplayText(note),
      at: Point(x: x, y: area.minY),
      width: area.maxX - x,
      role: .popupHint
    )
  }

  /// Draws `[x] true`.
  private func drawBox(on canvas: inout Canvas, in area: Rect, isFocused: Bool) -> Point {
    let box: DisplayText =
      switch assignment.value {
      case .boolean(true)?: "[x] "
      case .boolean(false)?: "[ ] "
      default: "[?] "
      }
    let start = canvas.write(
      box,
      at: area.origin,
      width: area.width,
      role: isFocused ? .fieldFocused : .popup
    )
    return draw(
      on: &canvas,
      at: Point(x: start, y: area.minY),
      width: max(1, area.maxX - start),
      isFocused: isFocused
    )
  }
}
