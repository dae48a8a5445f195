import OpenSwiftData

/// The line behind the colon: every command of scripts, and some for the screen.
struct CommandPrompt: Screen {
  private var editor: LineEditor
  /// The place in the history; nil while a new line is typed.
  private var historyPlace: Int?
  private var draft = ""
  private var completion: Completion?

  /// What the screen understands beside the commands of scripts.
  static let screenLines: [(String, String)] = [
    ("w", "write the unsaved changes"),
    ("q", "leave; asks if anything would be lost"),
    ("wq", "write the unsaved changes and leave"),
    ("q!", "leave without the unsaved changes"),
    ("e LOCATION", "open another store"),
    ("set FIELD=VALUE …", "change values of the marked records, or of the one under the cursor"),
    ("delete", "delete the marked records, or the one under the cursor"),
    ("duplicate", "duplicate the marked records, or the one under the cursor"),
    ("filter P", "show the records that match a predicate or plain words; nothing shows all"),
    ("sort [-]FIELD,…", "sort the table; nothing ends it"),
    ("42", "go to record 42"),
  ]

  /// The record under the cursor when the line was begun, which lines without one mean.
  private var edited: EditedRecord?

  init(_ app: AppState, text: String = "") {
    editor = LineEditor(text)
    edited = EditedRecord(app)
  }

  var place: ScreenCommand.Place { .prompt }
  var record: PersistentIdentifier? { edited?.identifier }

  func hints(_ app: AppState) -> [String] { ["accept", "leave", "complete", "earlier"] }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    edited?.follow(message)
    return .stay
  }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .prompt) {
      if command.name != "complete" { completion = nil }
      switch command.name {
      case "accept": return submit(&app)
      case "leave": return .close
      case "complete": complete(app)
      case "earlier": recall(-1, app)
      case "later": recall(1, app)
      default: break
      }
      return .stay
    }
    if case .key(.backspace) = event, editor.text.isEmpty { return .close }
    completion = nil
    _ = editor.handle(event)
    return .stay
  }

  private mutating func recall(_ step: Int, _ app: AppState) {
    let lines = app.lineHistory
    let next = (historyPlace ?? lines.count) + step
    if historyPlace == nil { draft = editor.text }
    if next >= lines.count {
      historyPlace = nil
      editor = LineEditor(draft)
    } else if next >= 0 {
      historyPlace = next
      editor = LineEditor(lines[next])
    }
  }

  private mutating func complete(_ app: AppState) {
    if completion == nil { completion = Completion(editor, app) }
    guard let word = completion?.next(), let range = completion?.range else { return }
    editor.replace(range, with: word)
    completion?.range = range.lowerBound..<(range.lowerBound + word.count)
  }

  // MARK: Doing it

  private func submit(_ app: inout AppState) -> Transition {
    // A line feed can only come from a paste, which is text; it never begins another command.
    let line = editor.text.trimmingPrefix { $0.isWhitespace }
    guard !line.isEmpty else { return .close }
    app.lineHistory.removeAll { $0 == line }
    app.lineHistory.append(String(line))
    let name = line.prefix { !$0.isWhitespace }
    let rest = String(line[name.endIndex...].trimmingPrefix { $0.isWhitespace })
    if app.table.marks.isEmpty, let reason = edited?.lossReason,
      Self.namesNoRecord(String(name), rest, String(line))
    {
      app.fail("\(name) is not possible: \(reason)")
      return .close
    }
    return Self.perform(String(name), rest, line: String(line), &app)
  }

  private static func perform(
    _ name: String,
    _ rest: String,
    line: String,
    _ app: inout AppState
  ) -> Transition {
    if let row = Int(name), row >= 0, rest.isEmpty {
      app.table.move(toRow: row - 1)
      return .close
    }
    switch name {
    case "q", "quit": if rest.isEmpty { app.quit(isDiscarding: false) } else { app.run(line) }
    case "q!", "quit!": app.quit(isDiscarding: true)
    case "w" where rest.isEmpty, "save" where rest.isEmpty, "write" where rest.isEmpty:
      return ScreenCommand.named("save", at: .table).map { app.close($0) } ?? .close
    case "wq", "x":
      if app.status.unsaved == 0 {
        app.quit(isDiscarding: true)
      } else {
        app.run("save", then: .quit)
      }
    case "e", "edit", "open":
      if rest.isEmpty { app.fail("say what to open: e LOCATION") } else { app.open(rest) }
    case "h" where rest.isEmpty, "help" where rest.isEmpty:
      return .replace(TextScreen.help(app, from: .table))
    case "set" where namesNoRecord(name, rest, line):
      return act(line, verb: "set values of", &app)
    case "delete" where rest.isEmpty, "rm" where rest.isEmpty:
      return act(line, verb: "delete", &app)
    case "duplicate" where rest.isEmpty: return act(line, verb: "duplicate", &app)
    case "filter": filter(rest, &app)
    case "sort": sort(rest, &app)
    default: app.run(line, then: name == "insert" ? .goToNew : nil)
    }
    return .close
  }

  /// True for a line that names no record: it is for the marked ones, or the one under the cursor.
  private static func namesNoRecord(_ name: String, _ rest: String, _ line: String) -> Bool {
    if ["delete", "rm", "duplicate"].contains(name) { return rest.isEmpty }
    // What is wrong with a line is said when it runs.
    guard let words = try? CommandLine(line).words, name == "set", words.count > 1
    else { return false }
    return words[1].assignment != nil
  }

  /// Does a line that names no records on those marked, or on the one under the cursor.
  private static func act(_ line: String, verb: String, _ app: inout AppState) -> Transition {
    if let reason = app.readOnlyReason ?? app.noTargetReason {
      app.fail("\(line.prefix { $0 != " " }) is not possible: \(reason)")
    } else {
      app.act(
        RecordAction(
          line: line,
          verb: verb,
          asksAboveOne: verb == "delete",
          then: verb == "duplicate" ? .goToNew : nil
        )
      )
    }
    return .close
  }

  private static func filter(_ text: String, _ app: inout AppState) {
    guard let entity = app.table.entity else { return app.fail(app.noEntityReason ?? "") }
    app.table.filter = FilterInput(text, for: entity)
    if let problem = app.table.filter.problem, app.table.filter.looksLikePredicate {
      app.warn(problem.sentence)
    }
    app.requery()
  }

  private static func sort(_ text: String, _ app: inout AppState) {
    guard let entity = app.table.entity else { return app.fail(app.noEntityReason ?? "") }
    do {
      app.table.sort = try text.split(whereSeparator: { $0 == "," || $0 == " " }).map { word in
        let name = word.hasPrefix("-") ? word.dropFirst() : word
        return SortKey(
          try entity.attribute(named: String(name)).name,
          isDescending: word.hasPrefix("-")
        )
      }
      app.requery()
    } catch {
      app.fail(String(describing: error))
    }
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    PromptLine.draw(on: &canvas, app, label: ":", editor: editor)
    let y = app.layout.hintLine
    let columns = canvas.size.columns
    if let completion, completion.words.count > 1 {
      canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
      var x = 1
      for (place, word) in completion.words.enumerated() where x < columns {
        let role: Role = place == completion.index ? .popupSelected : .hint
        let point = Point(x: x, y: y)
        x = canvas.write(DisplayText(word), at: point, width: columns - x, role: role) + 2
      }
    } else if let command = named() {
      canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
      canvas.write(
        DisplayText("\(command.synopsis) – \(command.summary)"),
        at: Point(x: 1, y: y),
        width: columns - 1,
        role: .hint
      )
    }
  }

  /// The command whose name is typed.
  private func named() -> Command? {
    guard editor.text.contains(" ") else { return nil }
    let words = editor.text.split(separator: " ").prefix(2).map { $0.lowercased() }
    let pair = words.joined(separator: " ")
    return Command.all.first { $0.name == pair }
      ?? Command.all.first { $0.name == words.first || $0.aliases.contains(words.first ?? "") }
  }
}

/// The words that may stand where the cursor is.
struct Completion: Sendable {
  /// The characters to replace.
  var range: Range<Int>
  let words: [String]
  private(set) var index = -1

  /// Finds the words; nil when there is none.
  init?(_ editor: LineEditor, _ app: AppState) {
    let before = editor.text.prefix(editor.cursor)
    let separators: Set<Character> = [" ", ",", "(", "-"]
    let start = before.lastIndex(where: separators.contains).map { before.index(after: $0) }
    let word = before[(start ?? before.startIndex)...]
    let isFirst = !before.contains(" ")
    let names = isFirst ? Self.commandNames() : Self.names(app, line: before)
    let found = names.filter { $0.lowercased().hasPrefix(word.lowercased()) && $0 != word }
    guard !found.isEmpty else { return nil }
    words = found
    range = (editor.cursor - word.count)..<editor.cursor
  }

  /// The next word, the first again after the last.
  mutating func next() -> String? {
    index = (index + 1) % words.count
    return words[index]
  }

  private static func commandNames() -> [String] {
    let first = Command.all.map { String($0.name.prefix { $0 != " " }) }
    let screen = CommandPrompt.screenLines.map { String($0.0.prefix { $0 != " " }) }
    return Array(Set(first + screen.filter { Int($0) == nil })).sorted()
  }

  private static func names(_ app: AppState, line: Substring) -> [String] {
    let words = line.split(separator: " ").map { $0.lowercased() }
    guard let name = words.first else { return [] }
    let second: [String] = Command.all.compactMap { command in
      guard words.count <= 2, command.name.hasPrefix(name + " ") else { return nil }
      return String(command.name.dropFirst(name.count + 1))
    }
    let assigns = ["set", "insert"].contains(name) && !words.contains("where")
    let fields = app.table.attributes.map { $0.name + (assigns ? "=" : "") }
    let keywords = ["where", "sort", "limit", "offset", "fields", "into", "to", "contains", "null"]
    return second + fields + app.status.entities.map(\.name) + keywords
  }
}
