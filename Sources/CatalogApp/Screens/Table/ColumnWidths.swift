import OpenSwiftData

/// The cells that the values of columns need, for the rows seen so far.
struct ColumnWidths: Sendable {
  /// The width up to which values are measured.
  private static let widestMeasured = 160

  private var widths: [String: Int] = [:]
  /// The digits of the numbers in each column.
  private var points: [String: PointWidths] = [:]
  /// The width of the widest identifier.
  private(set) var ofIdentifiers = 6
  /// The width of the widest identifier of a new record on the screen; nil if there is none.
  var ofNewIdentifiers: Int?
  /// The cells that the whole table needs; nil before that was asked.
  var whole: Int?

  /// The cells that the widest value of a column needs.
  subscript(column: ShownColumn) -> Int { widths[column.name] ?? 0 }

  /// Widens columns that a row needs wider, and narrows those whose widest value it has replaced.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - former: What the place had before.
  ///   - columns: The columns that are shown.
  ///   - today: The current day, for dates that are shown by their distance.
  /// - Returns: The names of columns that must be measured again, by all rows.
  mutating func take(
    _ row: TableRow,
    replacing former: TableRow?,
    _ columns: [ShownColumn],
    today: CalendarDate?
  ) -> Set<String> {
    ofIdentifiers = max(ofIdentifiers, RowText.identifier(row.identifier).width)
    var narrowed: Set<String> = []
    for column in columns {
      if let former, former.identifier == row.identifier,
        former.value(of: column) != row.value(of: column),
        text(column, former, today).map({ $0.width >= self[column] }) ?? false
      {
        narrowed.insert(column.name)
      }
      measure(column, in: row, today)
    }
    return narrowed
  }

  /// Measures a column by some rows alone.
  mutating func measure(_ column: ShownColumn, in rows: [TableRow], today: CalendarDate?) {
    (widths[column.name], points[column.name]) = (nil, nil)
    for row in rows { measure(column, in: row, today) }
  }

  private mutating func measure(_ column: ShownColumn, in row: TableRow, _ today: CalendarDate?) {
    guard self[column] < Self.widestMeasured, let text = text(column, row, today) else { return }
    points[column.name, default: PointWidths()].add(text, of: column)
    let needed = max(text.width, points[column.name]?.width ?? 0)
    if needed > self[column] { widths[column.name] = needed }
  }

  private func text(_ column: ShownColumn, _ row: TableRow, _ today: CalendarDate?) -> DisplayText?
  {
    column.text(in: row, clippedTo: Self.widestMeasured, today: today)?.text
  }

  /// The cells to leave free after a number, so that the decimal points of a column are below each other.
  func cellsAfter(_ text: DisplayText, in column: ShownColumn) -> Int {
    points[column.name]?.missing(in: text, of: column) ?? 0
  }
}
