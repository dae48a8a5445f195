import OpenSwiftData

/// Filters during typing: by a predicate, or by plain words.
///
/// While a predicate is incomplete, the last valid one stays active, and the line above shows the error
/// and its position.
struct FilterPrompt: Screen {
  private var editor: LineEditor
  private var earlier = HistoryPlace()
  private let former: FilterInput
  /// Where the cursor was when the prompt was opened.
  let cursorOrigin: CursorOrigin?
  /// The filter while a predicate is incomplete: the last valid one, or the one before the prompt.
  private var lastGood: FilterInput
  private var problem: FilterInput.Problem?
  private var cycle: WordCycle?
  /// The range that the requested values will replace.
  private var awaited: Range<Int>?
  /// True if they are for a term and not for a predicate.
  private var awaitsTerm = false
  /// True until the first key: a word that is typed then is a new one.
  private var isUntouched: Bool
  private static let label: DisplayText = "filter: "

  init(_ host: ScreenHost) {
    former = host.table.filter
    cursorOrigin = host.table.cursorOrigin
    lastGood = former
    editor = LineEditor(host.table.filter.text)
    isUntouched = !editor.text.isEmpty
  }

  var place: KeyPlace { PromptAction.place }
  var shows: ShownResult? { .refusedFilter }
  var acceptsTextWhileWorking: Bool { true }
  var typingCancelsCompletion: Bool { true }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    [.accept, .leave, .complete, .earlier] as [PromptAction]
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if case .interrupt = event { return leave(&host) }
    let before = editor.text
    if isUntouched, beginsWord(event) { editor.insert(" ") }
    isUntouched = false
    if case .key(let key) = event, let action: PromptAction = host.keys.action(for: key) {
      if action != .complete { cycle = nil }
      switch action {
      case .accept: return accept(&host)
      case .leave: return leave(&host)
      case .complete: complete(&host)
      case .earlier: earlier.recall(-1, host.past.lines[.filter], &editor)
      case .later: earlier.recall(1, host.past.lines[.filter], &editor)
      }
    } else {
      cycle = nil
      awaited = nil
      guard editor.handleInOneLine(event) else { return .stay }
    }
    if editor.text != before { apply(&host) }
    return .stay
  }

  /// True for a letter, a sign or a quote that begins another word after the present filter.
  private func beginsWord(_ event: InputEvent) -> Bool {
    guard case .key(let key) = event, let typed = key.typed,
      typed.isLetter || "-\"'`(".contains(typed)
    else { return false }
    return editor.text.last.map { !$0.isWhitespace && !"=<>:,(-".contains($0) } ?? false
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if let (_, answer) = message.answer(to: QueryList.self), case .refused(let problem) = answer {
      self.problem = problem
      lastGood = host.table.filter
    }
    guard let (_, found) = message.answer(to: CompleteValues.self), let range = awaited else {
      return .stay
    }
    awaited = nil
    let words = found.map(\.value).map {
      awaitsTerm ? TermCompletion.spelled($0) : Filter.literal($0)
    }
    cycle = WordCycle(words, notes: found.map { "\($0.count)" }, replacing: range)
    guard cycle != nil else {
      host.warn("no completion")
      return .stay
    }
    cycle?.advance(&editor)
    apply(&host)
    return .stay
  }

  /// Applies the text as a filter, unless it is an incomplete predicate.
  private mutating func apply(_ host: inout ScreenHost, allowsWords: Bool = false) {
    guard host.table.entity != nil else { return }
    let input = host.filterInput(editor.text, allowsWords: allowsWords)
    problem = input.problem
    if let finished = problem?.finished {
      // The words before the one that is being typed are applied.
      let words = host.filterInput(finished, allowsWords: false)
      if words.problem == nil { lastGood = words }
    }
    // The first letters of a predicate were briefly read as words; those are not kept.
    if problem == nil, input.kind != .words { lastGood = input }
    host.refilter(by: problem == nil ? input : lastGood)
  }

  private mutating func complete(_ host: inout ScreenHost) {
    if cycle != nil {
      cycle?.advance(&editor)
      return
    }
    guard let entity = host.table.entity else { return }
    let before = String(editor.text.prefix(editor.cursor))
    if let term = TermCompletion(before, entity) {
      awaited = term.range
      awaitsTerm = true
      host.ask(CompleteValues(field: term.field, text: term.prefix, areTitles: term.isLink))
      return
    }
    awaitsTerm = false
    let paths = host.filterPaths(in: before) + host.columnPaths
    complete(before, entity.extended(withIdentifier: false, paths: paths), &host)
  }

  /// Completes a word of a predicate, or the name of a field in a term.
  private mutating func complete(
    _ before: String,
    _ entity: Schema.Entity,
    _ host: inout ScreenHost
  ) {
    let wish = PredicateCompletion(before: before, entity)
    let later = TermCompletion.fields(beginningWithLastWordOf: before, entity)
    switch (wish.wanted, later) {
    case (.words(let words), _) where wish.namesFields && !words.isEmpty:
      let terms = TermCompletion.fields(words, of: entity, after: before)
      cycle = WordCycle(terms ?? words, replacing: wish.range)
    case (.words(let words), let later?) where later.range == wish.range:
      cycle = WordCycle(words + later.terms, replacing: later.range)
    case (_, let later?): cycle = WordCycle(later.terms, replacing: later.range)
    case (.words(let words), nil): cycle = WordCycle(words, replacing: wish.range)
    case (.values(let field, let prefix), nil):
      awaited = wish.range
      host.ask(CompleteValues(field: field.name, text: prefix))
    }
    cycle?.advance(&editor)
  }

  private mutating func accept(_ host: inout ScreenHost) -> Transition {
    // A field name is also a plain word.
    if problem?.isMereField == true { apply(&host, allowsWords: true) }
    if let problem {
      host.warn(problem.sentence)
      return .stay
    }
    if editor.text != host.table.filter.text {
      // The query for the last typed text may have been stopped.
      apply(&host, allowsWords: true)
    } else if host.table.edits.isChanged {
      host.filter(by: host.table.filter)
    }
    noteMerePath(&host)
    host.checkFilterPaths()
    if let hint = host.table.filter.negationHint { host.warn(hint) }
    host.countMatchesAgain()
    host.keep(editor.text, in: .filter)
    return .close
  }

  /// Tells that a path alone is a word.
  private func noteMerePath(_ host: inout ScreenHost) {
    let text = editor.text
    guard host.table.filter.kind == .words,
      host.filterPaths(in: text).contains(where: { $0.name == text })
    else { return }
    host.warn("\(text) is a word here; to test the value, add is not null")
  }

  private func leave(_ host: inout ScreenHost) -> Transition {
    host.refilter(by: former)
    host.countMatchesAgain()
    return .close
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let filter = host.table.filter
    let extent = host.table.extent
    let kinds: [FilterInput.Kind: String] = [
      .all: "all", .predicate: "predicate", .words: "words", .terms: "terms",
    ]
    let how = (kinds[filter.kind] ?? "") + (filter.caseNote.map { ", \($0)" } ?? "")
    let isExact = extent.listed == .exact(0) && filter.filter.comparesTextExactly
    let kind = problem == nil ? how + (isExact ? ", = is case-sensitive" : "") : "incomplete"
    let count = host.table.isAwaitingList ? "…" : extent.matching.text
    PromptLine.draw(
      on: &canvas,
      host.layout,
      label: Self.label,
      editor: editor,
      note: "\(count) of \(extent.all.text) · \(kind)"
    )
    if let cycle, cycle.words.count > 1 {
      cycle.draw(on: &canvas, y: host.layout.hintLine)
    } else if let problem {
      PromptLine.point(
        at: problem,
        sentence: problem.sentence,
        in: editor,
        label: Self.label,
        on: &canvas,
        host.layout
      )
    } else if filter.kind == .terms {
      explain("where \(filter.predicate)", on: &canvas, host)
    } else if let hint = filter.negationHint {
      explain(hint, on: &canvas, host)
    }
  }

  /// Shows what the text means: for terms, the predicate that a script takes.
  private func explain(_ text: String, on canvas: inout Canvas, _ host: ScreenHost) {
    let columns = canvas.size.columns
    let y = host.layout.hintLine
    canvas.fill(Rect(x: 0, y: y, width: columns, height: 1), role: .normal)
    let text = DisplayText(text, clippedTo: columns - 1)
    canvas.write(text, at: Point(x: 1, y: y), width: columns - 1, role: .hint)
  }
}
