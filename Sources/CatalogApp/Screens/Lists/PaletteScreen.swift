import OpenSwiftData

/// All commands, found by a few of their letters.
struct PaletteScreen: TypedListScreen {
  struct Entry: Identifiable, Sendable {
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
    /// What people call it besides.
    var words = ""
    let choice: Choice

    var id: String { "\(keys) \(name)" }
  }

  var editor = LineEditor()
  private let all: [Entry]
  var frame = ListFrame<Entry>()
  /// True if nothing contains what was typed, so that the nearest entries are shown.
  private var showsNearest = false
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
    let field = host.table.currentAttribute.map { CommandText.quoted($0.name) }
    let typed = Command.all(in: .screen).map {
      Entry(
        name: ":\($0.name)",
        keys: "",
        summary: $0.summary,
        words: $0.searchWords,
        choice: $0.choice(ofField: field)
      )
    }
    let own = host.keys.lines.keys.map { key in
      let lines = host.keys.lines[key]?.joined(separator: "; ") ?? ""
      return Entry(name: lines, keys: key.description, summary: "your key", choice: .press(key))
    }
    // Users know the movement keys by heart, so they come last.
    let moving = TableAction.allCases.prefix { $0 != .open }.count
    all = own + Array(keyed.dropFirst(moving)) + typed + keyed.prefix(moving)
    frame.setLines(all)
  }

  var record: PersistentIdentifier? { edited?.identifier }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited?.follow(message)
    return .stay
  }

  mutating func find(_ host: inout ScreenHost) {
    frame = ListFrame()
    let entry = { [all] (place: Int) in
      (all[place].name, "\(all[place].summary), \(all[place].words)")
    }
    let places = Fuzzy.places(editor.text, among: all.count, entry)
    showsNearest = places.isEmpty
    let shown = showsNearest ? Fuzzy.nearest(to: editor.text, among: all.count, entry) : places
    frame.setLines(shown.map { all[$0] })
  }

  /// Help explains what no command is called.
  func acceptNothing(_ host: inout ScreenHost) -> Transition { .perform(.help) }

  mutating func accept(_ entry: Entry, _ host: inout ScreenHost) -> Transition {
    // What is only similar is not performed before it was seen.
    if showsNearest {
      editor = LineEditor(entry.name)
      find(&host)
      return .stay
    }
    switch entry.choice {
    case .action(let action): return perform(action, &host)
    case .command(let name):
      host.request(.read(line: name, lostRecord: edited?.lossReason, isTyped: true))
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

  func look(_ host: ScreenHost) -> ListLook {
    let sheet = host.layout.sheet(lines: 18)
    let width = Sheet.inside(sheet).width
    let rest = frame.lines.count < all.count ? " of \(all.count)" : ""
    return ListLook(
      sheet: sheet,
      title: showsNearest
        ? nearestTitle : "all commands · \(frame.positionOfSelected)\(rest)",
      [.init(width: min(22, width / 3) - 1), .init(width: min(12, width / 5)), .init()]
    )
  }

  /// Says that nothing was found, and what is shown instead or what to do.
  private var nearestTitle: String {
    "no command contains \(Value.quoted(editor.text))"
      + (frame.lines.isEmpty ? "; Enter opens the help" : "; similar ones")
  }

  func cells(of entry: Entry, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    let refusal = refusal(of: entry, host)
    return [
      ListCell(entry.name), ListCell(entry.keys, refusal == nil ? .hintKey : .dim),
      ListCell(refusal.map { "not now: \($0)" } ?? entry.summary, .dim),
    ]
  }
}

extension Command {
  /// What its entry does: what begins with a field begins with the one under the cursor.
  fileprivate func choice(ofField field: String?) -> PaletteScreen.Entry.Choice {
    if usage.isEmpty { return .command(name) }
    guard let field, usage.prefix(while: { $0 != " " }) == "FIELD" else {
      return .prompt("\(name) ")
    }
    return .prompt("\(name) \(field) ")
  }
}
