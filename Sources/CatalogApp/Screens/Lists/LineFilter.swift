/// Words that the lines of a list or a text view must contain, in any order and ignoring case.
struct LineFilter: Hashable, Sendable {
  private var editor = LineEditor()
  /// True while it is being typed.
  private(set) var isTyped = false

  /// True if it hides lines.
  var isActive: Bool { !editor.text.isEmpty }

  /// The words that a line must contain, each once, the longest first, because few lines have it.
  private var words: [SearchedWord] = []

  func matches(_ line: String) -> Bool {
    let line = line.lowercased()
    return words.allSatisfy { $0.occurs(inLowercased: line) }
  }

  mutating func begin() { isTyped = true }

  /// Edits the text; Enter accepts it, Esc clears it.
  mutating func handle(_ event: InputEvent) {
    switch event {
    case .key(.enter): isTyped = false
    case .key(.escape), .interrupt: self = LineFilter()
    default:
      guard editor.handleInOneLine(event) else { return }
      words = Set(editor.text.split(separator: " ").map { SearchedWord($0) })
        .sorted { $0.count > $1.count }
    }
  }

  /// The keys that end the typing, for the hint line; none while it is not typed.
  var answers: [Answer] {
    isTyped ? [Answer(keys: "Enter", word: "keep"), Answer(keys: "Esc", word: "clear")] : []
  }

  /// Draws the input line.
  func draw(on canvas: inout Canvas, _ layout: ScreenLayout, note: String) {
    guard isTyped else { return }
    PromptLine.draw(
      on: &canvas,
      layout,
      label: "containing: ",
      editor: editor,
      note: DisplayText(note)
    )
  }
}
