import OpenSwiftData

/// A screen with a list, which says what its lines are, how they look, and what Enter does.
///
/// The keys, the wheel and clicks, the filter, the cursor and the drawing are those of all lists; a list may have further
/// keys, which come before those of all.
protocol ListScreen: Screen {
  associatedtype Line: Identifiable & Sendable where Line.ID: Sendable
  /// The actions of its own keys.
  associatedtype Own: KeyAction = ListAction
  var frame: ListFrame<Line> { get set }

  /// Where the list is drawn, with its title and its columns.
  func look(_ host: ScreenHost) -> ListLook
  /// The cells of a line, one for each column.
  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell]
  /// The names of the values of a line.
  var valueNames: [String] { get }
  /// What a line says in full, to show, copy, export and sort it: a value for each name.
  func values(of line: Line) -> [Value]
  /// The number of values by which the lines can be sorted, the first ones; others would part lines that belong together.
  var sortCount: Int { get }
  /// What a line says as a text, to copy it alone.
  func text(of line: Line) -> String
  /// What stands in full below the list of a page for the selected line, with a word before each text.
  func details(of line: Line) -> [(label: String, text: DisplayText)]
  /// Performs the action of one of its own keys.
  mutating func perform(own action: Own, _ host: inout ScreenHost) -> Transition
  /// Chooses the selected line.
  mutating func accept(_ line: Line, _ host: inout ScreenHost) -> Transition
  /// Handles Enter without a line.
  func acceptNothing(_ host: inout ScreenHost) -> Transition
  /// Closes the list.
  func leave(_ host: inout ScreenHost) -> Transition
}

extension ListScreen {
  var place: KeyPlace { Own.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] { Self.listHints }

  /// The hints of all lists.
  static var listHints: [any KeyAction] {
    [.accept, .leave, .filter, .sort, .mark, .copy, .export, .pageDown, .pageUp, .help]
      as [ListAction]
  }

  var answers: [Answer] { frame.filter.answers }

  var sortCount: Int { valueNames.count }
  func text(of line: Line) -> String { Self.text(values(of: line)) }
  func details(of line: Line) -> [(label: String, text: DisplayText)] { [] }
  func acceptNothing(_ host: inout ScreenHost) -> Transition { .close }
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
      frame.handle(mouse, in: look(host).lines)
      return mouse.kind == .double ? perform(.accept, &host) : .stay
    case .key(let key):
      if let own: Own = host.keys.action(for: key) { return perform(own: own, &host) }
      return host.keys.action(for: key).map { perform($0, &host) } ?? .stay
    default: return .stay
    }
  }

  /// Performs an action of all lists.
  mutating func perform(_ action: ListAction, _ host: inout ScreenHost) -> Transition {
    if frame.move(action, page: look(host).lines.height) { return .stay }
    switch action {
    case .accept:
      guard let line = frame.selected else { return acceptNothing(&host) }
      return accept(line, &host)
    case .sort: sort(by: nextOrder, &host)
    case .turn:
      let order = frame.order ?? ListOrder(column: 0, isDescending: true)
      sort(by: ListOrder(column: order.column, isDescending: !order.isDescending), &host)
    case .show:
      guard let line = frame.selected else { return .stay }
      let texts = zip(valueNames, values(of: line)).filter { !$1.isNull }.flatMap { name, value in
        [name]
          + value.text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
      }
      return .open(TextScreen(title: "line \(frame.positionOfSelected)", lines: texts))
    case .copy where frame.marks.isEmpty:
      guard let line = frame.selected else { return .stay }
      let text = text(of: line)
      host.request(.copy(text))
      host.say("copied \(Value.quoted(text))")
    case .copy: copy(frame.markedOrSelected, &host)
    case .copyAll: copy((0..<frame.shownCount).map { frame[$0] }, &host)
    case .export:
      let rows = frame.markedOrShown.map(values)
      let list = OutputTable(columns: valueNames, rows: rows)
      return .open(CommandPrompt(host, text: "export ", list: list))
    case .help: return .open(TextScreen.help(host.keys, from: place, and: ListAction.place))
    default: return leave(&host)
    }
    return .stay
  }

  private func copy(_ lines: [Line], _ host: inout ScreenHost) {
    host.request(.copy(lines.map { Self.text(values(of: $0)) + "\n" }.joined()))
    host.say("copied \(counted(lines.count, "line"))")
  }

  /// Values with tabs between them.
  private static func text(_ values: [Value]) -> String {
    values.count == 1
      ? values[0].text : values.map { RowEncoder.tabSeparated($0.text) }.joined(separator: "\t")
  }

  /// The order by the column after the present one; nil after the last.
  private var nextOrder: ListOrder? {
    let next = frame.order.map { $0.column + 1 } ?? 0
    return next < sortCount ? ListOrder(column: next) : nil
  }

  private mutating func sort(by order: ListOrder?, _ host: inout ScreenHost) {
    frame.sort(by: order, values)
    host.say(
      order.map { "sorted by \(valueNames[$0.column])\($0.isDescending ? ", descending" : "")" }
        ?? "sorted as at first"
    )
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) { drawList(on: &canvas, host) }

  /// Draws the list and the line in which its filter is typed.
  func drawList(on canvas: inout Canvas, _ host: ScreenHost) {
    let look = look(host)
    let visible = frame.visible(look.lines.height)
    look.drawFrame(on: &canvas, visible, of: frame.shownCount, isEmpty: frame.lines.isEmpty)
    for (row, place) in visible.enumerated() {
      let line = frame[place]
      look.draw(
        cells(of: line, look, host),
        inRow: row,
        isSelected: place == frame.place,
        isMarked: frame.marks.contains(line.id),
        on: &canvas
      )
    }
    if let line = frame.selected { look.draw(details(of: line), on: &canvas) }
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }
}

extension ListScreen where Own == ListAction {
  mutating func perform(own action: ListAction, _ host: inout ScreenHost) -> Transition {
    perform(action, &host)
  }
}

/// A list whose lines are found by a text, which all keys that the list does not use are typed into.
protocol TypedListScreen: ListScreen {
  var editor: LineEditor { get set }

  /// Finds the lines for the text.
  mutating func find(_ host: inout ScreenHost)
}

extension TypedListScreen {
  var place: KeyPlace { PromptAction.place }
  /// No key copies, sorts or exports the lines.
  var valueNames: [String] { [] }
  func values(of line: Line) -> [Value] { [] }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .earlier, .later] as [PromptAction]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .mouse = event { return handleList(event, &host) }
    if let action = ListAction(event, whileTyping: host.keys) { return perform(action, &host) }
    guard !editor.isNeedlessSlash(event), editor.handleInOneLine(event) else { return .stay }
    find(&host)
    return .stay
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    drawList(on: &canvas, host)
    PromptLine.draw(on: &canvas, host.layout, label: "containing: ", editor: editor)
  }
}

extension ListAction {
  /// What an event means for a list whose lines are found by a text; nil for one that belongs to the text.
  fileprivate init?(_ event: InputEvent, whileTyping keys: KeyMap) {
    switch event {
    case .interrupt: self = .leave
    case .key(.pageDown): self = .pageDown
    case .key(.pageUp): self = .pageUp
    case .key(let key):
      guard let action: PromptAction = keys.action(for: key) else { return nil }
      switch action {
      case .accept: self = .accept
      case .leave: self = .leave
      case .earlier: self = .up
      case .later, .complete: self = .down
      }
    default: return nil
    }
  }
}
