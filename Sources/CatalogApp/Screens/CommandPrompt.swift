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
    ("set FIELD=VALUE …", "change values of the record under the cursor"),
    ("filter P", "show the records that match a predicate or plain words; nothing shows all"),
    ("sort [-]FIELD,…", "sort the table; nothing ends it"),
    ("42", "go to record 42"),
  ]

  init(_ app: AppState, text: String = "") { editor = LineEditor(text) }

  var place: ScreenCommand.Place { .prompt }

  func hints(_ app: AppState) -> [String] { ["accept", "leave", "complete", "earlier"] }

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
    case "w" where rest.isEmpty: app.run("save")
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
    case "set" where app.table.entity.map { isAssignment(rest, of: $0) } == true:
      if let row = app.table.currentRow {
        app.run("set \(CommandLine.quoted(row.identifier.description)) \(rest)")
      } else {
        app.fail("there is no record here")
      }
    case "filter": filter(rest, &app)
    case "sort": sort(rest, &app)
    default: app.run(line, then: name == "insert" ? .goToNew : nil)
    }
    return .close
  }

  /// True for the values of a `set` that names no record: those are for the record under the cursor.
  private static func isAssignment(_ text: String, of entity: Schema.Entity) -> Bool {
    guard let word = (try? CommandLine(text))?.words.first, let name = word.assignment?.name else {
      // A line that cannot be split is refused with its reason when it is run.
      return false
    }
    return !name.isEmpty
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
      app.table.sort = try sortKeys(text, of: entity)
      app.requery()
    } catch {
      app.fail(String(describing: error))
    }
  }

  /// The fields of a line, between commas or spaces.
  private static func sortKeys(_ text: String, of entity: Schema.Entity) throws -> [SortKey] {
    let bytes = Array(text.utf8)
    return try CommandLine(text).words.flatMap { word in
      let raw = String(decoding: bytes[word.start..<word.end], as: UTF8.self)
      let list = raw.trimmingPrefix { $0 == "," }
      let end = list.lastIndex { $0 != "," }.map { list.index(after: $0) } ?? list.startIndex
      if end == list.startIndex { return [SortKey]() }
      return try FieldList.items(String(list[..<end]), of: entity)
        .map { SortKey($0.name, isDescending: $0.isDescending) }
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
    let fields = app.table.attributes.map {
      assigns ? Assignment.word($0.name, nil) : FilterParser.spelled($0.name)
    }
    let keywords = ["where", "sort", "limit", "offset", "fields", "into", "to", "contains", "null"]
    return second + fields + app.status.entities.map(\.name) + keywords
  }
}
