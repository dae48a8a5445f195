import OpenSwiftData

/// All commands, found by a few of their letters.
struct PaletteScreen: Screen {
  private struct Entry: Sendable {
    let name: String
    let keys: String
    let summary: String
    /// True for what a key does; otherwise it is typed behind the colon.
    let isKeyCommand: Bool
    let needsMore: Bool
  }

  private var editor = LineEditor()
  private let all: [Entry]
  private var shown: [Int]
  private var list: ScrollList
  /// The record under the cursor when the palette was opened, which its commands are for.
  private var edited: EditedRecord?

  init(_ app: AppState) {
    edited = EditedRecord(app)
    let commands = ScreenCommand.editing + ScreenCommand.finding + ScreenCommand.program
    let keyed = (commands + ScreenCommand.moving).map { command in
      Entry(
        name: command.name,
        keys: app.keys.keys(for: command.name, at: .table).map(\.description)
          .joined(separator: " "),
        summary: command.summary,
        isKeyCommand: true,
        needsMore: false
      )
    }
    let typed = Command.all.map {
      Entry(
        name: ":\($0.name)",
        keys: "",
        summary: $0.summary,
        isKeyCommand: false,
        needsMore: !$0.usage.isEmpty
      )
    }
    all = Array(keyed.prefix(commands.count)) + typed + keyed.dropFirst(commands.count)
    shown = Array(all.indices)
    list = ScrollList(count: all.count)
  }

  var place: ScreenCommand.Place { .prompt }
  var record: PersistentIdentifier? { edited?.identifier }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    edited?.follow(message)
    return .stay
  }

  func hints(_ app: AppState) -> [String] { ["accept", "leave", "earlier", "later"] }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return .close }
    if case .mouse(let mouse) = event {
      list.handle(mouse, in: PopupFrame.inside(Self.area(app)))
      return mouse.kind == .double ? accept(&app) : .stay
    }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .prompt) {
      switch command.name {
      case "accept": return accept(&app)
      case "leave": return .close
      case "earlier": list.select(list.selected - 1)
      case "later", "complete": list.select(list.selected + 1)
      default: break
      }
      return .stay
    }
    guard editor.handle(event) else { return .stay }
    let ranked = all.indices.compactMap { place in
      Fuzzy.rank(editor.text, in: all[place].name, all[place].summary).map { (place, $0) }
    }
    shown = ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    list = ScrollList(count: shown.count)
    return .stay
  }

  private func accept(_ app: inout AppState) -> Transition {
    guard shown.indices.contains(list.selected) else { return .stay }
    let entry = all[shown[list.selected]]
    if entry.isKeyCommand, let command = ScreenCommand.named(entry.name, at: .table) {
      if command.group == "Changing", !["add", "undo", "redo", "save"].contains(command.name),
        app.table.marks.isEmpty, let reason = edited?.lossReason
      {
        app.warn("\(command.name): \(reason)")
        return .close
      }
      if case .open(let screen) = app.perform(command, nil) { return .replace(screen) }
      return .close
    }
    let line = String(entry.name.dropFirst())
    if entry.needsMore { return .replace(CommandPrompt(app, text: line + " ")) }
    app.run(line)
    return .close
  }

  private static func area(_ app: AppState) -> Rect { app.layout.popup(width: 72, height: 20) }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let inner = PopupFrame.draw(on: &canvas, in: Self.area(app), title: "all commands")
    let nameWidth = min(18, inner.width / 3)
    let keyWidth = min(12, inner.width / 5)
    for (line, place) in list.visible(inner.height).enumerated() {
      let entry = all[shown[place]]
      let isSelected = place == list.selected
      let role: Role = isSelected ? .popupSelected : .popup
      let y = inner.minY + line
      canvas.fill(Rect(x: inner.minX, y: y, width: inner.width, height: 1), role: role)
      let name = DisplayText((isSelected ? ">" : " ") + entry.name).clipped(to: nameWidth)
      canvas.write(name, at: Point(x: inner.minX, y: y), role: role)
      canvas.write(
        DisplayText(entry.keys).clipped(to: keyWidth),
        at: Point(x: inner.minX + nameWidth + 1, y: y),
        role: isSelected ? role : .hintKey
      )
      let x = inner.minX + nameWidth + keyWidth + 2
      canvas.write(
        DisplayText(entry.summary),
        at: Point(x: x, y: y),
        width: max(0, inner.maxX - x),
        role: isSelected ? role : .popupHint
      )
    }
    PromptLine.draw(on: &canvas, app, label: "command: ", editor: editor)
  }
}

/// Finds names by some of their letters in order.
enum Fuzzy {
  /// Ranks a name, 0 being best; nil when the letters do not occur in it nor in the summary.
  static func rank(_ text: String, in name: String, _ summary: String) -> Int? {
    let wanted = text.lowercased().filter { !$0.isWhitespace }
    if wanted.isEmpty { return 0 }
    let name = name.lowercased().filter { !$0.isWhitespace && $0 != ":" }
    if name.hasPrefix(wanted) { return 0 }
    if name.contains(wanted) { return 1 }
    if isSubsequence(wanted, of: name) { return 2 }
    if summary.lowercased().contains(text.lowercased()) { return 3 }
    return nil
  }

  private static func isSubsequence(_ wanted: String, of name: String) -> Bool {
    var rest = wanted[...]
    for letter in name where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}
