import OpenSwiftData

/// The whole program between two keys, as a value.
///
/// `update` is pure: the same state and the same message give the same state and the same effects. The
/// results of effects come back as messages. Apart from the marks, the size of the state does not
/// depend on the number of records.
///
/// The state consists of the layers, which keep what concerns them alone, and of the host, which holds
/// what they share. An event goes to the last layer; a message goes to the table and then to the
/// screens above it, the last one first. Only this type opens and closes screens.
package struct AppState: Sendable {
  /// The lowest layer.
  var tableScreen = TableScreen()
  /// The screens above the table; the last one receives the keys.
  var screens: [any Screen] = [] {
    didSet { host.follow(screens) }
  }
  /// The state that the layers share.
  var host: TableHost
  /// The extent of the terminal.
  var terminal: Size
  /// The tour, which has the lowest lines of the terminal; nil without one.
  var tour: Tour?
  /// The state that the tour has put aside, to return to; empty for none.
  var beforeTour: [AppState] = []

  /// The current key bindings.
  package var keys: KeyMap { host.screen.keys }

  package init(
    status: StoreStatus,
    entityName: String? = nil,
    size: Size,
    keys: KeyMap = .standard,
    note: String? = nil,
    history: PromptHistory = PromptHistory(),
    views: ViewBook = ViewBook(),
    settings: Settings = Settings(),
    isPicking: Bool = false,
    isTour: Bool = false
  ) {
    terminal = size
    host = TableHost(
      status: status,
      entityName: entityName,
      size: size,
      keys: keys,
      history: history
    )
    host.settings = settings
    host.isPicking = isPicking
    if let note { host.say(note) } else if isPicking { host.say(host.screen.pickingNote) }
    tableScreen.book = views
    if let problem = tableScreen.restoreView(of: &host.table, in: host.screen.schema) {
      host.warn((note.map { $0 + "; " } ?? "") + problem)
    }
    offerRecovery()
    if isTour { beginTour() }
  }

  // MARK: For the runner

  /// The state that the layers share, to read.
  var shared: ScreenHost { host.screen }

  /// The extent of the screen.
  package var size: Size { terminal }

  /// The status of the store.
  package var status: StoreStatus { host.status }

  /// The name of the entity on the screen.
  package var entityName: String? { host.table.entity?.name }

  /// The lines typed into the prompts so far.
  package var history: PromptHistory { host.screen.past.lines }

  /// The views, with the tables as they are now.
  package var viewBook: ViewBook { tableScreen.viewBook(host) }

  /// The settings as they are now.
  package var settings: Settings { host.settings }

  /// True if the screen only shows that it is too small.
  var isTooSmall: Bool { shared.layout.isTooSmall }

  /// Shows a text in the message line.
  mutating func say(_ text: String) { host.say(text) }

  /// Shows the progress of long work in the message line; nil restores the last message.
  mutating func showWork(_ text: String?) { host.messages.work = text }

  /// True if the last screen is a prompt that goes on while its results are awaited.
  var acceptsTextWhileWorking: Bool { screens.last?.acceptsTextWhileWorking ?? false }

  /// True if the last screen is a prompt in which typing makes a requested completion useless.
  var typingCancelsCompletion: Bool { screens.last?.typingCancelsCompletion ?? false }

  // MARK: Updating

  /// The effects that show the first screen.
  package mutating func start() -> [Effect] {
    host.requery(keepingRecord: false)
    return finish(asksForRows: false)
  }

  /// Processes a message and returns the effects to perform.
  ///
  /// - Complexity: O(1) in the number of records, except for marking many.
  package mutating func update(_ message: AppMessage) -> [Effect] {
    switch message {
    case .input(let event): handle(event)
    case .playNext: playNext()
    case .stopPlaying: stopPlaying("interrupted")
    default: receive(message)
    }
    stopPlaying(after: message)
    // Rows that cannot be read are requested again after the next key, not immediately.
    return finish(asksForRows: message.answer(to: ReadRows.self) == nil)
  }

  private mutating func finish(asksForRows: Bool) -> [Effect] {
    if !beforeTour.isEmpty, host.takeQuit() { endTour() }
    followTour()
    let layout = host.screen.layout
    host.table.scrollToCursor(height: layout.rowCount, width: host.screen.columnsWidth)
    host.requestDetails()
    host.viewNames = tableScreen.book.named[entityName ?? ""]?.keys.sorted() ?? []
    host.hasWayBack = !tableScreen.trail.isEmpty
    var effects = host.takeEffects()
    if asksForRows, !effects.contains(where: \.reloadsList),
      let range = host.table.missingRows(height: layout.rowCount)
    {
      effects.append(.ask(AnyQuestion(ReadRows(rows: range))))
    }
    return effects
  }

  private mutating func handle(_ event: InputEvent) {
    switch event {
    case .resize(let size):
      terminal = size
      layOut()
    case .resumed: host.request(.redraw)
    case .news: break
    case .terminate(let signal): host.request(.quit(128 + signal))
    case .hangup: host.request(.quit(129))
    default:
      // The effects of all other keys would be invisible.
      if isTooSmall, event != .interrupt, !leaves(by: event) { return }
      host.messages.notice = nil
      host.messages.alarm = nil
      if record(event) { dispatch(event) }
    }
  }

  /// True for the key that quits the program, if nothing would be asked before.
  private func leaves(by event: InputEvent) -> Bool { quits(by: event) && !status.isLossy }

  /// True for the key that quits the program from the table, which may ask first.
  func quits(by event: InputEvent) -> Bool { action(of: event) == .quit }

  /// True for a key that only moves the cursor in the table, or shows another one.
  func moves(by event: InputEvent) -> Bool {
    action(of: event).map { $0.binding.group == KeyBinding.movingGroup } ?? false
  }

  func action(of event: InputEvent) -> TableAction? {
    guard case .key(let key) = event, screens.isEmpty else { return nil }
    return host.screen.keys.action(for: key)
  }

  /// Passes an event to the last layer.
  mutating func dispatch(_ event: InputEvent) {
    if handleTour(event) { return }
    if let last = screens.indices.last {
      send(to: last) { $0.handle(event, &$1) }
    } else {
      open(tableScreen.handle(event, &host))
    }
  }

  private mutating func receive(_ message: AppMessage) {
    switch message {
    case .ran(let report): take(report)
    case .opened(let status, let entityName, let views, let note):
      take(status, entityName, views, note)
    case .toured(let status): beginTour(status)
    case .outdated(let status, let text):
      host.status = status
      host.failReading(text)
    case .refused(let text): host.warn(text)
    case .failed(let text): host.fail(text)
    case .recoveryFailed(let text): host.messages.alarm = Notice(kind: .error, text: text)
    default:
      if let (_, details) = message.answer(to: DetailsRequest.self) { host.screen.take(details) }
      if let (_, today) = message.answer(to: ReadClock.self) { host.status.today = today }
      open(tableScreen.receive(message, &host))
    }
    for index in screens.indices.reversed() { send(to: index) { $0.receive(message, &$1) } }
  }

  /// Passes the host to a screen, and performs the resulting transition.
  private mutating func send(
    to index: Int,
    _ body: (inout any Screen, inout ScreenHost) -> Transition
  ) {
    var screen = screens[index]
    let transition = body(&screen, &host.screen)
    screens[index] = screen
    switch transition {
    case .stay: break
    case .close: screens.remove(at: index)
    case .open(let other): open(other)
    case .answer(let text):
      screens.remove(at: index)
      if let below = screens.indices.last { send(to: below) { $0.receive(.answered(text), &$1) } }
    case .replace(let other): screens[index] = other
    case .follow(let identifier): tableScreen.follow(identifier, &host)
    case .go(let identifier, let field):
      screens.remove(at: index)
      tableScreen.go(to: identifier, field: field, &host)
    case .goBack: tableScreen.goBack(&host)
    case .show(let referrer, let identifier):
      screens.remove(at: index)
      tableScreen.show(referrer, referringTo: identifier, &host)
    case .act(let action): open(tableScreen.perform(action, &host))
    case .perform(let action):
      // The screen is still open, so that the cursor follows the record that it was opened for.
      let other = tableScreen.perform(action, &host)
      screens.remove(at: index)
      open(other)
    }
  }

  private mutating func open(_ screen: (any Screen)?) {
    if let screen { screens.append(screen) }
  }

  // MARK: Results

  /// Starts again with another store.
  private mutating func take(
    _ status: StoreStatus,
    _ entityName: String?,
    _ views: ViewBook,
    _ note: String?
  ) {
    tableScreen.keep(&host)
    screens = []
    // The tour is about its own films.
    tour = nil
    layOut()
    tableScreen = TableScreen()
    tableScreen.book = host.settings.remembersViews ? views : ViewBook()
    var problem: String?
    host.open(status, entityName) { problem = tableScreen.restoreView(of: &$0, in: $1) }
    let opened = "opened \(status.storeName)" + (note.map { "; \($0)" } ?? "")
    if let problem { host.warn("\(opened); \(problem)") } else { host.say(opened) }
    offerRecovery()
  }

  /// Asks what to do with the unsaved changes of a crashed run.
  private mutating func offerRecovery() {
    if !status.offeredReadings.isEmpty { open(ReadingScreen(status.offeredReadings)) }
    guard let offer = status.recovery, host.screen.readOnlyReason == nil else { return }
    open(ChoiceScreen.recovery(offer))
  }

  /// Shows the result of an instruction.
  private mutating func take(_ report: CommandReport) {
    tableScreen.take(report, &host)
    take(report.answer, report)
    if let conflicts = report.conflicts, !conflicts.isEmpty, !host.screen.isShown(.conflicts) {
      open(ConflictScreen(conflicts))
    }
    if report.isOutcomeUnknown { open(ChoiceScreen.unknownOutcome(status)) }
    if case .failed = report.answer { return }
    switch report.request?.then {
    case .quit: open(host.screen.quit(isDiscarding: false))
    case .cancelPicking: open(host.screen.cancelPicking())
    case .open(let location): open(host.screen.open(location))
    case nil:
      if report.showsNewRecord { tableScreen.goToNew(report, &host) }
      show(report.newEntity)
    }
  }

  /// Shows an entity that was created while another one is shown.
  private mutating func show(_ name: String?) {
    guard let name, name != entityName,
      let entity = status.entities.first(where: { $0.name == name })
    else { return }
    tableScreen.show(entity, &host)
  }

  private mutating func take(_ answer: CommandReport.Answer, _ report: CommandReport) {
    switch answer {
    case .failed(let text):
      host.fail(text)
      // A single one is a part of the message.
      if report.findings.count > 1 { open(TextScreen(title: text, lines: report.findings)) }
    case .question(let question, let details):
      guard let request = report.request else { return }
      open(ChoiceScreen.confirm(question, details, request))
    case .done(let text):
      host.say(text)
      if let warning = report.warning { host.warn(warning) }
    case .lines(let lines) where report.showsNewRecord:
      host.say("added \(lines.count == 1 ? lines[0] : counted(lines.count))")
      if let warning = report.warning { host.warn(warning) }
    case .lines where report.conflicts?.isEmpty == false: break
    case .lines where report.conflicts != nil: host.say("no conflicts")
    case .lines(let lines):
      let title = report.request?.title ?? ""
      show(lines, title: title + (report.scope.map { " · \($0)" } ?? ""))
    case .quit(let isDiscarding): open(host.screen.quit(isDiscarding: isDiscarding))
    case .screen(let request): perform(request)
    }
  }

  private mutating func show(_ lines: [String], title: String) {
    if lines.count > 1 {
      host.messages.notice = nil
      open(TextScreen(title: title, lines: lines))
    } else {
      host.say(lines.first ?? "")
    }
  }

  /// Performs the request of a typed command to the screen.
  private mutating func perform(_ request: ScreenRequest) {
    switch request {
    case .filter(let input):
      host.screen.filter(by: input)
      host.screen.checkFilterPaths()
    case .sort(let keys):
      tableScreen.sort(by: keys, &host)
      host.screen.checkSortPaths()
    case .group(let column): tableScreen.group(by: column, &host)
    case .show(let name):
      guard let entity = status.entities.first(where: { $0.name == name }) else { return }
      tableScreen.show(entity, &host)
    case .move(let row): host.table.move(toRow: row)
    case .open(let location, let isDiscarding):
      if isDiscarding { host.request(.open(location)) } else { open(host.screen.open(location)) }
    case .chooseReading(let choices): open(ReadingScreen(choices))
    case .saveAndQuit: open(host.screen.saveAndQuit())
    case .changes: open(ChangesScreen(&host.screen))
    case .preview(let preview):
      guard !host.screen.isShown(.preview) else { return }
      guard preview.count > 0 else { return host.say(preview.words) }
      open(PreviewScreen(preview, &host.screen))
    case .tour: if tour == nil { host.request(.beginTour) } else { beginTour() }
    case .help:
      open(
        TextScreen.help(
          host.screen.keys,
          from: tableScreen.place,
          first: tableScreen.hints(host.screen)
        )
      )
    case .referrers(let identifier): open(ReferrersScreen(of: identifier, &host.screen))
    case .problems(let report):
      host.messages.notice = nil
      open(ProblemsScreen(report))
    case .columns(let request): open(tableScreen.arrange(request, &host))
    case .view(let request, let stored): open(tableScreen.take(request, stored, &host))
    case .settings(let changes, let themes): change(changes, themes)
    case .bind(let request):
      if let lines = host.screen.change(request) { show(lines, title: "bind") }
    case .press(let key): host.screen.press(key)
    }
  }

  /// Changes settings, or lists all of them.
  private mutating func change(_ changes: [SettingChange], _ themes: [String: Theme]) {
    guard !changes.isEmpty else {
      let lines = Setting.allCases.map { setting in
        let text = "\(setting.rawValue)=\(host.settings.text(of: setting))"
        return text + String(repeating: " ", count: max(1, 22 - text.count)) + setting.summary
      }
      let place = host.settings.configurationPath.map {
        ["", "to keep changes, write them into \($0)"]
      }
      return open(TextScreen(title: "settings", lines: lines + (place ?? [])))
    }
    for change in changes { host.screen.change(change, themes) }
    host.say(
      changes.map { "\($0.setting.rawValue)=\(host.settings.text(of: $0.setting))" }
        .joined(separator: " ")
    )
  }
}

extension CommandReport {
  /// The name of the entity that the instruction has created; nil for other instructions.
  fileprivate var newEntity: String? {
    (request?.instruction.value as? CreateEntity)?.entity.name
  }

  /// True if the instruction adds a record, to which the cursor moves.
  fileprivate var showsNewRecord: Bool { request?.instruction.value.showsNewRecord == true }
}

extension Effect {
  fileprivate var reloadsList: Bool {
    switch self {
    case .ask(let question): question.value is QueryList
    case .open: true
    default: false
    }
  }
}
