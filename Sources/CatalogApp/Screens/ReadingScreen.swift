import OpenSwiftData

/// The ways to read a file, with the first records under the selected one.
///
/// Enter takes and keeps it, Esc takes it for this run.
struct ReadingScreen: ListScreen {
  private let choices: [ReadingChoice]
  var frame = ListFrame()

  init(_ choices: [ReadingChoice]) {
    self.choices = choices
    frame.setLines(choices.map(\.title), selecting: 0)
  }

  var answers: [Answer] {
    frame.filter.isTyped
      ? frame.filter.answers
      : [
        Answer(keys: "↑/↓", word: "choose"), Answer(keys: "Enter", word: "take and keep"),
        Answer(keys: "Esc", word: "take for now"),
      ]
  }

  func accept(_ host: inout ScreenHost) -> Transition {
    guard let place = frame.selected else { return .close }
    read(choices[place], keeps: true, &host)
    return .close
  }

  func leave(_ host: inout ScreenHost) -> Transition {
    guard let place = frame.selected, place > 0 else {
      host.say("read as before; :read shows the choices again")
      return .close
    }
    read(choices[place], keeps: false, &host)
    return .close
  }

  private func read(_ choice: ReadingChoice, keeps: Bool, _ host: inout ScreenHost) {
    host.perform(ReadFile(action: .read(choice.options, keeps: keeps)))
  }

  func area(_ host: ScreenHost) -> Rect {
    let inner = PopupFrame.inside(popup(host))
    return Rect(x: inner.minX, y: inner.minY, width: inner.width, height: listHeight(inner.height))
  }

  private func popup(_ host: ScreenHost) -> Rect {
    host.layout.popup(width: 100, height: choices.count + Self.previewHeight + 2)
  }

  /// A line between list and records, the names, eight records, and the keys.
  private static let previewHeight = 11

  /// The choices come first where there is no room for everything.
  private func listHeight(_ height: Int) -> Int { min(choices.count, max(1, height - 4)) }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let title = DisplayText("how is the file to be read? · \(frame.position)")
    let inner = PopupFrame.draw(on: &canvas, in: popup(host), title: title)
    let height = listHeight(inner.height)
    for (line, place) in frame.visible(height).enumerated() {
      let isSelected = place == frame.selected
      let role: Role = isSelected ? .popupSelected : .popup
      let y = inner.minY + line
      canvas.fill(Rect(x: inner.minX, y: y, width: inner.width, height: 1), role: role)
      let words = choices[place].options.text
      let text = (isSelected ? ">" : " ") + choices[place].title
      canvas.write(
        DisplayText(words.isEmpty ? text : "\(text) (\(words))"),
        at: Point(x: inner.minX, y: y),
        width: inner.width,
        role: role
      )
    }
    guard let place = frame.selected else { return }
    let rest = Rect(
      x: inner.minX,
      y: inner.minY + height,
      width: inner.width,
      height: max(0, inner.height - height - 1)
    )
    canvas.write(
      DisplayText("Enter takes and keeps it · Esc takes it for now · :read asks again"),
      at: Point(x: inner.minX, y: inner.maxY - 1),
      width: inner.width,
      role: .popupHint
    )
    drawRecords(of: choices[place], on: &canvas, in: rest)
  }

  private func drawRecords(of choice: ReadingChoice, on canvas: inout Canvas, in area: Rect) {
    guard area.height > 1 else { return }
    canvas.write(
      DisplayText(String(repeating: "─", count: area.width)),
      at: area.origin,
      role: .popupBorder
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
          role: line == 0 ? .popupTitle : .popup
        )
        x += width + 2
      }
    }
  }

  private static let widestColumn = 20
}
