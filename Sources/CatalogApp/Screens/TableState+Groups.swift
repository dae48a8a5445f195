import OpenSwiftData

/// Records in groups by the values of a column, each under a line with the value.
extension TableState {
  /// A line of the table.
  enum Line: Hashable, Sendable {
    /// The value that a row and those after it have in common.
    case heading(row: Int)
    case record(row: Int)

    /// The row that it shows, or the one after it.
    var row: Int {
      switch self {
      case .heading(let row), .record(let row): row
      }
    }
  }

  /// The column by which the records are grouped; nil without groups.
  var groupColumn: ShownColumn? {
    guard let group, let entity else { return nil }
    return columns.first { $0.name == group }
      ?? arrangement[group].flatMap { ShownColumn($0, of: entity) }
  }

  /// The lines of a table with the given height, from the first visible row on.
  ///
  /// The heading of the first row is repeated when its group begins further up.
  ///
  /// - Complexity: O(height).
  func lines(height: Int) -> [Line] {
    guard let column = groupColumn, height > 1 else {
      return (top..<max(top, min(extent.count, top + height))).map { .record(row: $0) }
    }
    var lines: [Line] = []
    var row = top
    while lines.count < height, row < extent.count {
      if row == top || beginsGroup(row, column) { lines.append(.heading(row: row)) }
      if lines.count < height { lines.append(.record(row: row)) }
      row += 1
    }
    return lines
  }

  /// The number of records that a table with the given height shows.
  func shownCount(height: Int) -> Int {
    guard group != nil else { return height }
    let records = lines(height: height).count { if case .record = $0 { true } else { false } }
    return max(1, records)
  }

  /// The first row from which on a table with the given height shows another row.
  ///
  /// - Complexity: O(height).
  func firstRow(showing row: Int, height: Int) -> Int {
    guard let column = groupColumn, height > 1 else { return row - height + 1 }
    var first = row
    var used = 2
    while first > 0 {
      used += beginsGroup(first, column) ? 2 : 1
      if used > height { break }
      first -= 1
    }
    return first
  }

  /// True if a row has another value than the one before it; false while they are not loaded.
  private func beginsGroup(_ row: Int, _ column: ShownColumn) -> Bool {
    guard let value = window[row]?.value(of: column),
      let former = window[row - 1]?.value(of: column)
    else { return false }
    return value != former
  }

  /// The text of the heading above a row: the value, and how many records have it as far as that is known.
  func heading(of row: Int, clippedTo limit: Int) -> DisplayText? {
    guard let column = groupColumn, let record = window[row],
      let value = column.text(in: record, clippedTo: max(1, limit - 12), today: today)
    else { return nil }
    let count = record.value(of: column).flatMap { groups?[$0] }.map { " (\($0))" } ?? ""
    return value.text + DisplayText(count)
  }
}

extension [SortKey] {
  /// The order of records in groups: by the group, and within it by these keys.
  ///
  /// A key for the group itself gives its direction.
  func grouped(by name: String?) -> [SortKey] {
    guard let name, !name.isEmpty else { return self }
    let key = first { $0.attribute == name } ?? SortKey(name)
    return [key] + filter { $0.attribute != name }
  }
}
