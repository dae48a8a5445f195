import OpenSwiftData

/// The ways to read a file, with the first records under the selected one.
///
/// Enter takes and keeps it, Esc takes it for this run.
struct ReadingScreen: ListScreen {
  var frame = ListFrame<ReadingChoice>()

  init(_ choices: [ReadingChoice]) { frame.setLines(choices, text: \.title) }

  var answers: [Answer] {
    frame.filter.isTyped
      ? frame.filter.answers
      : [
        Answer(keys: "↑/↓", word: "choose"), Answer(keys: "Enter", word: "take and keep"),
        Answer(keys: "Esc", word: "take for now"),
      ]
  }

  var valueNames: [String] { ["reading", "options"] }

  func values(of line: ReadingChoice) -> [Value] {
    [.text(line.title), .text(line.options.text)]
  }

  func accept(_ line: ReadingChoice, _ host: inout ScreenHost) -> Transition {
    read(line, keeps: true, &host)
    return .close
  }

  func leave(_ host: inout ScreenHost) -> Transition {
    guard let choice = frame.selected, choice != frame.lines.first else {
      host.say("read as before; :read shows the choices again")
      return .close
    }
    read(choice, keeps: false, &host)
    return .close
  }

  private func read(_ choice: ReadingChoice, keeps: Bool, _ host: inout ScreenHost) {
    host.perform(ReadFile(action: .read(choice.options, keeps: keeps)))
  }

  /// Where there is not enough room for everything, the choices come first.
  func look(_ host: ScreenHost) -> ListLook {
    let count = frame.lines.count
    var look = ListLook(
      sheet: host.layout.sheet(lines: count + Self.previewHeight),
      title: "how is the file to be read? · \(frame.position)"
    )
    look.lines.size.rows = min(count, max(1, look.lines.height - 4))
    return look
  }

  /// A line between list and records, the names, eight records, and the keys.
  private static let previewHeight = 11

  func cells(of line: ReadingChoice, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let words = line.options.text
    return [ListCell(words.isEmpty ? line.title : "\(line.title) (\(words))")]
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    drawList(on: &canvas, host)
    let look = look(host)
    guard let choice = frame.selected, let sheet = look.sheet else { return }
    let keys = Point(x: look.lines.minX, y: Sheet.inside(sheet).maxY - 1)
    canvas.write(
      DisplayText("Enter takes and keeps it · Esc takes it for now · :read asks again"),
      at: keys,
      width: look.lines.width,
      role: .dim
    )
    let rest = Rect(
      x: keys.x,
      y: look.lines.maxY,
      width: look.lines.width,
      height: keys.y - look.lines.maxY
    )
    drawRecords(of: choice, on: &canvas, in: rest)
  }

  private func drawRecords(of choice: ReadingChoice, on canvas: inout Canvas, in area: Rect) {
    guard area.height > 1 else { return }
    canvas.write(
      DisplayText(String(repeating: "─", count: area.width)),
      at: area.origin,
      role: .border
    )
    let lines = [choice.columns] + choice.rows
    let widths = choice.columns.indices.map { column in
      let widest =
        lines.compactMap { $0.indices.contains(column) ? $0[column] : nil }
        .map { DisplayText($0, clippedTo: Self.widestColumn).width }.max() ?? 0
      return min(Self.widestColumn, max(1, widest))
    }
    for (line, cells) in lines.prefix(area.height - 1).enumerated() {
      var x = area.minX
      for (width, cell) in zip(widths, cells) where x < area.maxX {
        canvas.write(
          DisplayText(cell, clippedTo: width).clipped(to: width),
          at: Point(x: x, y: area.minY + 1 + line),
          width: min(width, area.maxX - x),
          role: line == 0 ? .title : .normal
        )
        x += width + 2
      }
    }
  }

  private static let widestColumn = 20
}
