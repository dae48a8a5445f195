import OpenSwiftData

/// Adds a member or an element to JSON, on the line of the prompts.
struct DetailsAddScreen: Screen {
  private var edited: EditedRecord
  /// The field that is set.
  private let whole: FieldEditor
  private let tree: JSONTree
  /// The part to which the value is added, or after which it comes.
  private let node: Int
  private let container: Int
  private var editor = LineEditor()
  private var isWaiting = false

  init?(_ host: ScreenHost, field place: Int, _ tree: JSONTree, node: Int) {
    guard let edited = EditedRecord(host), edited.row.values.indices.contains(place),
      let container = tree.container(at: node)
    else { return nil }
    self.edited = edited
    self.tree = tree
    self.node = node
    self.container = container
    whole = FieldEditor(edited.entity.fields[place], edited.row.values[place], today: host.today)
  }

  var place: KeyPlace { PromptAction.place }
  var record: PersistentIdentifier? { edited.identifier }
  var unlistedRow: TableRow? { edited.state == .listed ? nil : edited.row }

  func hints(_ host: ScreenHost) -> [any KeyAction] { [.accept, .leave] as [PromptAction] }

  private var isObject: Bool { tree.nodes[container].isObject }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let action: PromptAction = host.keys.action(for: key) {
      switch action {
      case .accept: return accept(&host)
      case .leave: return .close
      case .complete, .earlier, .later: return .stay
      }
    }
    _ = editor.handle(event)
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited.follow(message, sayingIn: &host)
    if case .ran(let report) = message, isWaiting {
      isWaiting = false
      if case .failed = report.answer { return .stay }
      return .answer("")
    }
    return .stay
  }

  private mutating func accept(_ host: inout ScreenHost) -> Transition {
    if editor.text.isEmpty { return .close }
    switch reading {
    case .failure(let problem):
      host.refuse(problem.message)
      return .stay
    case .success(let json):
      var result = whole
      result.choose(tree.adding(json, at: node))
      if edited.state == .deleted { return .open(edited.offerToAdd([result])) }
      isWaiting = true
      host.set([result], of: edited.row)
      return .stay
    }
  }

  // MARK: Reading

  /// The member or the element as JSON, or the reason why it is none.
  private var reading: Result<String, CommandError> {
    guard isObject else { return Self.value(editor.text) }
    guard let (name, value) = Self.member(editor.text) else {
      return .failure(CommandError("expected NAME: VALUE, such as color: red"))
    }
    if tree.keys(of: container).contains(name) {
      return .failure(CommandError("\(Value.quoted(name)) already exists; edit its value"))
    }
    return Self.value(value).map { JSONText.quoted(name) + ":" + $0 }
  }

  /// The name, with quotes or without, and the value of `NAME: VALUE`.
  private static func member(_ text: String) -> (name: String, value: String)? {
    if text.hasPrefix("\"") {
      var reader = JSONReader(Array(text.utf8))
      // Text that is not a JSON string is read as it is.
      if case .text(let name)? = try? reader.next() {
        let rest = text.utf8.dropFirst(reader.position)
        guard let value = Substring(rest).trimmed.prefixRemoved(":") else { return nil }
        return (name, String(value.trimmed))
      }
    }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let name = text[..<colon].trimmed
    // A name with such a sign is JSON without a colon, unless it is in quotes.
    guard !name.isEmpty, !name.contains(where: { "{}[]\",".contains($0) }) else { return nil }
    return (String(name), String(text[text.index(after: colon)...].trimmed))
  }

  /// The text as it is if it is JSON, else as a JSON string, unless it begins like JSON.
  private static func value(_ text: String) -> Result<String, CommandError> {
    do {
      return .success(try JSONText.compact(text))
    } catch {
      guard let first = text.first, "[{\"".contains(first) else {
        return .success(JSONText.quoted(text))
      }
      return .failure(CommandError("invalid JSON: \(Value.shortened(text))"))
    }
  }

  // MARK: Drawing

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let path = tree.path(of: container)
    let name = whole.attribute.name + (path.isEmpty || path.hasPrefix("[") ? "" : ".") + path
    var note = DisplayText(isObject ? "NAME: VALUE (JSON, or text)" : "VALUE (JSON, or text)")
    var role = Role.hint
    if !editor.text.isEmpty {
      switch reading {
      case .success(let json): note = "stores " + DisplayText(json)
      case .failure(let problem): (note, role) = (DisplayText(problem.message), .warning)
      }
    }
    PromptLine.draw(
      on: &canvas,
      host.layout,
      label: DisplayText("add to \(name): "),
      editor: editor,
      note: note,
      noteRole: role
    )
  }
}

extension Substring {
  fileprivate func prefixRemoved(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
