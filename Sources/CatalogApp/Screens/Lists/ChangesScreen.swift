import OpenSwiftData

/// The unsaved changes, and the statements with which a save makes them in a database, on two pages.
struct ChangesScreen: ListScreen {
  /// A changed record, one of its values, or a statement.
  struct Line: Identifiable, Sendable {
    struct ID: Hashable, Sendable {
      let record: PersistentIdentifier?
      /// The place of the value in the record, or that of the statement; nil for the record.
      let place: Int?
      let text: String
    }

    let id: ID
    /// True for a statement of a save.
    var isStatement = false
    /// The change to which it belongs; nil for a statement, and for what tells that there are more.
    var entry: ChangedRecords.Entry?

    /// The texts by which the line is found: those of the whole record.
    fileprivate var found: String {
      entry.map { ([$0.heading] + $0.lines).joined(separator: "\n") } ?? id.text
    }

    /// The lines for a changed record.
    fileprivate static func lines(for entry: ChangedRecords.Entry) -> [Line] {
      [Line(id: ID(record: entry.record, place: nil, text: entry.heading), entry: entry)]
        + entry.lines.enumerated().map { place, text in
          Line(id: ID(record: entry.record, place: place, text: text), entry: entry)
        }
    }

    /// Lines that belong to no record.
    fileprivate static func lines(_ texts: [String], areStatements: Bool) -> [Line] {
      texts.enumerated().map {
        Line(id: ID(record: nil, place: $0, text: $1), isStatement: areStatements)
      }
    }
  }

  /// The changes, and if the store uses SQL the statements.
  private var pages = [ListFrame<Line>()]
  private var page = 0
  /// The number of changes; nil while they are collected.
  private var count: Int?

  init(_ host: inout ScreenHost) { host.ask(ReadChanges()) }

  var isOpaque: Bool { true }
  var frame: ListFrame<Line> {
    get { pages[page] }
    set { pages[page] = newValue }
  }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let own: [any KeyAction] = pages.count > 1 ? [ChangesAction.nextPage] : []
    return own + Self.listHints
  }

  func word(of action: any KeyAction, _ host: ScreenHost) -> String? {
    action as? ListAction == .accept ? "go to the record" : nil
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if case .refreshed = message { host.ask(ReadChanges()) }
    // The message line says why there is nothing to show.
    if case .failed = message, count == nil { return .close }
    guard let (_, list) = message.answer(to: ReadChanges.self) else { return .stay }
    count = list.count
    let rest = list.count - list.entries.count
    let more = Line.lines(
      rest > 0 ? ["… and \(rest.groupedDigits) more"] : [],
      areStatements: false
    )
    pages[0].setLines(
      list.entries.flatMap(Line.lines) + more,
      text: \.found,
      values: values
    )
    guard let statements = list.statements else { return .stay }
    if pages.count == 1 { pages.append(ListFrame()) }
    pages[1].setLines(Line.lines(statements, areStatements: true), text: \.found, values: values)
    return .stay
  }

  mutating func perform(own action: ChangesAction, _ host: inout ScreenHost) -> Transition {
    page = (page + 1) % pages.count
    return .stay
  }

  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition {
    if let record = line.id.record { return .go(to: record) }
    host.warn("this line has no record")
    return .stay
  }

  var valueNames: [String] {
    page == 0 ? ["entity", "record", "op", "id", "change"] : ["statement"]
  }

  /// The values of a record stay below it.
  var sortCount: Int { page == 0 ? 3 : 1 }

  func values(of line: Line) -> [Value] {
    let text = Value.text(line.id.text)
    if line.isStatement { return [text] }
    guard let entry = line.entry else { return [.null, .null, .null, .null, text] }
    return [
      entry.record.map { .text($0.entityName) } ?? .null, .text(entry.title), .text(entry.sign),
      entry.record.map { .text($0.description) } ?? .null,
      line.id.place == nil && entry.record != nil ? .null : text,
    ]
  }

  func text(of line: Line) -> String { line.id.text }

  func look(_ host: ScreenHost) -> ListLook {
    let count = count.map { counted($0, "unsaved change") } ?? "collecting changes …"
    return ListLook(
      page: host.layout,
      title: (pages.count == 1
        ? count : page == 0 ? "[\(count)]  SQL of a save " : " \(count)  [SQL of a save]")
        + "  \(frame.position)",
      details: 4
    )
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    line.id.place == nil || line.entry == nil
      ? [ListCell(line.id.text, line.entry == nil ? nil : .title)]
      : [ListCell("    " + line.id.text)]
  }

  func details(of line: Line) -> [(label: String, text: DisplayText)] {
    guard let entry = line.entry else {
      return [(line.isStatement ? "SQL" : "", DisplayText(line.id.text))]
    }
    let heading = [(label: "record", text: DisplayText(entry.heading))]
    return line.id.place == nil ? heading : heading + [("value", DisplayText(line.id.text))]
  }
}

/// The unsaved changes, and the statements of a save; of many changes, the first ones.
struct ReadChanges: Question {
  struct Reply: Hashable, Sendable {
    /// The number of changes.
    let count: Int
    let entries: [ChangedRecords.Entry]
    /// The statements of a save, or the reason why there are none; nil for a store that does not use SQL.
    let statements: [String]?
  }

  var work: String { "collecting changes" }

  func answer(by reader: ListReader) throws -> Reply? {
    let session = reader.session
    let most = TextScreen.lineLimit
    let (entries, count) = session.changeReport.changedRecords(
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
      entries: entries,
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

/// The action of the key that the unsaved changes have besides those of all lists.
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
