import OpenSwiftData

/// All columns of the table: their types, what their values are, and whether they are shown.
struct ColumnsScreen: ListScreen {
  var frame = ListFrame()
  private var facts: [String: ColumnFacts] = [:]
  /// The number of records that were examined, and whether there are more; nil before the result.
  private var examined: (count: Int, isAll: Bool)?
  private let identifier: String

  init(_ host: ScreenHost) {
    identifier = host.table.entity?.identifierKey ?? "id"
    let names = Self.columns(host).map(\.name)
    let current = host.table.currentColumn?.name
    frame.setLines([identifier] + names, selecting: (names.firstIndex { $0 == current } ?? -1) + 1)
  }

  private static func columns(_ host: ScreenHost) -> [TableColumn] {
    host.table.arrangement.columns
  }

  var place: KeyPlace { ColumnsAction.place }

  func hints(_ host: ScreenHost) -> [any KeyAction] {
    let own: [any KeyAction] = ColumnsAction.allCases
    return [ListAction.accept, ListAction.filter] + own + [ListAction.leave]
  }

  mutating func receive(_ message: AppMessage, _ host: inout ScreenHost) -> Transition {
    if let (_, found) = message.answer(to: DescribeColumns.self) {
      facts = Dictionary(
        found.columns.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first }
      )
      examined = (found.examined, found.isAll)
    } else {
      switch message {
      case .refreshed, .ran: host.ask(DescribeColumns())
      default: return .stay
      }
    }
    follow(host, selecting: nil)
    return .stay
  }

  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    guard case .key(let key) = event, !frame.filter.isTyped,
      let action: ColumnsAction = host.keys.action(for: key)
    else { return handleList(event, &host) }
    let column = selected(host)
    let problem: String?
    switch action {
    case .toggle: problem = toggle(column, &host)
    case .freeze: problem = column.flatMap { host.arrange(.freeze($0.name, nil)) }
    case .moveUp: problem = move(column, by: -1, &host)
    case .moveDown: problem = move(column, by: 1, &host)
    case .reset: problem = host.arrange(.reset)
    }
    if let problem { host.warn(problem) }
    follow(host, selecting: column?.name)
    if action == .toggle { _ = frame.move(.down, page: 1) }
    return .stay
  }

  /// The selected column; nil for the identifier.
  private func selected(_ host: ScreenHost) -> TableColumn? {
    let columns = Self.columns(host)
    guard let line = frame.selected, line > 0, columns.indices.contains(line - 1) else {
      return nil
    }
    return columns[line - 1]
  }

  private func toggle(_ column: TableColumn?, _ host: inout ScreenHost) -> String? {
    guard let column else {
      return host.arrange(
        host.table.arrangement.showsIdentifier ? .hide(identifier) : .showIdentifier
      )
    }
    return host.arrange(column.isHidden ? .reveal(column.name) : .hide(column.name))
  }

  private func move(_ column: TableColumn?, by step: Int, _ host: inout ScreenHost) -> String? {
    guard let column else { return "the identifier always comes first" }
    return host.arrange(.move(column.name, .by(step)))
  }

  /// Updates the lines to the columns of the table.
  private mutating func follow(_ host: ScreenHost, selecting name: String?) {
    let names = Self.columns(host).map(\.name)
    frame.setLines(
      [identifier] + names,
      selecting: name.flatMap { name in names.firstIndex { $0 == name } }.map { $0 + 1 }
    )
  }

  /// Goes to the selected column.
  func accept(_ host: inout ScreenHost) -> Transition {
    guard let column = selected(host) else { return .close }
    if let problem = host.arrange(.goTo(column.name)) { host.warn(problem) }
    return .close
  }

  // MARK: Drawing

  /// The lines of the columns, below their header.
  func area(_ host: ScreenHost) -> Rect {
    let inner = PopupFrame.inside(popup(host))
    return Rect(
      x: inner.minX,
      y: inner.minY + 1,
      width: inner.width,
      height: max(1, inner.height - 1)
    )
  }

  private func popup(_ host: ScreenHost) -> Rect {
    let width = host.size.columns - (host.size.columns < 60 ? 0 : 4)
    return host.layout.popup(width: min(width, 120), height: frame.count + 3)
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    let area = area(host)
    let columns = Self.columns(host)
    let shown = columns.count { !$0.isHidden }
    let scope =
      examined.map { $0.isAll ? "" : " · in the first \($0.count) records" } ?? " · reading"
    _ = PopupFrame.draw(
      on: &canvas,
      in: popup(host),
      title: DisplayText("columns · \(shown) of \(columns.count) shown · \(frame.position)\(scope)")
    )
    let cells = Cells(area: area, names: [identifier] + columns.map(\.name))
    cells.drawHeader(on: &canvas)
    for (line, place) in frame.visible(area.height).enumerated() where place <= columns.count {
      let y = area.minY + line
      let isSelected = place == frame.selected
      let role: Role = isSelected ? .popupSelected : .popup
      canvas.fill(Rect(x: area.minX, y: y, width: area.width, height: 1), role: role)
      let texts = place == 0 ? identifierTexts(host) : texts(of: columns[place - 1], host)
      cells.draw(texts, y: y, role: role, on: &canvas)
      canvas.write(isSelected ? ">" : " ", at: Point(x: area.minX, y: y), role: role)
    }
    ScrollBar.draw(
      on: &canvas,
      x: popup(host).maxX - 1,
      rows: area.minY..<area.maxY,
      first: frame.visiblePositions(area.height).lowerBound,
      count: frame.shown.count,
      role: .popupBorder
    )
    frame.filter.draw(on: &canvas, host.layout, note: frame.position)
  }

  private func identifierTexts(_ host: ScreenHost) -> [String] {
    [host.table.arrangement.showsIdentifier ? "✓" : " ", identifier, "identifier", "", "", ""]
  }

  /// Shown or not, name, type, missing and distinct values, and samples.
  private func texts(of column: TableColumn, _ host: ScreenHost) -> [String] {
    let type = column.path?.type ?? host.table.entity?.fieldsByName[column.name]?.type
    let facts = facts[column.name]
    let sample =
      facts.map { $0.sample.map { $0.text.isEmpty ? "\"\"" : $0.text }.joined(separator: ", ") }
      ?? "…"
    return [
      (column.isHidden ? " " : "✓") + (column.isFrozen ? isStuck(column, host) ? "|" : "¦" : " "),
      column.name,
      (type?.description ?? "") + (column.format.isPlain ? "" : " · \(column.format.text)"),
      facts.map { String($0.missing) } ?? "",
      facts.map { String($0.distinct) } ?? "",
      sample,
    ]
  }

  /// False for a frozen column that scrolls all the same, because the screen is too narrow to keep it.
  private func isStuck(_ column: TableColumn, _ host: ScreenHost) -> Bool {
    let columns = host.table.columns
    guard let place = columns.firstIndex(where: { $0.name == column.name }) else { return true }
    return host.table.stuckColumns(before: columns.count, width: host.columnsWidth).contains {
      $0.index == place
    }
  }

  /// The places of the parts of a line.
  private struct Cells {
    let starts: [Int]
    let widths: [Int]
    let y: Int

    init(area: Rect, names: [String]) {
      let name = min(max(6, names.map { DisplayText($0).width }.max() ?? 0), area.width / 3)
      let type = min(18, max(8, area.width / 6))
      var starts = [area.minX + 1]
      var widths = [2, name, type, 8, 8]
      for width in widths { starts.append((starts.last ?? 0) + width + 1) }
      widths.append(max(0, area.maxX - (starts.last ?? 0)))
      (self.starts, self.widths, y) = (starts, widths, area.minY - 1)
    }

    func drawHeader(on canvas: inout Canvas) {
      draw(
        ["", "name", "type", "missing", "distinct", "sample"],
        y: y,
        role: .popupHint,
        on: &canvas
      )
    }

    func draw(_ texts: [String], y: Int, role: Role, on canvas: inout Canvas) {
      for (place, text) in texts.enumerated() where widths[place] > 0 {
        let isNumber = place == 3 || place == 4
        let shown = DisplayText(text, clippedTo: widths[place])
          .fitted(to: widths[place], alignment: isNumber ? .right : .left)
        canvas.write(shown, at: Point(x: starts[place], y: y), width: widths[place], role: role)
      }
    }
  }
}

/// The actions of keys in the list of columns, besides those of all lists.
enum ColumnsAction: String, KeyAction {
  case toggle, freeze
  case moveUp = "move up"
  case moveDown = "move down"
  case reset

  static let place = KeyPlace("columns")

  var binding: KeyBinding {
    func binding(_ keys: [Key], _ summary: String, hint: String? = nil) -> KeyBinding {
      KeyBinding("In the list of columns", keys, summary, hint: hint)
    }
    return switch self {
    case .toggle: binding([.space], "show or hide the column", hint: "show/hide")
    case .freeze:
      binding(
        [.character("|")],
        "keep the column at the left, or let it scroll; ¦ marks one that does not fit"
      )
    case .moveUp: binding([.character("<"), .character("K")], "move the column to the left")
    case .moveDown: binding([.character(">"), .character("J")], "move the column to the right")
    case .reset: binding([.character("R")], "show the columns as at first")
    }
  }
}
