import OpenSwiftData

/// Goes to a column whose name is typed, while it is typed.
struct ColumnPrompt: Screen {
  private var editor = LineEditor()
  private let origin: Int
  private let names: [String]
  /// The names that match, best first.
  private var matches: [String] = []
  private var chosen = 0

  init(_ host: ScreenHost) {
    origin = host.table.column
    names = host.table.arrangement.columns.map(\.name)
  }

  var place: KeyPlace { PromptAction.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .complete] as [PromptAction]
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    if case .complete? = action as? PromptAction { "next match" } else { nil }
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return leave(&host) }
    if case .key(let key) = event, let action: PromptAction = host.keys.action(for: key) {
      switch action {
      case .accept: return accept(&host)
      case .leave: return leave(&host)
      case .complete, .later: choose(1, &host)
      case .earlier: choose(-1, &host)
      }
      return .stay
    }
    guard editor.handleInOneLine(event) else { return .stay }
    matches =
      editor.text.isEmpty
      ? [] : Fuzzy.places(editor.text, among: names.count) { (names[$0], "") }.map { names[$0] }
    chosen = 0
    follow(&host)
    return .stay
  }

  private mutating func choose(_ step: Int, _ host: inout ScreenHost) {
    guard !matches.isEmpty else { return }
    chosen = (chosen + step + matches.count) % matches.count
    follow(&host)
  }

  /// Moves the cursor to the best match, if it is shown.
  private func follow(_ host: inout ScreenHost) {
    let place = host.table.columns.firstIndex {
      matches.indices.contains(chosen) && $0.name == matches[chosen]
    }
    host.move(toColumn: place ?? origin)
  }

  private func accept(_ host: inout ScreenHost) -> Transition {
    guard !editor.text.isEmpty else { return .close }
    guard matches.indices.contains(chosen) else {
      host.warn("no column \(Value.quoted(editor.text)); press C for all columns")
      return .stay
    }
    if let problem = host.arrange(.goTo(matches[chosen])) { host.warn(problem) }
    return .close
  }

  private func leave(_ host: inout ScreenHost) -> Transition {
    host.move(toColumn: origin)
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let hidden = Set(host.table.arrangement.columns.filter(\.isHidden).map(\.name))
    let others = matches.prefix(8).map { hidden.contains($0) ? "\($0) (hidden)" : $0 }
    let note =
      editor.text.isEmpty
      ? ""
      : matches.isEmpty
        ? "no match" : "\(chosen + 1)/\(matches.count) " + others.joined(separator: ", ")
    PromptLine.draw(
      on: &canvas,
      host.layout,
      label: "column: ",
      editor: editor,
      note: DisplayText(note),
      noteRole: matches.isEmpty ? .warning : .dim
    )
  }
}
