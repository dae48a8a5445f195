/// Lines to read: help, or what a command printed.
struct TextScreen: Screen {
  private let title: String
  private let lines: [String]
  private var top = 0

  init(title: String, lines: [String]) {
    self.title = title
    self.lines = lines
  }

  var place: ScreenCommand.Place { .text }
  var isOpaque: Bool { true }

  func hints(_ app: AppState) -> [String] { ["leave", "page down", "page up", "first", "last"] }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    let page = max(1, app.layout.statusLine - 1)
    switch event {
    case .interrupt: return .close
    case .mouse(let mouse):
      if mouse.kind == .scrollDown { scroll(to: top + 3, page) }
      if mouse.kind == .scrollUp { scroll(to: top - 3, page) }
    case .key(let key):
      switch app.keys.command(for: key, at: .text)?.name {
      case "leave": return .close
      case "down": scroll(to: top + 1, page)
      case "up": scroll(to: top - 1, page)
      case "page down": scroll(to: top + page, page)
      case "page up": scroll(to: top - page, page)
      case "first": scroll(to: 0, page)
      case "last": scroll(to: lines.count, page)
      default: break
      }
    default: break
    }
    return .stay
  }

  private mutating func scroll(to line: Int, _ page: Int) {
    top = max(0, min(line, lines.count - page))
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let columns = canvas.size.columns
    let page = max(0, app.layout.statusLine - 1)
    canvas.cursor = nil
    canvas.fill(Rect(x: 0, y: 0, width: columns, height: 1), role: .header)
    let place =
      lines.count > page ? "  \(top + 1)–\(min(lines.count, top + page)) of \(lines.count)" : ""
    canvas.write(
      DisplayText(title + place),
      at: Point(x: 1, y: 0),
      width: columns - 1,
      role: .header
    )
    for (y, line) in lines.dropFirst(top).prefix(page).enumerated() {
      let role: Role = line.hasPrefix(" ") || line.isEmpty ? .normal : .title
      canvas.write(
        DisplayText(line, clippedTo: columns - 1),
        at: Point(x: 1, y: y + 1),
        role: title.hasPrefix("Help") ? role : .normal
      )
    }
  }
}

extension TextScreen {
  /// The keys as they are, those of a place first, and all commands.
  static func help(_ app: AppState, from place: ScreenCommand.Place) -> TextScreen {
    var lines = HelpText.keys(app.keys, at: place)
    for other in ScreenCommand.Place.allCases where other != place {
      lines += [""] + HelpText.keys(app.keys, at: other)
    }
    return TextScreen(
      title: "Help",
      lines: lines + [""] + HelpText.filters + [""] + HelpText.commands()
    )
  }
}

/// Help, made from the lists of commands, so that it is never stale.
package enum HelpText {
  /// The keys of a place under their headings.
  package static func keys(_ keys: KeyMap, at place: ScreenCommand.Place) -> [String] {
    var lines: [String] = []
    var group = ""
    for command in ScreenCommand.all(at: place) {
      if command.group != group {
        if !group.isEmpty { lines.append("") }
        group = command.group
        lines.append(group)
      }
      let names = keys.keys(for: command.name, at: place).map(\.description)
      let column = DisplayText(names.joined(separator: " ")).padded(to: 14).plain
      lines.append("  \(column)  \(command.summary)")
    }
    return lines
  }

  /// The keys of every place, one after the other.
  package static func allKeys(_ keys: KeyMap) -> [String] {
    Array(ScreenCommand.Place.allCases.map { self.keys(keys, at: $0) }.joined(separator: [""]))
  }

  /// The keys as a page of Markdown: a table for each group.
  package static func markdown(_ keys: KeyMap) -> String {
    var page = """
      # Keys on the screen

      The default keys. Press `?` for your current bindings. A test keeps this page in step with the
      program.

      """
    var group = ""
    for place in ScreenCommand.Place.allCases {
      for command in ScreenCommand.all(at: place) {
        if command.group != group {
          group = command.group
          page += "\n## \(group)\n\n| keys | name | what they do |\n|---|---|---|\n"
        }
        let names = keys.keys(for: command.name, at: place).map { key in
          "`" + (key == .character("|") ? "&#124;" : key.description) + "`"
        }
        page += "| \(names.joined(separator: " ")) | \(command.name) | \(command.summary) |\n"
      }
    }
    page += "\n## \(filters[0])\n\n"
    page += filters.dropFirst().map { $0.dropFirst(2) + "\n" }.joined()
    return page
  }

  /// How the filter understands what is typed.
  package static let filters = [
    "What you can type in the filter",
    "  A predicate, as in scripts: year > 2000 and title contains \"up\". Text that starts with a",
    "  field and an operator is a predicate, and so is any other text that can be read as one.",
    "  While it is incomplete, the list stays as it is and the line above shows what is missing.",
    "  Other text is plain words; each must occur in some field. \"Words in quotes\" count as one.",
    "  Case matters only where you type a capital; contains[c] always ignores it. In scripts it matters.",
    "  After = it always matters; title =[c] \"jaws\" ignores it.",
    "  Tab completes fields, operators and values.",
  ]

  /// The commands behind the colon.
  package static func commands() -> [String] {
    var lines = ["Commands (type : first)"]
    for command in Command.all {
      lines.append("  \(command.synopsis)")
      lines.append("      \(command.summary)")
    }
    for (name, summary) in CommandPrompt.screenLines {
      lines.append("  \(name)")
      lines.append("      \(summary)")
    }
    return lines
  }
}
