import OpenSwiftData

/// Searches in all fields while it is typed.
struct SearchPrompt: Screen {
  private var editor = LineEditor()
  private let origin: Int
  private let former: String
  private var isMissing = false

  init(_ app: AppState) {
    origin = app.table.row
    former = app.table.search
  }

  var place: ScreenCommand.Place { .prompt }

  func hints(_ app: AppState) -> [String] { ["accept", "leave"] }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return leave(&app) }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .prompt) {
      switch command.name {
      case "accept":
        if editor.text.isEmpty {
          app.table.search = former
          app.searchAgain(isForward: true)
        } else if isMissing {
          app.warn("nothing holds \(Value.quoted(editor.text))")
        }
        return .close
      case "leave": return leave(&app)
      default: return .stay
      }
    }
    let before = editor.text
    guard editor.handle(event), editor.text != before else { return .stay }
    app.table.search = editor.text
    isMissing = false
    if editor.text.isEmpty {
      app.table.move(toRow: origin)
    } else {
      app.request(.search(editor.text, from: origin, isForward: true))
    }
    return .stay
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
      app,
      label: "/",
      editor: editor,
      note: isMissing ? "nothing found" : .empty,
      noteRole: .warning
    )
  }
}
