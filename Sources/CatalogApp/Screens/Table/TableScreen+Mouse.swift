import OpenSwiftData

/// The header of the table under the mouse.
extension TableScreen {
  /// Sorts by the column that was clicked, or begins to drag a border; two clicks fit the column.
  mutating func useHeader(_ mouse: MouseEvent, _ geometry: TableGeometry, _ host: inout TableHost) {
    let former = headerClicks.column(at: mouse.point.x, host.table)
    if former == nil, let border = geometry.border(at: mouse.point.x) {
      host.table.column = border.index
      if mouse.kind == .double {
        _ = host.table.change(.width(nil, .fit))
      } else {
        resize.begin(border, at: mouse.point.x, host.table)
      }
    } else if let column = former ?? geometry.column(at: mouse.point.x), mouse.kind == .press {
      host.table.column = column
      sort(byColumn: column, isFurther: false, &host)
      headerClicks.note(column, at: mouse.point.x, host.table)
    }
  }

  /// Opens the menu of the column under the mouse.
  func openMenu(at point: Point, _ host: inout TableHost) -> (any Screen)? {
    let geometry = TableGeometry(host.screen)
    guard geometry.area.contains(point), let column = geometry.column(at: point.x) else {
      return nil
    }
    if let row = geometry.row(at: point, host.table) { host.table.move(toRow: row) }
    host.table.move(toColumn: column)
    return ColumnMenu(host.screen, at: point)
  }
}

/// Clicks on the same place of the header, which mean the same column while only the order changes.
///
/// The sign of the order, and the values of other rows, may widen columns, so that another one comes to that place.
struct HeaderClicks: Sendable {
  private var last: (x: Int, column: String, arrangement: ColumnArrangement, left: Int)?

  mutating func note(_ column: Int, at x: Int, _ table: TableState) {
    last = (x, table.columns[column].name, table.arrangement, table.left)
  }

  /// The column that was clicked at this place; nil after anything but such clicks.
  func column(at x: Int, _ table: TableState) -> Int? {
    guard let last, last.x == x, last.arrangement == table.arrangement, last.left == table.left
    else { return nil }
    return table.columns.firstIndex { $0.name == last.column }
  }
}

/// A border of a column that is being dragged.
struct ColumnResizing: Hashable, Sendable {
  private var column: String?
  private var start = 0
  private var width = 0

  mutating func begin(_ border: TableGeometry.Column, at x: Int, _ table: TableState) {
    column = table.columns[border.index].name
    start = x
    width = border.width
  }

  /// Gives the column the width that brings its border under the mouse.
  func drag(to x: Int, _ host: inout TableHost) {
    guard let column else { return }
    _ = host.table.change(.width(column, .cells(width + x - start)))
  }

  mutating func end() { column = nil }
}

/// What can be done with a column, as a menu.
struct ColumnMenu: ListScreen {
  private static let allActions: [TableAction] = [
    .sort, .sortFurther, .group, .counts, .hideColumn, .freezeColumn, .fitColumn, .widenColumn,
    .narrowColumn, .moveColumnLeft, .moveColumnRight, .expandColumn, .collapseColumn, .columns,
  ]

  private let title: String
  private let origin: Point
  /// The actions that are possible.
  var frame = ListFrame<TableAction>()

  init(_ host: ScreenHost, at point: Point) {
    title = host.table.currentColumn?.name ?? ""
    origin = point
    frame.setLines(
      Self.allActions.filter { $0.disabledReason(host) == nil },
      text: \.rawValue
    )
  }

  var valueNames: [String] { ["action"] }
  func values(of line: TableAction) -> [Value] { [.text(line.rawValue)] }

  func accept(_ line: TableAction, _ host: inout ScreenHost) -> Transition { .perform(line) }

  /// One press chooses a line.
  mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
    guard case .mouse(let mouse) = event else { return handleList(event, &host) }
    switch mouse.kind {
    case .press, .double:
      guard look(host).lines.contains(mouse.point) else { return .close }
      frame.handle(mouse, in: look(host).lines)
      return perform(.accept, &host)
    case .menu: return .close
    case .release, .drag: return .stay
    case .scrollUp, .scrollDown: return handleList(event, &host)
    }
  }

  func look(_ host: ScreenHost) -> ListLook {
    // At the pointer.
    var sheet = host.layout.sheet(lines: frame.lines.count)
    sheet.size.columns = min(34, sheet.width)
    sheet.origin = Point(
      x: max(0, min(origin.x, host.size.columns - sheet.width)),
      y: max(0, min(origin.y + 1, host.layout.statusLine - sheet.height))
    )
    return ListLook(sheet: sheet, title: title, [.init(), .init(width: 2)])
  }

  func cells(of line: TableAction, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [ListCell(line.rawValue), ListCell(host.keys.keys(for: line).first?.description ?? "")]
  }
}

extension TableAction: Identifiable {
  /// Itself.
  package var id: Self { self }
}
