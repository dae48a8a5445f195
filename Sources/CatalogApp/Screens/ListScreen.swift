import OpenSwiftData

/// A screen with a list, which says what its lines are, how they look, and what Enter does.
///
/// The keys, the wheel and clicks, the filter, the cursor and the drawing are those of all lists.
protocol ListScreen: Screen {
  associatedtype Line: Sendable
  var frame: ListFrame<Line> { get set }

  /// Where the list is drawn, with its title and its columns.
  func look(_ host: ScreenHost) -> ListLook
  /// The cells of a line, one for each column.
  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell]
  /// What a line says in full, to copy it and to sort by it; empty if its cells say it, and cannot be sorted.
  func values(of line: Line) -> [Value]
  /// The names of the values by which the lines can be sorted, which are the first ones of a line.
  var sortNames: [String] { get }
  /// Chooses the selected line.
  mutating func accept(_ line: Line, _ host: inout ScreenHost) -> Transition
  /// Handles Enter without a line.
  func acceptNothing(_ host: inout ScreenHost) -> Transition
  /// Closes the list.
  func leave(_ host: inout ScreenHost) -> Transition
}

extension ListScreen {
  var place: KeyPlace { ListAction.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let sort: [ListAction] = sortNames.isEmpty ? [] : [.sort]
    return [.accept, .leave, .filter] + sort + [.copy, .pageDown, .pageUp, .help]
  }

  var answers: [Answer] { frame.filter.answers }

  func values(of line: Line) -> [Value] { [] }
  var sortNames: [String] { [] }
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
    case .copy:
      guard let line = frame.selected else { return .stay }
      let text = text(of: line, host)
      host.request(.copy(text))
      host.say("copied \(Value.quoted(text))")
    case .copyAll:
      let lines = (0..<frame.shownCount).map { text(of: frame[$0], host) + "\n" }
      host.request(.copy(lines.joined()))
      host.say("copied \(counted(lines.count, "line"))")
    case .help: return .open(TextScreen.help(host.keys, from: place))
    default: return leave(&host)
    }
    return .stay
  }

  /// The values of a line with tabs between them.
  private func text(of line: Line, _ host: ScreenHost) -> String {
    let values = values(of: line)
    let texts =
      values.isEmpty
      ? cells(of: line, look(host), host).filter { $0.role != .bar }.map(\.text)
      : values.map(\.text)
    return texts.count == 1 ? texts[0] : texts.map(RowEncoder.tabSeparated).joined(separator: "\t")
  }

  /// The order by the column after the present one; nil after the last.
  private var nextOrder: ListOrder? {
    let next = frame.order.map { $0.column + 1 } ?? 0
    return next < sortNames.count ? ListOrder(column: next) : nil
  }

  private mutating func sort(by order: ListOrder?, _ host: inout ScreenHost) {
    guard !sortNames.isEmpty else { return host.warn("the lines of this list have one order") }
    frame.sort(by: order, values)
    host.say(
      order.map { "sorted by \(sortNames[$0.column])\($0.isDescending ? ", descending" : "")" }
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
      let cells = cells(of: frame[place], look, host)
      look.draw(cells, inRow: row, isSelected: place == frame.place, on: &canvas)
    }
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
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
