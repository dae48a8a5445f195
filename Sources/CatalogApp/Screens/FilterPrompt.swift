import OpenSwiftData

/// Filters while it is typed: by a predicate, or else by plain words.
struct FilterPrompt: Screen {
  private var editor: LineEditor
  private let former: FilterInput
  private let formerRow: Int

  init(_ app: AppState) {
    former = app.table.filter
    formerRow = app.table.row
    editor = LineEditor(app.table.filter.text)
  }

  var place: ScreenCommand.Place { .prompt }

  func hints(_ app: AppState) -> [String] { ["accept", "leave"] }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return leave(&app) }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .prompt) {
      switch command.name {
      case "accept":
        // What was typed last may have been stopped.
        if let entity = app.table.entity, editor.text != app.table.filter.text {
          app.table.filter = FilterInput(editor.text, for: entity)
          app.requery()
        }
        if let problem = app.table.filter.problem, app.table.filter.looksLikePredicate {
          app.warn(problem.sentence)
        }
        return .close
      case "leave": return leave(&app)
      default: return .stay
      }
    }
    let before = editor.text
    guard editor.handle(event), editor.text != before, let entity = app.table.entity else {
      return .stay
    }
    let input = FilterInput(editor.text, for: entity)
    let isSame = input.filter == app.table.filter.filter
    app.table.filter = input
    if !isSame { app.requery() }
    return .stay
  }

  private func leave(_ app: inout AppState) -> Transition {
    let isSame = former.filter == app.table.filter.filter
    app.table.filter = former
    if !isSame { app.requery() }
    return .close
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let filter = app.table.filter
    let extent = app.table.extent
    let kind =
      !filter.isActive ? "all" : filter.problem == nil ? "predicate" : "words"
    PromptLine.draw(
      on: &canvas,
      app,
      label: "filter: ",
      editor: editor,
      note: "\(extent.count) of \(extent.total) · \(kind)"
    )
    if let problem = filter.problem, filter.looksLikePredicate {
      underline(problem, on: &canvas, app)
    }
  }

  /// Says above the line why the text is taken as plain words, and marks the place in it.
  private func underline(
    _ problem: FilterInput.Problem,
    on canvas: inout Canvas,
    _ app: AppState
  ) {
    let columns = canvas.size.columns
    let y = app.layout.hintLine
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    canvas.write(
      DisplayText(problem.sentence),
      at: Point(x: 1, y: y),
      width: columns - 1,
      role: .warning
    )
    let before = DisplayText(String(editor.text.prefix(problem.column - 1))).width
    let rest = DisplayText(editor.text).width - before
    guard DisplayText(editor.text).width < columns / 2 else { return }
    canvas.setRole(
      .fieldInvalid,
      Rect(x: 8 + before, y: app.layout.messageLine, width: max(1, rest), height: 1)
    )
  }
}
