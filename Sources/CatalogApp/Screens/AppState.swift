import OpenSwiftData

/// The whole program between two keys, as a value.
///
/// `update` is pure: the same state and the same message give the same state and the same effects. The
/// results of effects come back as messages. Apart from the marks, the size of the state does not
/// depend on the number of records.
package struct AppState: Sendable {
  /// The extent of the screen.
  package private(set) var size: Size
  /// The status of the store.
  package internal(set) var status: StoreStatus
  /// The key bindings.
  package let keys: KeyMap
  var table: TableState
  /// The saved tables of other entities.
  var views: [String: TableState] = [:]
  var screens: [any Screen] = [TableScreen()]
  var notice: Notice?
  /// The number typed before a command.
  var count: Int?
  /// The lines typed into the prompts so far.
  package internal(set) var history: PromptHistory
  /// The change that the repeat key performs again.
  var lastChange: RecordAction?
  var showsDetails = false
  /// For each new record, the record under the cursor before it moved there.
  var arrivals: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var effects: [Effect] = []
  /// The first failures, in order.
  private(set) var failures: [String] = []
  private static let failureLimit = 100

  /// Creates the state for an open store.
  package init(
    status: StoreStatus,
    entityName: String? = nil,
    size: Size,
    keys: KeyMap = .standard,
    note: String? = nil,
    history: PromptHistory = PromptHistory()
  ) {
    self.history = history
    self.status = status
    self.size = size
    self.keys = keys
    let entity = status.entities.first { $0.name == entityName } ?? status.entities.first
    table = TableState(entity: entity)
    notice = note.map { Notice(kind: .information, text: $0) }
    offerRecovery()
  }

  /// True if the screen only shows that it is too small.
  var isTooSmall: Bool { layout.isTooSmall }

  /// The effects that show the first screen.
  package mutating func start() -> [Effect] {
    effects = []
    requery(keepingRecord: false)
    return finish(asksForRows: false)
  }

  /// Processes a message and returns the effects to perform.
  ///
  /// - Complexity: O(1) in the number of records, except for marking many.
  package mutating func update(_ message: AppMessage) -> [Effect] {
    effects = []
    switch message {
    case .input(let event): handle(event)
    default: receive(message)
    }
    switch message {
    // Rows that cannot be read are requested again after the next key, not immediately.
    case .rows, .unreadable: return finish(asksForRows: false)
    default: return finish(asksForRows: true)
    }
  }

  private mutating func finish(asksForRows: Bool) -> [Effect] {
    let layout = layout
    table.scrollToCursor(
      height: layout.rowCount,
      width: layout.columnsWidth(idWidth: table.idWidth)
    )
    if asksForRows, !effects.contains(where: \.reloadsList),
      let range = table.missingRows(height: layout.rowCount)
    {
      effects.append(.rows(range))
    }
    defer { effects = [] }
    return effects
  }

  /// The name of the entity on the screen.
  package var entityName: String? { table.entity?.name }

  /// The layout of the screen.
  var layout: ScreenLayout { ScreenLayout(size: size, showsDetails: showsDetails) }

  /// Asks what to do with the unsaved changes of a crashed run.
  private mutating func offerRecovery() {
    if let offer = status.recovery, readOnlyReason == nil { screens.append(RecoveryScreen(offer)) }
  }

  // MARK: For screens and commands

  /// Asks for something to be done.
  mutating func request(_ effect: Effect) { effects.append(effect) }

  /// Requests an instruction.
  mutating func perform(_ instruction: any Instruction, then next: AfterRun? = nil) {
    effects.append(.perform(Request(instruction, then: next)))
  }

  /// Requests setting the values that were typed over others; if another program has changed those,
  /// there is a conflict.
  mutating func set(_ fields: [FieldEditor], of identifier: PersistentIdentifier) {
    let instruction = SetValues(
      target: .records([identifier]),
      assignments: fields.map(\.assignment)
    )
    let shown = ShownValues(fields, of: identifier)
    effects.append(.perform(Request(instruction, shown: shown)))
  }

  mutating func say(_ text: String) { notice = Notice(kind: .information, text: text) }
  mutating func warn(_ text: String) { notice = Notice(kind: .warning, text: text) }
  /// Shows why the typed text is not accepted; this does not count as a failed command.
  mutating func refuse(_ text: String) { notice = Notice(kind: .error, text: text) }
  mutating func fail(_ text: String) {
    notice = Notice(kind: .error, text: text)
    if failures.count < Self.failureLimit { failures.append(text) }
  }

  /// Queries the list after the filter or the order changed.
  mutating func requery(keepingRecord: Bool = true) {
    guard let spec = table.spec else { return }
    let kept = keepingRecord ? heldRecord ?? table.currentRow?.identifier : nil
    effects.append(.query(spec, keeping: kept))
  }

  /// Shows another entity, with its table as it was last shown.
  mutating func show(entity: Schema.Entity) {
    if let name = table.entity?.name { views[name] = table }
    table = views[entity.name] ?? TableState(entity: entity)
    if table.entity != entity { table = table.adopting(entity) }
    table.window = RowWindow()
    requery(keepingRecord: false)
  }

  /// The reason why the store is read-only; nil if it is not.
  var readOnlyReason: String? {
    status.isReadOnly ? "read-only store (opened with --read-only)" : nil
  }

  // MARK: Messages

  private mutating func handle(_ event: InputEvent) {
    switch event {
    case .resize(let size): self.size = size
    case .resumed: request(.redraw)
    case .news: break
    case .terminate(let signal): request(.quit(128 + signal))
    case .hangup: request(.quit(129))
    default:
      notice = nil
      send(to: screens.count - 1) { $0.handle(event, &$1) }
    }
  }

  private mutating func receive(_ message: AppMessage) {
    switch message {
    case .ran(let report): take(report)
    case .queried(let extent, let cursor, let marks):
      table.extent = extent
      table.matches = nil
      table.window = RowWindow()
      table.noteListed()
      table.move(toRow: cursor ?? (table.row))
      take(marks)
    case .queryRefused(let problem):
      if table.leaveFilter() { requery() }
      if !screens.contains(where: { $0 is FilterPrompt }) { fail(problem.sentence) }
    case .queryStopped:
      table.returnToListed()
      warn("canceled; the list is unchanged")
    case .chosen(let action, let identifiers, let labels): take(action, identifiers, labels)
    case .said(let text): say(text)
    case .rows(let start, let rows): table.take(rows, from: start)
    case .identified(let identifiers):
      table.marks.toggle(identifiers)
      say(table.marks.text)
    case .opened(let status):
      views = [:]
      self.status = status
      screens = [TableScreen()]
      lastChange = nil
      arrivals = [:]
      table = TableState(entity: status.entities.first)
      requery(keepingRecord: false)
      say("opened \(status.storeName)")
      offerRecovery()
    case .refreshed(let status, let note, let warning, let gone, _):
      let entitiesChanged = self.status.entities != status.entities
      self.status = status
      let isCursorGone = table.currentRow.map { gone.contains($0.identifier) } ?? false
      let note = note + (isCursorGone ? "; the current record was deleted" : "")
      if entitiesChanged { adoptEntities() }
      requery()
      if let warning {
        warn(note + warning)
      } else if notice.map({ $0.kind == .information }) ?? true {
        // An important message must not be replaced.
        say(note)
      }
    case .outdated(let status, let text):
      self.status = status
      fail(text)
    case .failed(let text), .unreadable(let text): fail(text)
    case .refused(let text): warn(text)
    case .input: break
    case .found(let row, let text):
      if row == nil { warn("no match for \(Value.quoted(text))") }
    case .counted, .history, .edited, .values, .files: break
    case .matched(let count): table.matches = count
    }
    for index in screens.indices.reversed() where index < screens.count {
      send(to: index) { $0.receive(message, &$1) }
    }
  }

  /// Passes the state to a screen, and performs the resulting transition.
  private mutating func send(
    to index: Int,
    _ body: (inout any Screen, inout AppState) -> Transition
  ) {
    var screen = screens[index]
    let transition = body(&screen, &self)
    guard screens.indices.contains(index) else { return }
    screens[index] = screen
    switch transition {
    case .stay: break
    case .close: if index > 0 { screens.remove(at: index) }
    case .open(let other): screens.append(other)
    case .replace(let other): screens[index] = other
    }
  }

  /// The record that the top screen edits, independent of the cursor.
  private var heldRecord: PersistentIdentifier? { screens.compactMap(\.record).last }
}

extension Effect {
  fileprivate var reloadsList: Bool {
    switch self {
    case .query, .open: true
    default: false
    }
  }
}

/// The action after an instruction has succeeded.
enum AfterRun: Hashable, Sendable {
  /// End the program.
  case quit
  /// Open another store.
  case open(String)
}
