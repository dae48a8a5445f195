import OpenSwiftData

/// The line after the colon: commands of scripts, and some for the screen alone.
struct CommandPrompt: Screen {
  private var editor: LineEditor
  private var earlier = HistoryPlace()
  private var cycle: WordCycle?
  /// The range that the requested file names or values will replace.
  private var awaited: Range<Int>?
  /// The field to which the requested values are assigned; nil in a predicate.
  private var assignedField: String?

  /// The record under the cursor when the line was begun, to which lines without a record apply.
  private var edited: EditedRecord?

  /// The list that is open below it, which `export` writes; nil if none is.
  private let list: OutputTable?

  init(_ host: ScreenHost, text: String = "", list: OutputTable? = nil) {
    editor = LineEditor(text)
    self.list = list
    edited = EditedRecord(host)
  }

  var place: KeyPlace { PromptAction.place }
  var record: PersistentIdentifier? { edited?.identifier }
  var typingCancelsCompletion: Bool { true }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .complete, .earlier] as [PromptAction]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return .close }
    if case .key(let key) = event, let action: PromptAction = host.keys.action(for: key) {
      if action != .complete { cycle = nil }
      switch action {
      case .accept: return submit(&host)
      case .leave: return .close
      case .complete: complete(&host)
      case .earlier: earlier.recall(-1, host.past.lines[.command], &editor)
      case .later: earlier.recall(1, host.past.lines[.command], &editor)
      }
      return .stay
    }
    if case .key(.backspace) = event, editor.text.isEmpty { return .close }
    cycle = nil
    awaited = nil
    _ = editor.handle(event)
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    edited?.follow(message)
    guard let range = awaited else { return .stay }
    if let (_, paths) = message.answer(to: ListFiles.self) {
      cycle = WordCycle(paths.map(CommandText.quoted), replacing: range)
    } else if let (_, names) = message.answer(to: ListStoredViews.self) {
      cycle = Completion(editor, host, storedViews: names)
        .flatMap { WordCycle($0.words, replacing: $0.range) }
    } else if let (_, found) = message.answer(to: CompleteValues.self) {
      let words = found.map(\.value).map { value in
        assignedField.map { CommandText.assignment($0, value.text) } ?? Filter.literal(value)
      }
      cycle = WordCycle(words, replacing: range)
      if cycle == nil { host.warn("no completion") }
    } else {
      return .stay
    }
    awaited = nil
    cycle?.advance(&editor)
    // The next key enters a folder that is the only choice.
    if cycle?.words.count == 1 { cycle = nil }
    return .stay
  }

  private mutating func complete(_ host: inout ScreenHost) {
    if cycle != nil {
      cycle?.advance(&editor)
    } else if let file = Completion.file(before: String(editor.text.prefix(editor.cursor))) {
      awaited = file.range
      host.ask(ListFiles(beginning: file.beginning))
    } else if let value = CompletedValue(editor, host) {
      awaited = value.range
      assignedField = value.isAssigned ? value.field.name : nil
      host.ask(CompleteValues(field: value.field.name, text: value.prefix))
    } else if Completion.namesStoredView(editor, host) {
      awaited = editor.cursor..<editor.cursor
      host.ask(ListStoredViews())
    } else if let completion = Completion(editor, host) {
      cycle = WordCycle(completion.words, replacing: completion.range)
      cycle?.advance(&editor)
    }
  }

  // MARK: Doing it

  private func submit(_ host: inout ScreenHost) -> Transition {
    // A line feed can only come from pasted text; it never begins another command.
    let line = String(editor.text.trimmingPrefix { $0.isWhitespace })
    guard !line.isEmpty else { return .close }
    host.keep(line, in: .command)
    host.request(.read(line: line, lostRecord: edited?.lossReason, list: list, isTyped: true))
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    PromptLine.draw(on: &canvas, host.layout, label: ":", editor: editor)
    let y = host.layout.hintLine
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
    let known = Command.all(in: .screen)
    return known.first { $0.names.contains(pair) }
      ?? known.first { $0.names.contains(words.first ?? "") }
  }
}

/// A value of a field of the table that is being typed: in a predicate, or after the `=` of an assignment.
private struct CompletedValue {
  let field: Schema.Attribute
  /// The characters to replace.
  let range: Range<Int>
  let prefix: String
  let isAssigned: Bool

  /// Finds the value before the cursor; nil elsewhere, and for the fields of another entity.
  init?(_ editor: LineEditor, _ host: ScreenHost) {
    let before = String(editor.text.prefix(editor.cursor))
    let words = TypedWord.split(before)
    guard let last = words.last, words.count > 1, let entity = host.table.entity,
      !words.dropFirst().contains(where: { word in
        word.name != entity.name && host.status.entities.contains { $0.name == word.name }
      })
    else { return nil }
    if let start = TypedWord.predicateStart(in: words) {
      let completion = PredicateCompletion(before: String(before.dropFirst(start)), entity)
      guard case .values(let field, let prefix) = completion.wanted else { return nil }
      self.field = field
      self.prefix = prefix
      range = start + completion.range.lowerBound..<start + completion.range.upperBound
      isAssigned = false
      return
    }
    guard ["set", "insert", "upsert"].contains(words[0].text.lowercased()),
      let equals = last.text.firstIndex(of: "="),
      let field = entity.fieldsByName[String(last.text[..<equals])]
    else { return nil }
    self.field = field
    prefix = String(last.text[equals...].dropFirst().drop { "\"'".contains($0) })
    range = last.start..<before.count
    isAssigned = true
  }
}

/// The words that are valid at the cursor.
struct Completion: Sendable {
  /// The characters to replace.
  let range: Range<Int>
  let words: [String]

  /// Finds the words; nil if there are none.
  ///
  /// The views in the store are given where they can be named.
  init?(_ editor: LineEditor, _ host: ScreenHost, storedViews: [String] = []) {
    let before = editor.text.prefix(editor.cursor)
    let word = before[Self.wordStart(in: before)...]
    let isFirst = !before.contains(" ")
    let names =
      isFirst
      ? Self.commandNames().map { Name($0) } : Self.names(host, line: before, storedViews)
    let typed = word.drop { "\"'`".contains($0) }.lowercased()
    var found = names.filter { $0.text.lowercased().hasPrefix(typed) && $0.spelling != word }
    if let setting = Self.beginningOfSetting(before) {
      let settings = Self.settings(beginning: setting)
      // The names of settings have hyphens, which else separate words.
      if !settings.isEmpty, setting.count > word.count {
        words = settings
        range = (editor.cursor - setting.count)..<editor.cursor
        return
      }
      found += settings.map { Name($0) }
    }
    guard !found.isEmpty else { return nil }
    words = found.map(\.spelling)
    range = (editor.cursor - word.count)..<editor.cursor
  }

  /// What is typed of a setting after `set`; nil elsewhere.
  private static func beginningOfSetting(_ before: Substring) -> Substring? {
    let parts = before.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "set", !parts[1].contains(" ") else {
      return nil
    }
    return parts[1]
  }

  /// The settings, and the values of one that is not a switch, that begin with a text.
  private static func settings(beginning text: Substring) -> [String] {
    let names = Setting.allCases.flatMap { setting in
      setting.isSwitch ? [setting.rawValue, "no" + setting.rawValue] : [setting.rawValue + "="]
    }
    let themes = ([Settings.automatic] + Theme.names).map { "\(Setting.theme.rawValue)=\($0)" }
    let all = text.contains("=") ? themes : names
    return all.filter { $0.hasPrefix(text.lowercased()) && $0 != text }
  }

  /// A name, with its spelling in a line.
  private struct Name {
    let text: String
    let spelling: String

    init(_ text: String, _ spelling: String? = nil) {
      (self.text, self.spelling) = (text, spelling ?? text)
    }
  }

  /// The start of the last word of the text; spaces in quotes and backticks do not end a word.
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

  /// The beginning of a path at the end of a line, and its range; nil if no path is expected.
  static func file(before: String) -> (beginning: String, range: Range<Int>)? {
    let line = before.trimmingPrefix { $0.isWhitespace }
    guard
      let (name, command) = Command.all(in: .screen).lazy.compactMap({ command in
        command.takesFile
          ? command.names.first { line.hasPrefix($0 + " ") }.map { ($0, command) } : nil
      }).first
    else { return nil }
    let typed = line.dropFirst(name.count).trimmingPrefix { $0 == " " }
    let range = (before.count - typed.count)..<before.count
    guard let quote = typed.first, quote == "\"" || quote == "'" else {
      // The location of `e` may contain unquoted spaces; other commands have no path as their second
      // word.
      return typed.contains(" ") && command.notation == .words ? nil : (String(typed), range)
    }
    let inside = typed.dropFirst()
    let closed = inside.last == quote ? inside.dropLast() : inside
    return closed.contains(quote) ? nil : (String(closed), range)
  }

  private static func commandNames() -> [String] {
    let first = Command.all(in: .screen).map { String($0.name.prefix { $0 != " " }) }
    return Set(first + ["q!", "w"]).filter { Int($0) == nil }.sorted()
  }

  /// True if the name of a view in the store can be next, and the store has views.
  static func namesStoredView(_ editor: LineEditor, _ host: ScreenHost) -> Bool {
    guard host.schema.entitiesByName[StoredViews.entityName] != nil else { return false }
    let words = TypedWord.split(String(editor.text.prefix(editor.cursor))).map(\.name)
    guard words.first?.lowercased() == "view" else { return false }
    return words.count == 2 || words.count == 3 && words[1].lowercased() == "write"
  }

  private static func names(_ host: ScreenHost, line: Substring, _ storedViews: [String]) -> [Name]
  {
    let entities = host.status.entities.map { Name($0.name, CommandText.quoted($0.name)) }
    let typed = TypedWord.split(String(line))
    if let known = ArgumentWords(
      after: typed.dropLast().map(\.name),
      current: typed.last?.name ?? "",
      entities: host.status.entities.map(\.name)
    ) {
      return names(known, host, entities)
    }
    let words = line.split(separator: " ").map { $0.lowercased() }
    guard let name = words.first else { return [] }
    if name == "entity", words.count <= 2 {
      return entities + [Name("create")]
    }
    let isNamed = ["delete", "save", "write"].contains(words.dropFirst().first)
    if name == "view", isNamed || typed.count == 2 {
      let subcommands = typed.count == 2 ? ["save", "write", "delete", "reset"] : []
      let views = Set(host.viewNames + storedViews).sorted()
      return views.map { Name($0, CommandText.quoted($0)) } + subcommands.map { Name($0) }
    }
    let second: [Name] = Command.all.compactMap { command in
      guard typed.count == 2, command.name.hasPrefix(name + " ") else { return nil }
      return Name(String(command.name.dropFirst(name.count + 1)))
    }
    if name == "field" { return second }
    let assigns =
      ["set", "insert", "upsert"].contains(name) && words.last != "by" && !words.contains("where")
    let fields = host.table.attributes.map {
      Name($0.name, assigns ? CommandText.assignment($0.name, nil) : FilterParser.spelled($0.name))
    }
    let keywords = [
      "where", "sort", "limit", "offset", "fields", "into", "to", "contains", "null", "by",
      "mirror", "expect", "distinct", "having", "per", "join", "sample",
    ]
    return second + fields + entities + keywords.map { Name($0) }
  }

  /// The names and words that can follow at a fixed place.
  private static func names(_ known: ArgumentWords, _ host: ScreenHost, _ entities: [Name])
    -> [Name]
  {
    func spelled(_ names: [String]) -> [Name] { names.map { Name($0, CommandText.quoted($0)) } }
    let fields = known.fields ? spelled(host.table.attributes.map(\.name)) : []
    let columns = known.columns ? spelled(host.table.arrangement.columns.map(\.name)) : []
    return fields + columns + known.words.map { Name($0) } + (known.entities ? entities : [])
  }
}
