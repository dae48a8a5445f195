import OpenSwiftData

/// Searches in all fields during typing.
struct SearchPrompt: Screen {
  private var editor = LineEditor()
  private var earlier = HistoryPlace()
  private let origin: Int
  private let former: String
  private var isMissing = false

  init(_ app: AppState) {
    origin = app.table.row
    former = app.table.search
  }

  var place: KeyPlace { PromptAction.place }

  func hints(_ app: AppState) -> [any KeyAction] { [.accept, .leave, .earlier] as [PromptAction] }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return leave(&app) }
    let before = editor.text
    if case .key(let key) = event, let action: PromptAction = app.keys.action(for: key) {
      switch action {
      case .accept: return accept(&app)
      case .leave: return leave(&app)
      case .earlier: earlier.recall(-1, app.history[.search], &editor)
      case .later: earlier.recall(1, app.history[.search], &editor)
      case .complete: return .stay
      }
    } else {
      guard editor.handle(event) else { return .stay }
    }
    guard editor.text != before else { return .stay }
    app.table.search = editor.text
    isMissing = false
    if editor.text.isEmpty {
      app.table.move(toRow: origin)
    } else {
      app.request(.search(editor.text, from: origin, isForward: true))
    }
    return .stay
  }

  private func accept(_ app: inout AppState) -> Transition {
    if editor.text.isEmpty {
      app.table.search = former
      app.searchAgain(isForward: true)
      return .close
    }
    app.history.add(editor.text, to: .search)
    if isMissing {
      app.warn("no match for \(Value.quoted(editor.text))")
    } else {
      app.request(.countMatches(editor.text, row: app.table.row))
    }
    return .close
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    guard case .found(let row, let text) = message, text == editor.text else { return .stay }
    isMissing = row == nil
    if isMissing {
      app.notice = nil
      app.table.move(toRow: origin)
    }
    return .stay
  }

  private func leave(_ app: inout AppState) -> Transition {
    app.table.search = former
    app.table.move(toRow: origin)
    return .close
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    PromptLine.draw(
      on: &canvas,
      app.layout,
      label: "/",
      editor: editor,
      note: isMissing ? "no match" : .empty,
      noteRole: .warning
    )
  }
}
