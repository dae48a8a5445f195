import OpenSwiftData

/// The line behind the colon: every command of scripts, and some for the screen.
struct CommandPrompt: Screen {
  private var editor: LineEditor
  private var earlier = HistoryPlace()
  private var cycle: WordCycle?
  /// What the files that were asked for shall replace.
  private var awaited: Range<Int>?

  /// What the screen understands beside the commands of scripts.
  static let screenLines: [(String, String)] = [
    ("w", "save"),
    ("q", "quit; asks first if there are unsaved changes"),
    ("wq", "save and quit"),
    ("q!", "quit and discard unsaved changes"),
    ("e LOCATION", "open another store"),
    ("entity NAME", "show the records of another entity"),
    ("set FIELD=VALUE …", "change values of the marked records, or of the current record"),
    ("delete", "delete the marked records, or the current record"),
    ("duplicate", "duplicate the marked records, or the current record"),
    ("filter P", "show only matching records (predicate or plain words); empty shows all"),
    ("sort [-]FIELD,…", "sort the table; empty clears the sort"),
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

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let command = app.keys.command(for: key, at: .prompt) {
      if command.name != "complete" { cycle = nil }
      switch command.name {
      case "accept": return submit(&app)
      case "leave": return .close
      case "complete": complete(&app)
      case "earlier": earlier.recall(-1, app.history[.command], &editor)
      case "later": earlier.recall(1, app.history[.command], &editor)
      default: break
      }
      return .stay
    }
    if case .key(.backspace) = event, editor.text.isEmpty { return .close }
    cycle = nil
    _ = editor.handle(event)
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    edited?.follow(message)
    guard case .files(let paths) = message, let range = awaited else { return .stay }
    awaited = nil
    cycle = WordCycle(paths.map(CommandLine.quoted), replacing: range)
    cycle?.advance(&editor)
    // A folder that is the only choice is gone into by the next key.
    if cycle?.words.count == 1 { cycle = nil }
    return .stay
  }

  private mutating func complete(_ app: inout AppState) {
    if cycle != nil {
      cycle?.advance(&editor)
    } else if let file = Completion.file(editor) {
      awaited = file.range
      app.request(.listFiles(file.beginning))
    } else if let completion = Completion(editor, app) {
      cycle = WordCycle(completion.words, replacing: completion.range)
      cycle?.advance(&editor)
    }
  }

  // MARK: Doing it

  private func submit(_ app: inout AppState) -> Transition {
    // A line feed can only come from a paste, which is text; it never begins another command.
    let line = editor.text.trimmingPrefix { $0.isWhitespace }
    guard !line.isEmpty else { return .close }
    app.history.add(String(line), to: .command)
    let name = line.prefix { !$0.isWhitespace }
    let rest = String(line[name.endIndex...].trimmingPrefix { $0.isWhitespace })
    if app.table.marks.isEmpty, let reason = edited?.lossReason,
      Self.namesNoRecord(String(name), rest, String(line))
    {
      app.fail("\(name): \(reason)")
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
        app.quit(isDiscarding: app.status.isLasting)
      } else {
        app.run("save", then: .quit)
      }
    case "e", "edit", "open":
      if rest.isEmpty { app.fail("missing location: e LOCATION") } else { open(rest, &app) }
    case "entity" where rest.split(separator: " ").first?.lowercased() != "create":
      show(entity: rest, &app)
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
    return words[1].assignment.map { !$0.name.isEmpty } ?? false
  }

  /// Does a line that names no records on those marked, or on the one under the cursor.
  private static func act(_ line: String, verb: String, _ app: inout AppState) -> Transition {
    if let reason = app.readOnlyReason ?? app.noTargetReason {
      app.fail("\(line.prefix { $0 != " " }): \(reason)")
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

  /// Opens a location, which may stand in quotes.
  private static func open(_ text: String, _ app: inout AppState) {
    let isQuoted = text.hasPrefix("\"") || text.hasPrefix("'")
    // A quote that nothing closes is a part of the name.
    let words = isQuoted ? (try? CommandLine(text))?.words ?? [] : []
    app.open(words.count == 1 ? words[0].text : text)
  }

  private static func show(entity text: String, _ app: inout AppState) {
    let entities = app.status.entities
    let names = entities.map(\.name)
    // What cannot be split is no name of an entity either.
    let name = (try? CommandLine(text))?.words.first?.text ?? ""
    let alike = entities.filter { $0.name.lowercased() == name.lowercased() }
    if let entity = entities.first(where: { $0.name == name })
      ?? (alike.count == 1 ? alike[0] : nil)
    {
      app.show(entity: entity)
    } else if name.isEmpty {
      let choice = names.isEmpty ? "none are defined" : names.joined(separator: ", ")
      app.fail("which entity? available: \(choice)")
    } else {
      app.fail(
        "unknown entity \(Value.quoted(name)); " + Suggestion.text(for: name, among: names)
      )
    }
  }

  private static func filter(_ text: String, _ app: inout AppState) {
    guard let entity = app.table.entity else { return app.fail(app.noEntityReason ?? "") }
    let input = FilterInput(text, for: entity)
    if let problem = input.problem { return app.fail(problem.sentence) }
    app.table.filter = input
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
    if let cycle, cycle.words.count > 1 {
      cycle.draw(on: &canvas, y: y)
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
  let range: Range<Int>
  let words: [String]

  /// Finds the words; nil when there is none.
  init?(_ editor: LineEditor, _ app: AppState) {
    let before = editor.text.prefix(editor.cursor)
    let word = before[Self.wordStart(in: before)...]
    let isFirst = !before.contains(" ")
    let names = isFirst ? Self.commandNames().map { Name($0) } : Self.names(app, line: before)
    let typed = word.drop { "\"'`".contains($0) }.lowercased()
    let found = names.filter { $0.text.lowercased().hasPrefix(typed) && $0.spelling != word }
    guard !found.isEmpty else { return nil }
    words = found.map(\.spelling)
    range = (editor.cursor - word.count)..<editor.cursor
  }

  /// A name, and how it is written in a line.
  private struct Name {
    let text: String
    let spelling: String

    init(_ text: String, _ spelling: String? = nil) {
      (self.text, self.spelling) = (text, spelling ?? text)
    }
  }

  /// Where the word begins that the text ends with: quotes and backticks hold spaces together.
  private static func wordStart(in text: Substring) -> Substring.Index {
    let separators: Set<Character> = [" ", ",", "(", "-"]
    var start = text.startIndex
    var quote: Character?
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if "\"'`".contains(character) {
        quote = character
      } else if separators.contains(character) {
        start = text.index(after: index)
      }
    }
    return start
  }

  /// The commands whose first word is a file or a location.
  private static let fileCommands: Set<String> = [
    "e", "edit", "open", "import", "export", "saveas",
  ]

  /// The beginning of a path before the cursor, and the characters it stands in; nil where no path is
  /// wanted.
  static func file(_ editor: LineEditor) -> (beginning: String, range: Range<Int>)? {
    let before = editor.text.prefix(editor.cursor)
    let line = before.trimmingPrefix { $0.isWhitespace }
    guard let space = line.firstIndex(of: " "), fileCommands.contains(String(line[..<space])) else {
      return nil
    }
    let typed = line[space...].trimmingPrefix { $0 == " " }
    let range = (editor.cursor - typed.count)..<editor.cursor
    guard let quote = typed.first, quote == "\"" || quote == "'" else {
      // The location of `e` may hold spaces without quotes; a second word of others is no file.
      let takesAll = ["e", "edit", "open"].contains(line[..<space])
      return typed.contains(" ") && !takesAll ? nil : (String(typed), range)
    }
    let inside = typed.dropFirst()
    let closed = inside.last == quote ? inside.dropLast() : inside
    return closed.contains(quote) ? nil : (String(closed), range)
  }

  private static func commandNames() -> [String] {
    let first = Command.all.map { String($0.name.prefix { $0 != " " }) }
    let screen = CommandPrompt.screenLines.map { String($0.0.prefix { $0 != " " }) }
    return Array(Set(first + screen.filter { Int($0) == nil })).sorted()
  }

  private static func names(_ app: AppState, line: Substring) -> [Name] {
    let entities = app.status.entities.map { Name($0.name, CommandLine.quoted($0.name)) }
    let words = line.split(separator: " ").map { $0.lowercased() }
    guard let name = words.first else { return [] }
    if name == "entity", words.count <= 2 {
      return [Name("create")] + entities
    }
    let second: [Name] = Command.all.compactMap { command in
      guard words.count <= 2, command.name.hasPrefix(name + " ") else { return nil }
      return Name(String(command.name.dropFirst(name.count + 1)))
    }
    let assigns = ["set", "insert"].contains(name) && !words.contains("where")
    let fields = app.table.attributes.map {
      Name($0.name, assigns ? Assignment.word($0.name, nil) : FilterParser.spelled($0.name))
    }
    let keywords = ["where", "sort", "limit", "offset", "fields", "into", "to", "contains", "null"]
    return second + fields + entities + keywords.map { Name($0) }
  }
}
