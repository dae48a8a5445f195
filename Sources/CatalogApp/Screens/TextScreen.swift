/// Shows text: help, or the output of a command.
struct TextScreen: Screen {
  private let title: String
  private let lines: [String]
  /// True if lines without indentation are headings.
  private let hasHeadings: Bool
  private var top = 0

  init(title: String, lines: [String], hasHeadings: Bool = false) {
    self.title = title
    self.lines = lines
    self.hasHeadings = hasHeadings
  }

  private var filter = LineFilter()

  var place: KeyPlace { TextAction.place }
  var isOpaque: Bool { true }

  func hints(_ app: AppState) -> [any KeyAction] {
    [.leave, .pageDown, .pageUp, .first, .last, .filter] as [TextAction]
  }

  var answers: [Answer] { filter.answers }

  private var shown: [String] { filter.isActive ? lines.filter(filter.matches) : lines }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    let page = max(1, app.layout.statusLine - 1)
    if filter.isTyped {
      filter.handle(event)
      scroll(to: 0, page)
      return .stay
    }
    switch event {
    case .interrupt: return .close
    case .mouse(let mouse):
      if mouse.kind == .scrollDown { scroll(to: top + 3, page) }
      if mouse.kind == .scrollUp { scroll(to: top - 3, page) }
    case .key(let key):
      guard let action: TextAction = app.keys.action(for: key) else { return .stay }
      switch action {
      case .leave: return .close
      case .down: scroll(to: top + 1, page)
      case .up: scroll(to: top - 1, page)
      case .pageDown: scroll(to: top + page, page)
      case .pageUp: scroll(to: top - page, page)
      case .first: scroll(to: 0, page)
      case .last: scroll(to: lines.count, page)
      case .filter: filter.begin()
      }
    default: break
    }
    return .stay
  }

  private mutating func scroll(to line: Int, _ page: Int) {
    top = max(0, min(line, shown.count - page))
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let columns = canvas.size.columns
    let page = max(0, app.layout.statusLine - 1)
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    let shown = shown
    let rest = shown.count < lines.count ? " of \(lines.count)" : ""
    let position = "\(min(shown.count, top + page))/\(shown.count)\(rest)"
    let place = lines.count > page || !rest.isEmpty ? "  \(position)" : ""
    canvas.write(
      DisplayText(title + place),
      at: Point(x: 1, y: 0),
      width: columns - 1,
      role: .header
    )
    for (y, line) in shown.dropFirst(top).prefix(page).enumerated() {
      let role: Role = line.hasPrefix(" ") || line.isEmpty ? .normal : .title
      canvas.write(
        DisplayText(line, clippedTo: columns - 1),
        at: Point(x: 1, y: y + 1),
        role: hasHeadings ? role : .normal
      )
    }
    filter.draw(on: &canvas, app, note: position)
  }
}

extension TextScreen {
  /// The current keys, starting with those of a place, and all commands.
  static func help(_ app: AppState, from place: KeyPlace) -> TextScreen {
    var lines = HelpText.keys(app.keys, at: place)
    for other in KeyCommand.allPlaces where other != place {
      lines += [""] + HelpText.keys(app.keys, at: other)
    }
    return TextScreen(
      title: "Help",
      lines: lines + [""] + HelpText.filters + [""] + HelpText.commands(),
      hasHeadings: true
    )
  }
}

/// The actions of keys in a text.
enum TextAction: String, KeyAction {
  case leave
  case down, up
  case pageDown = "page down"
  case pageUp = "page up"
  case first, last, filter

  static let place = KeyPlace("text")

  var binding: KeyBinding {
    func binding(_ keys: [Key], _ summary: String, hint: String? = nil) -> KeyBinding {
      KeyBinding("In a text view", keys, summary, hint: hint)
    }
    return switch self {
    case .leave:
      binding(
        [.escape, .character("q"), .enter, .character("?"), .function(1)],
        "close",
        hint: "close"
      )
    case .down: binding([.down, .character("j")], "go down a line")
    case .up: binding([.up, .character("k")], "go up a line")
    case .pageDown: binding([.pageDown, .space, .control("f"), .control("d")], "go down a page")
    case .pageUp: binding([.pageUp, .control("b"), .control("u")], "go up a page")
    case .first: binding([.home, .character("g")], "go to the first line")
    case .last: binding([.end, .character("G")], "go to the last line")
    case .filter: binding([.character("/")], "show only lines that contain what you type")
    }
  }
}
