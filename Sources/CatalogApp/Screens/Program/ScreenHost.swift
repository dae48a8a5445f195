import OpenSwiftData

/// What a screen is handed: state that it may read, and the operations by which it may change it.
///
/// Only this file sets the properties, except the message line, so the compiler refuses any other change. The stack of
/// screens is not among them: a screen opens and closes screens with the `Transition` that it returns.
struct ScreenHost: MessageHost, Sendable {
  /// The key bindings.
  fileprivate(set) var keys: KeyMap
  /// The keys that are recorded or played.
  fileprivate(set) var macros = Macros()
  /// The extent of the screen.
  fileprivate(set) var size: Size
  /// The status of the store.
  fileprivate(set) var status: StoreStatus
  /// The table on the lowest layer.
  fileprivate(set) var table: TableState
  /// What the details pane shows.
  private(set) var details = DetailsState()
  /// What the open screens declare.
  fileprivate(set) var openScreens = OpenScreens()
  /// The settings of the screen.
  fileprivate(set) var settings = Settings()
  /// The names of the user's views of the current entity, in order.
  fileprivate(set) var viewNames: [String] = []
  /// True if a link was followed, so that there is a record to go back to.
  fileprivate(set) var hasWayBack = false
  /// The message line, and the failures so far.
  var messages = MessageLine()
  /// True if the program prints the records that are picked, so that leaving without any is a choice, too.
  fileprivate(set) var isPicking = false
  /// What was typed and done before.
  fileprivate(set) var past: Past
  fileprivate var effects: [Effect] = []

  /// What can be typed or done again.
  struct Past: Sendable {
    /// The lines typed into the prompts so far.
    var lines: PromptHistory
    /// The change that the repeat key performs again.
    var change: RecordAction?
    /// What was typed into the form that was canceled last.
    var draft: FormDraft?
  }

  fileprivate init(
    status: StoreStatus,
    table: TableState,
    size: Size,
    keys: KeyMap,
    history: PromptHistory
  ) {
    self.status = status
    self.table = table
    self.size = size
    self.keys = keys
    past = Past(lines: history)
  }

  /// The layout of the screen.
  var layout: ScreenLayout {
    ScreenLayout(
      size: size,
      wantsDetails: details.isWanted,
      tableWidth: table.wholeWidth,
      showsChips: !ChipLine.parts(table).isEmpty,
      showsTabs: status.entities.count > 1
    )
  }

  /// The schema of the store.
  var schema: Schema { Schema(status.entities) }

  /// The cells for the columns of the table.
  var columnsWidth: Int { layout.columnsWidth(idWidth: table.idWidth) }

  /// The current day, from which relative dates are counted.
  var today: CalendarDate { status.today ?? CalendarDate(daysSince1970: 0) }

  /// True if an open screen shows results of this kind itself.
  func isShown(_ result: ShownResult) -> Bool { openScreens.results.contains(result) }

  // MARK: Details

  /// Closes the details pane.
  mutating func hideDetails() { details.isWanted = false }

  /// Shows what is known of other records.
  mutating func take(_ found: RecordDetails) { details.take(found) }

  /// Requests what the details pane shows of other records, unless that is known or requested.
  fileprivate mutating func requestDetails() {
    // A form shows the titles of its links, too.
    guard layout.details != nil || openScreens.record != nil, let row = DetailsPane.row(self),
      let wanted = DetailsRequest(row, includesReferrers: openScreens.detailsView != nil),
      details.begin(wanted)
    else { return }
    ask(wanted)
  }

  fileprivate mutating func showDetails(_ isWanted: Bool) { details.isWanted = isWanted }

  /// Notes that other records may have changed.
  fileprivate mutating func forgetDetails() { details.forget() }

  // MARK: Effects

  /// Asks for something to be done.
  mutating func request(_ effect: Effect) { effects.append(effect) }

  /// Asks a question about the list or the store.
  mutating func ask(_ question: some Question) { request(.ask(AnyQuestion(question))) }

  /// Requests an instruction.
  mutating func perform(_ instruction: any Instruction, then next: AfterRun? = nil) {
    request(.perform(Request(instruction, then: next)))
  }

  /// Requests an action on records; the repeat key does the same again.
  mutating func perform(_ action: RecordAction, on identifiers: [PersistentIdentifier]) {
    var change = action
    change.isCounted = false
    remember(change)
    request(.perform(action.request(on: identifiers)))
  }

  /// Requests setting the values that were typed over those of a row; if another program has changed these, there is a
  /// conflict, and if it has given the key to another record, nothing is set.
  mutating func set(_ fields: [FieldEditor], of row: TableRow) {
    let instruction = SetValues(
      target: .records([row.identifier]),
      assignments: fields.map(\.assignment)
    )
    let shown = ShownValues(fields, of: row, in: table.entity)
    request(.perform(Request(instruction, shown: shown)))
  }

  /// Stores a change as the one to repeat.
  mutating func remember(_ change: RecordAction) { past.change = change }

  /// Keeps what was typed into a form that is canceled.
  mutating func keep(_ draft: FormDraft) { past.draft = draft }

  /// Adds a line that was typed to the history of a prompt.
  mutating func keep(_ line: String, in prompt: PromptHistory.Prompt) {
    past.lines.add(line, to: prompt)
  }

  // MARK: Settings

  /// Changes a setting, and what it means for the terminal.
  mutating func change(_ change: SettingChange, _ themes: [String: Theme]) {
    guard let value = change.value else { return }
    do {
      try settings.set(change.setting, to: value)
    } catch {
      return fail(error.message)
    }
    switch change.setting {
    case .theme: request(.use(.theme(themes[value])))
    case .color: request(.use(.color(settings.usesColor)))
    case .mouse: request(.use(.mouse(settings.usesMouse)))
    case .rememberLines, .rememberViews: break
    }
  }

  // MARK: Keys

  /// Changes or lists the keys of the table.
  ///
  /// - Returns: The lines to show; nil if the message line tells what was done.
  mutating func change(_ request: BindingRequest) -> [String]? {
    do {
      switch request {
      case .list where keys.lines.isEmpty: warn("no key has commands; see :help bind")
      case .list: return keys.lines.texts
      case .tell(let key): say(keys.words(for: key))
      case .bind(let key, let use):
        try keys.bind(key, to: use)
        say(keys.words(for: key))
      case .unbind(let key):
        keys.remove(key)
        say("\(key) is not bound")
      }
    } catch {
      fail("bind: \(error.message)")
    }
    return nil
  }

  /// Runs the commands of a key, one after the other.
  mutating func press(_ key: Key) {
    guard let lines = keys.lines[key] else {
      return warn("\(key) has no commands; see :help bind")
    }
    if macros.isPlaying {
      macros.insert(lines)
    } else if lines.count == 1 {
      request(.read(line: lines[0], lostRecord: nil))
    } else {
      macros.play(lines.map { .line($0) }, rounds: 1, undoableSteps: status.undoableSteps)
    }
  }

  /// Begins recording keys, or ends it.
  mutating func toggleRecording() {
    guard macros.isRecording else {
      macros.beginRecording()
      return say("recording; press \(name(of: .record)) to end it")
    }
    let count = macros.endRecording()
    guard count > 0 else { return warn("nothing recorded") }
    say("recorded \(counted(count, "key")); press \(name(of: .play)) to play them")
  }

  /// Plays the recorded keys.
  mutating func play(rounds: Int) {
    macros.play(
      macros.last.map { .event($0) },
      rounds: rounds,
      undoableSteps: status.undoableSteps
    )
  }

  /// The first key of an action, for messages.
  func name(of action: TableAction) -> String {
    keys.keys(for: action).first?.description ?? ":\(action.rawValue)"
  }

  // MARK: The table

  /// Moves the cursor to a row, or to the nearest existing one.
  mutating func move(toRow row: Int) { table.move(toRow: row) }

  /// Moves the cursor to a row, and the table to the first row that it showed then.
  mutating func move(toRow row: Int, top: Int) {
    table.move(toRow: row)
    table.top = top
  }

  /// Moves the cursor to a column, or to the nearest existing one.
  mutating func move(toColumn column: Int) { table.move(toColumn: column) }

  /// Changes the columns of the table.
  ///
  /// - Returns: The reason why that is not possible; nil if it was done.
  mutating func arrange(_ request: ColumnRequest) -> String? { table.change(request) }

  /// Sets the text that the table highlights and searches for, without searching.
  mutating func setSearch(_ text: String) { table.search = text }

  /// Searches for the text again, from the next or the previous row on.
  ///
  /// In a folded group, the next row is the first one of the group.
  mutating func searchAgain(isForward: Bool) {
    let start = table.row + (isForward ? table.isFolded(table.row) ? 0 : 1 : -1)
    ask(SearchRows(text: table.search, start: start, isForward: isForward))
  }

  /// Unfolds the group of a record that a search found, and moves the cursor to the record.
  mutating func unfold(_ match: FoldedMatch) {
    table.unfold(match.group)
    requery(keeping: match.record)
  }

  /// Counts the matches of the search again if that is not done when a new list arrives.
  mutating func countMatchesAgain() {
    guard !table.search.isEmpty, table.matches == nil, !table.isAwaitingList else { return }
    ask(CountMatches(text: table.search, row: table.row))
  }

  /// Filters the table, and queries the list.
  ///
  /// The cursor stays on its record if the list has it; in a list of its own it starts at the first record.
  mutating func filter(by input: FilterInput, isList: Bool = false) {
    table.filter = input
    if isList { table.move(toRow: 0) }
    requery(keepingRecord: !isList)
  }

  /// Filters the table, and queries the list unless the filter only differs in its spelling.
  mutating func refilter(by input: FilterInput) {
    let isSame = input.filter == table.filter.filter
    table.filter = input
    if !isSame { requery() }
  }

  /// Queries the list.
  ///
  /// While a filter is typed, the place of the cursor is derived from where it was before: it must not depend on the
  /// texts in between, of which a fast typist sees none.
  fileprivate mutating func requery(keepingRecord: Bool = true) {
    let origin = keepingRecord ? openScreens.cursorOrigin : nil
    let kept = keepingRecord ? origin?.record ?? openScreens.record ?? table.cursorRecord : nil
    requery(keeping: kept, from: origin)
  }

  fileprivate mutating func requery(
    keeping kept: PersistentIdentifier?,
    from origin: CursorOrigin? = nil
  ) {
    guard let spec = table.spec else { return }
    table.awaitList(of: spec, top: origin?.top)
    ask(QueryList(spec: spec, kept: kept, origin: origin))
  }
}

/// What the table is handed: the host of the other screens, with everything that the table may change.
///
/// `AppState` has the only one.
struct TableHost: MessageHost, Sendable {
  /// The host as other screens are handed it.
  var screen: ScreenHost

  /// Creates the host for an open store.
  init(
    status: StoreStatus,
    entityName: String? = nil,
    size: Size,
    keys: KeyMap = .standard,
    history: PromptHistory = PromptHistory()
  ) {
    screen = ScreenHost(
      status: status,
      table: TableState(entity: status.entity(named: entityName)),
      size: size,
      keys: keys,
      history: history
    )
    screen.table.today = status.today
  }

  var table: TableState {
    get { screen.table }
    // In place: marking a record must not copy a million marks.
    _modify { yield &screen.table }
  }

  var status: StoreStatus {
    get { screen.status }
    set {
      screen.status = newValue
      screen.table.today = newValue.today
    }
  }

  var settings: Settings {
    get { screen.settings }
    set { screen.settings = newValue }
  }

  var macros: Macros {
    get { screen.macros }
    _modify { yield &screen.macros }
  }

  var size: Size {
    get { screen.size }
    set { screen.size = newValue }
  }

  var isPicking: Bool {
    get { screen.isPicking }
    set { screen.isPicking = newValue }
  }

  var viewNames: [String] {
    get { screen.viewNames }
    set { screen.viewNames = newValue }
  }

  var hasWayBack: Bool {
    get { screen.hasWayBack }
    set { screen.hasWayBack = newValue }
  }

  /// Shows or hides the details pane.
  mutating func showDetails(_ isWanted: Bool) { screen.showDetails(isWanted) }

  /// Requests what the details pane shows of other records, unless that is known or requested.
  mutating func requestDetails() { screen.requestDetails() }

  /// Notes that other records may have changed.
  mutating func forgetDetails() { screen.forgetDetails() }

  var messages: MessageLine {
    get { screen.messages }
    set { screen.messages = newValue }
  }

  /// Queries the list after the filter or the order changed.
  mutating func requery(keepingRecord: Bool = true) {
    screen.requery(keepingRecord: keepingRecord)
  }

  /// Queries the list, and moves the cursor to a record, if it is listed.
  mutating func requery(keeping record: PersistentIdentifier?) {
    screen.requery(keeping: record)
  }

  /// Starts again with the first entity of another store.
  ///
  /// The closure restores the view of the table.
  mutating func open(
    _ status: StoreStatus,
    _ entityName: String?,
    _ restore: (inout TableState, Schema) -> Void
  ) {
    screen.status = status
    screen.past.change = nil
    screen.table = TableState(entity: status.entity(named: entityName))
    screen.table.today = status.today
    restore(&screen.table, screen.schema)
    requery(keepingRecord: false)
  }

  /// Updates what the open screens declare.
  mutating func follow(_ screens: [any Screen]) {
    screen.openScreens = OpenScreens(screens)
  }

  /// Removes the request to end the program, by the user and not by a signal; false if there is none.
  mutating func takeQuit() -> Bool {
    guard let place = screen.effects.firstIndex(of: .quit(0)) else { return false }
    screen.effects.remove(at: place)
    return true
  }

  /// Returns and removes the requested effects, in order.
  mutating func takeEffects() -> [Effect] {
    defer { screen.effects = [] }
    return screen.effects
  }

  // MARK: The operations of all screens

  mutating func request(_ effect: Effect) { screen.request(effect) }
  mutating func ask(_ question: some Question) { screen.ask(question) }

  mutating func perform(_ instruction: any Instruction, then next: AfterRun? = nil) {
    screen.perform(instruction, then: next)
  }
}

/// What the details pane shows, if it is open.
struct DetailsState: Sendable {
  /// True if all values of the record under the cursor are to be shown; nil if that depends on the room beside the table.
  var isWanted: Bool?
  /// What is known of other records; nil for nothing.
  private(set) var known: RecordDetails?
  private var requested: DetailsRequest?

  /// Takes what was requested last.
  mutating func take(_ found: RecordDetails) {
    if found.request == requested { known = found }
  }

  /// Notes a request; false if it was made before.
  mutating func begin(_ wanted: DetailsRequest) -> Bool {
    defer { requested = wanted }
    return wanted != requested
  }

  /// Notes that other records may have changed.
  mutating func forget() { requested = nil }
}

/// What the open screens declare.
struct OpenScreens: Sendable {
  /// The record that they edit, independent of the cursor; nil for none.
  var record: PersistentIdentifier?
  /// Where the cursor was when the prompt that filters the list was opened; nil without one.
  var cursorOrigin: CursorOrigin?
  /// The row that the last screen edits although the table no longer lists it; nil for none.
  var unlistedRow: TableRow?
  /// The state of the details pane while it has the keys; nil otherwise.
  var detailsView: DetailsView?
  /// The results that they show themselves.
  var results: Set<ShownResult> = []
}

extension OpenScreens {
  init(_ screens: [any Screen]) {
    record = screens.compactMap(\.record).last
    cursorOrigin = screens.last?.cursorOrigin
    unlistedRow = screens.last?.unlistedRow
    detailsView = screens.compactMap(\.detailsView).last
    results = Set(screens.compactMap(\.shows))
  }
}
