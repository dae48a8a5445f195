import OpenSwiftData

/// All columns of the table: their types, what their values are, and whether they are shown.
struct ColumnsScreen: ListScreen {
  /// The identifier, or a column.
  struct Line: Identifiable, Sendable {
    /// Its name.
    let id: String
  }

  var frame = ListFrame<Line>()
  private var facts: [String: ColumnFacts] = [:]
  private var types: [String: String] = [:]
  /// The number of records that were examined, and whether there are more; nil before the result.
  private var examined: (count: Int, isAll: Bool)?
  private let identifier: String

  init(_ host: ScreenHost) {
    identifier = host.table.entity?.identifierKey ?? "id"
    follow(host, selecting: host.table.currentColumn?.name ?? identifier)
  }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let own: [any KeyAction] = ColumnsAction.allCases
    return [ListAction.accept, ListAction.filter] + own + [ListAction.leave]
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if let (_, found) = message.answer(to: DescribeColumns.self) {
      facts = Dictionary(found.columns.map { ($0.name, $0) }) { first, _ in first }
      examined = (found.examined, found.isAll)
    } else {
      switch message {
      case .refreshed, .ran: host.ask(DescribeColumns())
      default: return .stay
      }
    }
    follow(host)
    return .stay
  }

  mutating func perform(own action: ColumnsAction, _ host: inout ScreenHost) -> Transition {
    let column = frame.selected.flatMap { host.table.arrangement[$0.id] }
    let problem: String?
    switch action {
    case .toggle: problem = toggle(column, &host)
    case .freeze: problem = column.flatMap { host.arrange(.freeze($0.name, nil)) }
    case .moveUp: problem = move(column, by: -1, &host)
    case .moveDown: problem = move(column, by: 1, &host)
    case .reset: problem = host.arrange(.reset)
    }
    if let problem { host.warn(problem) }
    follow(host)
    if action == .toggle { _ = frame.move(.down) }
    return .stay
  }

  private func toggle(_ column: TableColumn?, _ host: inout ScreenHost) -> String? {
    guard let column else {
      return host.arrange(host.table.showsIdentifiers ? .hide(identifier) : .showIdentifier)
    }
    return host.arrange(column.isHidden ? .reveal(column.name) : .hide(column.name))
  }

  private func move(_ column: TableColumn?, by step: Int, _ host: inout ScreenHost) -> String? {
    guard let column else { return "the identifier always comes first" }
    return host.arrange(.move(column.name, .by(step)))
  }

  /// Updates the lines to the columns of the table.
  private mutating func follow(_ host: ScreenHost, selecting name: String? = nil) {
    let names = [identifier] + host.table.arrangement.columns.map(\.name)
    let entity = host.table.entity
    types = Dictionary(
      host.table.arrangement.columns.compactMap { column in
        column.type(in: entity).map { (column.name, $0.description) }
      },
      uniquingKeysWith: { first, _ in first }
    )
    frame.setLines(names.map(Line.init), text: \.id, values: values, selecting: name)
  }

  var valueNames: [String] { ["name", "type", "missing", "distinct"] }

  func values(of line: Line) -> [Value] {
    let facts = facts[line.id]
    let counts = [facts?.missing, facts?.distinct].map { count in
      count.map { Value.integer(Int64($0)) } ?? .null
    }
    return [.text(line.id), .text(types[line.id] ?? "identifier")] + counts
  }

  /// Goes to the selected column.
  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition {
    if host.table.arrangement[line.id] != nil, let problem = host.arrange(.goTo(line.id)) {
      host.warn(problem)
    }
    return .close
  }

  // MARK: Drawing

  func look(_ host: ScreenHost) -> ListLook {
    let columns = host.table.arrangement.columns
    let scope =
      examined.map { $0.isAll ? "" : " · in the first \($0.count) records" } ?? " · reading"
    let sheet = host.layout.sheet(lines: frame.lines.count + 1)
    let width = Sheet.inside(sheet).width
    let names = frame.lines.map { DisplayText(Self.heading(of: $0, host)).width }.max() ?? 0
    return ListLook(
      sheet: sheet,
      title:
        "columns · \(columns.count { !$0.isHidden && $0.expression?.problem == nil }) of \(columns.count) shown"
        + " · \(frame.position)\(scope)",
      [
        .init(width: 2), .init(name: "name", width: min(max(6, names), width / 3)),
        .init(name: "type", width: min(18, max(8, width / 6))),
        .init(name: "missing", width: 8, alignment: .right),
        .init(name: "distinct", width: 8, alignment: .right), .init(name: "sample"),
      ]
    )
  }

  /// Shown or not, name, type, missing and distinct values, and samples.
  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    guard let column = host.table.arrangement[line.id] else {
      let sign = host.table.showsIdentifiers ? "✓" : ""
      return [sign, identifier, "identifier"].map { ListCell($0) }
    }
    let facts = facts[line.id]
    let sample = facts.map { $0.sample.map { $0.text.isEmpty ? "\"\"" : $0.text } }
    let cells: [String] = [
      (column.expression?.problem != nil ? "!" : column.isHidden ? " " : "✓")
        + (column.isFrozen ? isStuck(column, host) ? "|" : "¦" : " "),
      Self.heading(of: line, host),
      (types[line.id] ?? "") + (column.format.isPlain ? "" : " · \(column.format.text)"),
      facts.map { String($0.missing) } ?? "",
      facts.map { String($0.distinct) } ?? "",
      column.expression?.problem ?? sample?.joined(separator: ", ") ?? "…",
    ]
    return cells.map { ListCell($0) }
  }

  /// The name, with a sign for a computed column.
  private static func heading(of line: Line, _ host: ScreenHost) -> String {
    host.table.arrangement[line.id]?.expression == nil ? line.id : "= \(line.id)"
  }

  /// False for a frozen column that scrolls all the same, because the screen is too narrow to keep it.
  private func isStuck(_ column: TableColumn, _ host: ScreenHost) -> Bool {
    let columns = host.table.columns
    guard let place = columns.firstIndex(where: { $0.name == column.name }) else { return true }
    return host.table.stuckColumns(before: columns.count, width: host.columnsWidth).contains {
      $0.index == place
    }
  }
}

/// The actions of keys in the list of columns, besides those of all lists.
enum ColumnsAction: String, KeyAction {
  case toggle, freeze
  case moveUp = "move up"
  case moveDown = "move down"
  case reset

  static let place = KeyPlace("columns", "In the list of columns")

  var binding: KeyBinding {
    switch self {
    case .toggle: KeyBinding([.space], "show or hide the column", hint: "show/hide")
    case .freeze:
      KeyBinding(
        ["|"],
        "keep the column at the left, or let it scroll; ¦ marks one that does not fit"
      )
    case .moveUp: KeyBinding(["<", "K"], "move the column to the left")
    case .moveDown: KeyBinding([">", "J"], "move the column to the right")
    case .reset: KeyBinding(["R"], "show the columns as at first")
    }
  }
}
