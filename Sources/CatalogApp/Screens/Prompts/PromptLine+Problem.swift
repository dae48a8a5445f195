import OpenSwiftData

extension PromptLine {
  /// Shows what is wrong with a text above its line, with a marker at its position.
  static func point(
    at problem: FilterInput.Problem,
    sentence: String,
    in editor: LineEditor,
    label: DisplayText,
    on canvas: inout Canvas,
    _ layout: ScreenLayout
  ) {
    let columns = canvas.size.columns
    let y = layout.hintLine
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    let before = DisplayText(String(editor.text.prefix(problem.column - 1))).width
    let width = DisplayText(editor.text).width
    let x = label.width + before
    let message = DisplayText(problem.message)
    guard label.width + width < columns / 2 else {
      // The line may have scrolled: the number gives the position.
      let text = DisplayText(sentence)
      canvas.write(text.shortened(to: columns - 1), at: Point(x: 1, y: y), role: .warning)
      return
    }
    if x + 2 + message.width <= columns {
      canvas.write("▼ " + message, at: Point(x: x, y: y), role: .warning)
    } else if x > message.width {
      canvas.write(message + " ▼", at: Point(x: x - message.width - 1, y: y), role: .warning)
    } else {
      let column = DisplayText("column \(problem.column): ") + message
      canvas.write(column.shortened(to: columns - 1), at: Point(x: 1, y: y), role: .warning)
    }
    let wrong = editor.text.dropFirst(problem.column - 1).prefix(problem.length ?? .max)
    let rest = max(1, problem.length == nil ? width - before : DisplayText(String(wrong)).width)
    canvas.setRole(.fieldInvalid, Rect(x: x, y: layout.messageLine, width: rest, height: 1))
  }
}
