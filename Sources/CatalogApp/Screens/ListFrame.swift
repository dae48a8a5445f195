/// The common parts of all lists: the shown lines, the selected one, and the position for the title.
///
/// Lines are identified by their index among all lines, regardless of the filter.
///
/// Invariants:
/// 1. `shown` has indices of lines, in order, each once.
/// 2. `list` counts the lines that are shown.
struct ListFrame: Hashable, Sendable {
  private var texts: [String] = []
  private(set) var shown: [Int] = []
  private(set) var filter = LineFilter()
  private var list = ScrollList()

  /// The index of the selected line; nil if none is shown.
  var selected: Int? { shown.indices.contains(list.selected) ? shown[list.selected] : nil }

  /// The number of all lines.
  var count: Int { texts.count }

  /// Replaces the lines, as texts to filter by, and selects one of them.
  mutating func setLines(_ texts: [String], selecting place: Int?) {
    let selected = place ?? self.selected
    self.texts = texts
    arrange(selecting: selected)
  }

  private mutating func arrange(selecting place: Int?) {
    shown = texts.indices.filter { filter.matches(texts[$0]) }
    list.count = shown.count
    list.select(place.flatMap { shown.firstIndex(of: $0) } ?? list.selected)
    assert(shown == shown.sorted() && list.count == shown.count, "Invariants 1 and 2")
  }

  /// The indices of the lines that fit into the given number of rows.
  func visible(_ rows: Int) -> ArraySlice<Int> { shown[list.visible(rows)] }

  /// The positions, among the shown lines, of those that fit into the given number of rows.
  func visiblePositions(_ rows: Int) -> Range<Int> { list.visible(rows) }

  /// The indices of the lines before the selected one, nearest first.
  var beforeSelected: ReversedCollection<ArraySlice<Int>> {
    shown.prefix(list.selected).reversed()
  }

  /// The indices of the selected line and those after it.
  var fromSelected: ArraySlice<Int> { shown.dropFirst(list.selected) }

  /// `37/103`, with the number of lines that match the filter; empty without lines.
  var position: String {
    guard !texts.isEmpty else { return "" }
    let place = shown.isEmpty ? 0 : list.selected + 1
    return "\(place)/\(shown.count)" + (shown.count < count ? " of \(count)" : "")
  }

  /// Moves the selection for an action; false for an action that does not move it.
  mutating func move(_ action: ListAction, page: Int) -> Bool {
    switch action {
    case .down: list.select(list.selected + 1)
    case .up: list.select(list.selected - 1)
    case .pageDown: list.select(list.selected + max(1, page))
    case .pageUp: list.select(list.selected - max(1, page))
    case .first: list.select(0)
    case .last: list.select(shown.count - 1)
    case .filter: filter.begin()
    case .accept, .leave, .help: return false
    }
    return true
  }

  /// Handles the mouse: the wheel moves, a press selects the line under it.
  mutating func handle(_ mouse: MouseEvent, in area: Rect) { list.handle(mouse, in: area) }

  /// Handles typing in the filter; false if the filter is not being typed.
  mutating func typeFilter(_ event: InputEvent) -> Bool {
    guard filter.isTyped else { return false }
    let selected = selected
    filter.handle(event)
    arrange(selecting: selected)
    return true
  }
}

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

/// A screen with a list: the keys, the wheel and clicks of all lists.
protocol ListScreen: Screen {
  var frame: ListFrame { get set }

  /// The cells of the lines.
  func area(_ host: ScreenHost) -> Rect
  /// Chooses the selected line.
  mutating func accept(_ host: inout ScreenHost) -> Transition
  /// Closes the list.
  func leave(_ host: inout ScreenHost) -> Transition
}

extension ListScreen {
  var place: KeyPlace { ListAction.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .pageDown, .pageUp, .filter, .help] as [ListAction]
  }

  var answers: [Answer] { frame.filter.answers }

  func leave(_ host: inout ScreenHost) -> Transition { .close }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    handleList(event, &host)
  }

  /// Handles an event as a list.
  mutating func handleList(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if frame.typeFilter(event) { return .stay }
    switch event {
    case .interrupt: return leave(&host)
    case .mouse(let mouse):
      frame.handle(mouse, in: area(host))
      return mouse.kind == .double ? accept(&host) : .stay
    case .key(let key):
      guard let action: ListAction = host.keys.action(for: key) else { return .stay }
      if frame.move(action, page: area(host).height) { return .stay }
      if action == .accept { return accept(&host) }
      if action == .help { return .open(TextScreen.help(host.keys, from: place)) }
      return leave(&host)
    default: return .stay
    }
  }
}
