import OpenSwiftData

/// Searches during typing: in all fields, or in one after `FIELD:`; between `/` for a regular expression.
struct SearchPrompt: Screen {
  private var editor = LineEditor()
  private var earlier = HistoryPlace()
  /// Where the cursor was, and the first row on the screen.
  private let origin: (row: Int, top: Int)
  private let former: String
  private var isMissing = false
  /// The record that was found if it is in a folded group, whose line the cursor is on.
  private var folded: FoldedMatch?
  /// True while the answer to what was typed is awaited.
  private var isSearching = false

  init(_ host: ScreenHost) {
    origin = (host.table.row, host.table.top)
    former = host.table.search
  }

  var place: KeyPlace { PromptAction.place }
  var shows: ShownResult? { .match }
  var acceptsTextWhileWorking: Bool { true }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let scope: [PromptAction] = searchesOneField(host) || canNarrow(host) ? [.complete] : []
    return [.accept, .leave] + scope + [.earlier] as [PromptAction]
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    guard case .complete? = action as? PromptAction else { return nil }
    return searchesOneField(host) ? "all columns" : "this column"
  }

  private func searchesOneField(_ host: ScreenHost) -> Bool {
    SearchText(editor.text, host.table.entity).field != nil
  }

  /// True if the search can be restricted to the column of the cursor.
  private func canNarrow(_ host: ScreenHost) -> Bool {
    host.table.currentColumn.map { $0.look.isField } ?? false
  }

  /// Restricts the search to the column of the cursor, or extends it to all fields again.
  private mutating func changeScope(_ host: ScreenHost) {
    if searchesOneField(host), let colon = editor.text.firstIndex(of: ":") {
      editor.replace(with: String(editor.text[editor.text.index(after: colon)...]))
    } else if let column = host.table.currentColumn, canNarrow(host) {
      editor.replace(with: "\(column.name):\(editor.text)")
    }
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return leave(&host) }
    let before = editor.text
    if case .key(let key) = event, let action: PromptAction = host.keys.action(for: key) {
      switch action {
      case .accept: return accept(&host)
      case .leave: return leave(&host)
      case .earlier: earlier.recall(-1, host.past.lines[.search], &editor)
      case .later: earlier.recall(1, host.past.lines[.search], &editor)
      case .complete: changeScope(host)
      }
    } else {
      guard editor.handleInOneLine(event) else { return .stay }
    }
    guard editor.text != before else { return .stay }
    host.setSearch(editor.text)
    (isMissing, folded) = (false, nil)
    isSearching = !editor.text.isEmpty
    if editor.text.isEmpty {
      host.move(toRow: origin.row, top: origin.top)
    } else {
      host.ask(SearchRows(text: editor.text, start: origin.row, isForward: true))
    }
    return .stay
  }

  private func accept(_ host: inout ScreenHost) -> Transition {
    if editor.text.isEmpty {
      host.setSearch(former)
      host.searchAgain(isForward: true)
      return .close
    }
    host.keep(editor.text, in: .search)
    if let problem = SearchText(editor.text, host.table.entity).problem {
      host.warn(problem)
    } else if isMissing {
      host.warn("no match for \(Value.quoted(editor.text))")
    } else if let folded {
      host.unfold(folded)
    } else {
      host.ask(CountMatches(text: editor.text, row: host.table.row))
    }
    return .close
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    guard let (question, found) = message.answer(to: SearchRows.self),
      question.text == editor.text
    else { return .stay }
    (isMissing, folded) = (found.row == nil, found.folded)
    isSearching = false
    if isMissing { host.move(toRow: origin.row, top: origin.top) }
    return .stay
  }

  private func leave(_ host: inout ScreenHost) -> Transition {
    host.setSearch(former)
    host.move(toRow: origin.row, top: origin.top)
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let search = SearchText(editor.text, host.table.entity)
    let work = isSearching && search.problem == nil ? host.messages.work : nil
    let result = isMissing ? "no match" : folded == nil ? "" : "in this folded group"
    let note = search.problem ?? work ?? (search.pattern.isEmpty ? "text or /regex/" : result)
    PromptLine.draw(
      on: &canvas,
      host.layout,
      label: "/",
      editor: editor,
      note: DisplayText(note),
      noteRole: work == nil && folded == nil && !search.pattern.isEmpty ? .warning : .dim
    )
  }
}
