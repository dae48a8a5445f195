import OpenSwiftData

/// All commands, found by a few of their letters.
struct PaletteScreen: Screen {
  private struct Entry: Sendable {
    /// The action or command of an entry.
    enum Choice: Sendable {
      /// An action of the table.
      case action(TableAction)
      /// A command that needs no arguments.
      case command(String)
      /// A command whose arguments are typed next.
      case prompt(String)
      /// The commands of a key.
      case press(Key)
    }

    let name: String
    let keys: String
    let summary: String
    let choice: Choice
  }

  private var editor = LineEditor()
  private let all: [Entry]
  private var shown: [Int]
  private var list: ScrollList
  /// The record under the cursor when the palette was opened, to which its commands apply.
  private var edited: EditedRecord?

  init(_ host: ScreenHost) {
    edited = EditedRecord(host)
    let keyed = TableAction.allCases.map { action in
      Entry(
        name: action.rawValue,
        keys: host.keys.keys(for: action).map(\.description).joined(separator: " "),
        summary: action.binding.summary,
        choice: .action(action)
      )
    }
    let typed = Command.all(in: .screen).map {
      Entry(
        name: ":\($0.name)",
        keys: "",
        summary: $0.summary,
        choice: $0.usage.isEmpty ? .command($0.name) : .prompt($0.name + " ")
      )
    }
    let own = host.keys.lines.keys.map { key in
      let lines = host.keys.lines[key]?.joined(separator: "; ") ?? ""
      return Entry(name: lines, keys: key.description, summary: "your key", choice: .press(key))
    }
    // Users know the movement keys by heart, so they come last.
    let moving = TableAction.allCases.prefix { $0 != .open }.count
    all = own + Array(keyed.dropFirst(moving)) + typed + keyed.prefix(moving)
    shown = Array(all.indices)
    list = ScrollList(count: all.count)
  }

  var place: KeyPlace { PromptAction.place }
  var record: PersistentIdentifier? { edited?.identifier }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited?.follow(message)
    return .stay
  }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .earlier, .later] as [PromptAction]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    switch list.handleTyped(event, in: PopupFrame.inside(Self.area(host)), host.keys) {
    case .accepted: return accept(&host)
    case .left: return .close
    case .handled: return .stay
    case .text: break
    }
    guard !editor.isNeedlessSlash(event), editor.handleInOneLine(event) else { return .stay }
    shown = Fuzzy.places(editor.text, among: all.count) { (all[$0].name, all[$0].summary) }
    list = ScrollList(count: shown.count)
    return .stay
  }

  private func accept(_ host: inout ScreenHost) -> Transition {
    guard shown.indices.contains(list.selected) else { return .stay }
    let entry = all[shown[list.selected]]
    switch entry.choice {
    case .action(let action): return perform(action, &host)
    case .command(let name): host.request(.read(line: name, lostRecord: edited?.lossReason))
    case .prompt(let text): return .replace(CommandPrompt(host, text: text))
    case .press(let key): host.press(key)
    }
    return .close
  }

  private func perform(_ action: TableAction, _ host: inout ScreenHost) -> Transition {
    if action.needsRecord, host.table.marks.isEmpty, let reason = edited?.lossReason {
      host.warn("\(action.rawValue): \(reason)")
      return .close
    }
    return .perform(action)
  }

  /// The reason why an entry is not possible now; nil if it is, and for commands, which tell when they run.
  private func refusal(of entry: Entry, _ host: ScreenHost) -> String? {
    if case .action(let action) = entry.choice { action.disabledReason(host) } else { nil }
  }

  private static func area(_ host: ScreenHost) -> Rect { host.layout.popup(width: 72, height: 20) }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let rest = shown.count < all.count ? " of \(all.count)" : ""
    let inner = PopupFrame.draw(
      on: &canvas,
      in: Self.area(host),
      title: DisplayText(
        "all commands · \(list.selected + (shown.isEmpty ? 0 : 1))/\(shown.count)\(rest)"
      )
    )
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
        role: isSelected ? role : refusal(of: entry, host) == nil ? .hintKey : .popupHint
      )
      let x = inner.minX + nameWidth + keyWidth + 2
      canvas.write(
        DisplayText(refusal(of: entry, host).map { "not now: \($0)" } ?? entry.summary),
        at: Point(x: x, y: y),
        width: max(0, inner.maxX - x),
        role: isSelected ? role : .popupHint
      )
    }
    PopupFrame.drawScrollBar(
      on: &canvas,
      in: Self.area(host),
      list.visible(inner.height),
      of: shown.count
    )
    PromptLine.draw(on: &canvas, host.layout, label: "containing: ", editor: editor)
  }
}
