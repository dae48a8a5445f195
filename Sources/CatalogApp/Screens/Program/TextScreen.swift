/// Shows text: help, or the output of a command.
struct TextScreen: Screen {
  /// The number of lines that are printed for it.
  static let lineLimit = 1000

  private let title: String
  private let lines: [String]
  /// True if lines without indentation are headings.
  private let hasHeadings: Bool
  private var top = 0

  init(title: String, lines: [String], hasHeadings: Bool = false) {
    (self.title, self.lines, self.hasHeadings) = (title, lines, hasHeadings)
  }

  private var filter = LineFilter()

  var place: KeyPlace { TextAction.place }
  var isOpaque: Bool { true }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.leave, .pageDown, .pageUp, .first, .last, .filter] as [TextAction]
  }

  var answers: [Answer] { filter.answers }

  /// More words by which a line is found.
  private var words: [String: String] = [:]

  private var shown: [String] {
    guard filter.isActive else { return lines }
    return entries.filter { $0.contains { filter.matches($0 + " " + (words[$0] ?? "")) } }.flatMap {
      $0
    }
  }

  /// The lines of help, each together with those below it that go on with its second column; other lines by themselves.
  private var entries: [[String]] {
    lines.reduce(into: []) { entries, line in
      if hasHeadings, Self.leading(line) > Self.entryIndent, !entries.isEmpty {
        entries[entries.count - 1].append(line)
      } else {
        entries.append([line])
      }
    }
  }

  /// The indentation of a line that begins the explanation of a key or a command.
  private static let entryIndent = 2

  /// A row of the screen: a line, or a part of one that is longer than the screen is wide.
  private struct Row {
    let text: DisplayText
    let isHeading: Bool
  }

  private static func leading(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  /// The place where the second column of a line of help begins, below which the line goes on.
  private static func hanging(_ line: String) -> Int {
    let characters = Array(line.prefix(40))
    let start = leading(line)
    guard
      let gap = characters.indices.dropFirst(start).first(where: {
        $0 + 1 < characters.count && characters[$0] == " " && characters[$0 + 1] == " "
      }), let next = characters[gap...].firstIndex(where: { $0 != " " })
    else { return start + 2 }
    return next
  }

  /// The narrowest screen on which help has two columns.
  private static let widthOfTwoColumns = 100

  /// The columns next to each other, and the cells of each.
  private func columns(_ width: Int) -> (count: Int, width: Int) {
    hasHeadings && width >= Self.widthOfTwoColumns ? (2, (width - 4) / 2) : (1, width - 1)
  }

  /// The lines as rows of at most so many cells; the parts of a long line are indented.
  ///
  /// - Complexity: O(n) in the length of the text.
  private func rows(_ width: Int) -> [Row] {
    shown.flatMap { line in
      let isHeading = hasHeadings && !line.isEmpty && !line.hasPrefix(" ")
      let text = DisplayText(line)
      guard text.width > width else { return [Row(text: text, isHeading: isHeading)] }
      let indent = min(hasHeadings ? Self.hanging(line) : Self.leading(line) + 2, width / 2)
      let first = text.wrapped(to: max(1, width))[0]
      let rest = DisplayText(String(text.dropping(first.width).plain.drop { $0 == " " }))
      let parts = [first] + rest.wrapped(to: max(1, width - indent))
      return parts.enumerated().map { place, part in
        let blank = DisplayText(String(repeating: " ", count: place == 0 ? 0 : indent))
        return Row(text: blank + part, isHeading: isHeading)
      }
    }
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    let columns = columns(host.size.columns)
    let page = max(1, host.layout.statusLine - 1) * columns.count
    if filter.isTyped {
      filter.handle(event)
      top = 0
      return .stay
    }
    let last = max(0, rows(columns.width).count - page)
    switch event {
    case .interrupt: return .close
    case .mouse(let mouse):
      if mouse.kind == .scrollDown { top = max(0, min(top + 3, last)) }
      if mouse.kind == .scrollUp { top = max(0, min(top - 3, last)) }
    case .key(let key):
      guard let action: TextAction = host.keys.action(for: key) else { return .stay }
      switch action {
      case .leave: return .close
      case .down: top = max(0, min(top + 1, last))
      case .up: top = max(0, min(top - 1, last))
      case .pageDown: top = max(0, min(top + page, last))
      case .pageUp: top = max(0, min(top - page, last))
      case .first: top = 0
      case .last: top = last
      case .filter: filter.begin()
      }
    default: break
    }
    return .stay
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    let arranged = self.columns(columns)
    let height = max(0, host.layout.statusLine - 1)
    let page = height * arranged.count
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    let rows = rows(arranged.width)
    // The screen may have grown since the last key.
    let first = max(0, min(top, rows.count - page))
    let rest = filter.isActive ? " of \(lines.count)" : ""
    let position = "\(min(rows.count, first + page))/\(rows.count)\(rest)"
    let place = rows.count > page || filter.isActive ? "  \(position)" : ""
    canvas.write(
      DisplayText(title + place),
      at: Point(x: 1, y: 0),
      width: columns - 1,
      role: .header
    )
    for (place, row) in rows.dropFirst(first).prefix(page).enumerated() {
      canvas.write(
        row.text,
        at: Point(x: 1 + place / height * (arranged.width + 3), y: place % height + 1),
        width: arranged.width,
        role: row.isHeading ? .title : .normal
      )
    }
    if arranged.count > 1 {
      let line = Rect(x: 2 + arranged.width, y: 1, width: 1, height: height)
      canvas.fill(line, role: .border, character: "│")
    }
    filter.draw(on: &canvas, host.layout, note: position)
  }
}

extension TextScreen {
  /// The current keys, starting with those that are most useful now, then those of a place and of another one whose keys
  /// work there, too, and all commands.
  static func help(
    _ keys: KeyMap,
    from place: KeyPlace,
    and shared: KeyPlace? = nil,
    first: [any KeyAction] = []
  ) -> TextScreen {
    var lines = HelpText.first(first, keys) + HelpText.keys(keys, at: place)
    if place == TableAction.place { lines += HelpText.boundLines(keys.lines) }
    let places = ([shared].compactMap { $0 } + KeyCommand.allPlaces).filter { $0 != place }
    for (index, other) in places.enumerated() where places.firstIndex(of: other) == index {
      lines += [""] + HelpText.keys(keys, at: other)
    }
    lines += [""] + HelpText.mouse + [""] + HelpText.filters + [""] + HelpText.commands()
    var screen = TextScreen(title: "Help", lines: lines, hasHeadings: true)
    screen.words = HelpText.names(keys)
    return screen
  }
}

/// The actions of keys in a text.
enum TextAction: String, KeyAction {
  case leave
  case down, up
  case pageDown = "page down"
  case pageUp = "page up"
  case first, last, filter

  static let place = KeyPlace("text", "In a text view")

  var binding: KeyBinding {
    switch self {
    case .leave: KeyBinding([.escape, "q", .enter, "?", .function(1)], "close", hint: "close")
    case .down: KeyBinding([.down, "j"], "go down a line")
    case .up: KeyBinding([.up, "k"], "go up a line")
    case .pageDown: KeyBinding([.pageDown, .space, .control("f"), .control("d")], "go down a page")
    case .pageUp: KeyBinding([.pageUp, .control("b"), .control("u")], "go up a page")
    case .first: KeyBinding([.home, "g"], "go to the first line")
    case .last: KeyBinding([.end, "G"], "go to the last line")
    case .filter: KeyBinding(["/"], "show only lines that contain what you type")
    }
  }
}
