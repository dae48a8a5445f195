import OpenSwiftData

/// The unsaved changes, and the statements with which a save makes them in a database, on two pages.
struct ChangesScreen: Screen {
  private enum Page { case changes, statements }

  private var page = Page.changes
  private var changes = TextScreen(title: "", lines: [])
  /// Nil for a store that does not use SQL.
  private var statements: TextScreen?

  var place: KeyPlace { ChangesAction.place }
  var isOpaque: Bool { true }
  var answers: [Answer] { shown.answers }

  private var shown: TextScreen { page == .statements ? statements ?? changes : changes }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let page: [any KeyAction] = statements == nil ? [] : [ChangesAction.nextPage]
    return page + changes.hints(host)
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed = message { host.ask(ReadChanges()) }
    guard let (_, list) = message.answer(to: ReadChanges.self) else { return .stay }
    let count = list.count == 1 ? "1 unsaved change" : "\(list.count.groupedDigits) unsaved changes"
    changes = TextScreen(
      title: list.statements == nil ? count : "[\(count)]  SQL of a save ",
      lines: list.lines,
      findsSections: true
    )
    statements = list.statements.map {
      TextScreen(title: " \(count)  [SQL of a save]", lines: $0)
    }
    return .stay
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    if answers.isEmpty, case .key(let key) = event,
      let action: ChangesAction = host.keys.action(for: key), action == .nextPage
    {
      page = page == .changes && statements != nil ? .statements : .changes
      return .stay
    }
    if page == .statements, var text = statements {
      defer { statements = text }
      return text.handle(event, &host)
    }
    return changes.handle(event, &host)
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) { shown.draw(on: &canvas, host) }
}

/// The unsaved changes, and the statements of a save; of many changes, the first ones.
struct ReadChanges: Question {
  struct Reply: Hashable, Sendable {
    /// The number of changes.
    let count: Int
    /// A line for each changed record, and below it, further in, a line for each value.
    let lines: [String]
    /// The statements of a save, or the reason why there are none; nil for a store that does not use SQL.
    let statements: [String]?
  }

  var work: String { "collecting changes" }

  func answer(by reader: ListReader) throws -> Reply? {
    let session = reader.session
    let most = TextScreen.lineLimit
    let (count, lines) = session.changeReport.changedLines(
      try session.context.toldChanges(),
      by: session.context.unsavedSchemaSteps,
      most: most
    )
    let changes = session.context.unsavedChanges
    let rest = changes.count - most
    let more = rest > 0 ? ["… and \(rest.groupedDigits) more"] : []
    let some = changes.first(most)
    return Reply(
      count: count,
      lines: lines,
      statements: session.store.explainingStore.map { store in
        do {
          let remark = try session.store.cascadeRemark(of: changes).map { ["-- \($0)"] } ?? []
          return try store.statements(of: some).map { $0 + ";" } + more + remark
        } catch {
          return [errorLine(error)]
        }
      }
    )
  }
}

/// The action of the keys that the pages of the unsaved changes have beside those of a text.
enum ChangesAction: String, KeyAction {
  case nextPage = "next page"

  static let place = KeyPlace("changes", "In the unsaved changes")

  var binding: KeyBinding {
    KeyBinding(
      [.tab],
      "show the other page: the changes, or the SQL of a save to a database",
      hint: "SQL"
    )
  }
}
