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

  /// The rows in a form of the given width; one for null.
  func rows(width: Int) -> [TextRow] {
    guard !isNull, !attribute.isBlob, editor.text.utf8.count <= Self.longestWrapped else {
      var start = 0
      return (isNull ? [""] : lines).map { line in
        defer { start += line.count + 1 }
        return TextRow(start: start, text: line)
      }
    }
    var start = 0
    return lines.flatMap { line in
      defer { start += line.count + 1 }
      // The cursor after the last character needs a cell.
      return TextRow.wrapping(line, start: start, width: max(1, width - 1))
    }
  }

  /// The size of the longest text whose lines are wrapped.
  private static let longestWrapped = 20_000

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

  /// Moves the cursor to the previous or the next row; false if there is none.
  mutating func moveRow(by step: Int, width: Int) -> Bool {
    let rows = rows(width: width)
    guard !isNull, let row = rows.lastIndex(where: { $0.start <= editor.cursor }),
      rows.indices.contains(row + step)
    else { return false }
    let target = rows[row + step]
    // After the last character of a row that goes on, the cursor is in the next one.
    let goesOn = rows.indices.contains(row + step + 1) && rows[row + step + 1].start == target.end
    let last = target.text.count - (goesOn ? 1 : 0)
    moveCursor(to: target.start + min(editor.cursor - rows[row].start, last))
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
    let rows = rows(width: area.width)
    guard rows.count > 1 else {
      let cursor = draw(on: &canvas, at: area.origin, width: area.width, isFocused: isFocused)
      if let note, !note.isEmpty { write(note, on: &canvas, in: area) }
      return cursor
    }
    let role: Role =
      problem != nil && (isFocused || isChanged)
      ? .fieldInvalid : isFocused ? .fieldFocused : .field
    canvas.fill(area, role: role)
    let current = isFocused ? rows.lastIndex { $0.start <= editor.cursor } : nil
    let first = max(0, min((current ?? 0) - area.height / 2, rows.count - area.height))
    var cursor = area.origin
    for (y, row) in rows.dropFirst(first).prefix(area.height).enumerated() {
      var line = LineEditor(String(row.text))
      line.move(to: current == first + y ? editor.cursor - row.start : 0)
      let window = line.visibleWindow(area.width)
      let point = Point(x: area.minX, y: area.minY + y)
      canvas.write(window.text, at: point, width: area.width, role: role)
      if current == first + y { cursor = Point(x: point.x + window.cursorColumn, y: point.y) }
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
      role: .dim
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
      role: isFocused ? .fieldFocused : .normal
    )
    return draw(
      on: &canvas,
      at: Point(x: start, y: area.minY),
      width: max(1, area.maxX - start),
      isFocused: isFocused
    )
  }
}

/// A row of a text in a form: a line, or a part of one that is longer than the form is wide.
struct TextRow: Hashable {
  /// The number of characters before it.
  let start: Int
  let text: Substring

  /// The number of characters up to its end.
  var end: Int { start + text.count }

  /// Divides a line at spaces, and words that are too long anywhere.
  ///
  /// - Complexity: O(n) in the length of the line.
  static func wrapping(_ line: Substring, start: Int, width: Int) -> [TextRow] {
    var rows: [TextRow] = []
    var begin = line.startIndex
    var rowStart = start
    var used = 0
    var count = 0
    // The place after the last space, with the cells and the characters before it.
    var gap: (index: Substring.Index, used: Int, count: Int)?
    for index in line.indices {
      let isSpace = line[index] == " "
      let cells = isSpace ? min(1, width - used) : DisplayText(String(line[index])).width
      while used + cells > width, count > 0 {
        let end = gap ?? (index, used, count)
        rows.append(TextRow(start: rowStart, text: line[begin..<end.index]))
        rowStart += end.count
        (begin, used, count, gap) = (end.index, used - end.used, count - end.count, nil)
      }
      used += cells
      count += 1
      if isSpace { gap = (line.index(after: index), used, count) }
    }
    return rows + [TextRow(start: rowStart, text: line[begin...])]
  }
}
