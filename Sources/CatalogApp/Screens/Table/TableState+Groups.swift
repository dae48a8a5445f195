import OpenSwiftData

/// What is known of the groups in a list.
struct ShownGroups: Sendable {
  /// The number of records with each value of the column; nil while they are not counted.
  var counts: [Value: Int]?
  /// The first records of the folded groups, which stand for them.
  var heads: Set<PersistentIdentifier> = []
  /// The records under the cursor when groups were folded, by the values of these groups.
  var recordsBeforeFolding: [Value: PersistentIdentifier] = [:]
}

/// Records in groups by the values of a column, each under a line with the value.
extension TableState {
  /// A line of the table.
  enum Line: Hashable, Sendable {
    /// The value that a row and those after it have in common.
    case heading(row: Int)
    case record(row: Int)
    /// The line of a folded group, for which a row stands.
    case folded(row: Int)

    /// The row that it shows, or the one after it.
    var row: Int {
      switch self {
      case .heading(let row), .record(let row), .folded(let row): row
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
      if isFolded(row) {
        lines.append(.folded(row: row))
        row += 1
        continue
      }
      if row == top || beginsGroup(row, column) { lines.append(.heading(row: row)) }
      if lines.count < height { lines.append(.record(row: row)) }
      row += 1
    }
    return lines
  }

  /// True if the line of a row is that of a folded group.
  func isFolded(_ row: Int) -> Bool {
    !groups.heads.isEmpty && window[row].map { groups.heads.contains($0.identifier) } ?? false
  }

  /// The value of the group in which the row under the cursor is; nil if it is not loaded.
  private var currentGroup: Value? { groupColumn.flatMap { window[row]?.value(of: $0) } }

  /// Folds the group of the row under the cursor, or unfolds it; false if it is not loaded.
  mutating func toggleFold() -> Bool {
    guard let value = currentGroup else { return false }
    noteRecordBeforeFolding()
    changeFolds { $0.toggle(value) }
    return true
  }

  /// Unfolds the group with a value.
  mutating func unfold(_ value: Value) {
    changeFolds { if $0.contains(value) { $0.toggle(value) } }
  }

  /// Keeps the record under the cursor, to return to it when its group is unfolded.
  private mutating func noteRecordBeforeFolding() {
    guard !isFolded(row), let group = currentGroup, let record = cursorRecord else { return }
    groups.recordsBeforeFolding[group] = record
  }

  /// The record for the cursor after folding or unfolding: on the line of a folded group, the one where the cursor was
  /// when the group was folded.
  var recordToKeep: PersistentIdentifier? {
    guard isFolded(row), let group = currentGroup else { return cursorRecord }
    return groups.recordsBeforeFolding[group] ?? cursorRecord
  }

  /// True if the list has folded groups; settings may fold others than it has.
  var hasFoldedGroups: Bool { folds != nil && !groups.heads.isEmpty }

  /// Folds all groups, or unfolds them if all are folded.
  mutating func toggleAllFolds() {
    noteRecordBeforeFolding()
    if hasFoldedGroups, groups.heads.count == extent.count {
      folds = nil
    } else {
      changeFolds { $0.foldAll() }
    }
  }

  private mutating func changeFolds(_ body: (inout GroupFolds) -> Void) {
    guard let group else { return }
    var new = folds ?? GroupFolds(field: group)
    body(&new)
    folds = new.isEmpty ? nil : new
  }

  /// The number of rows that a table with the given height shows.
  func shownCount(height: Int) -> Int {
    guard group != nil else { return height }
    let rows = lines(height: height).count { if case .heading = $0 { false } else { true } }
    return max(1, rows)
  }

  /// The first row from which on a table with the given height shows another row.
  ///
  /// - Complexity: O(height).
  func firstRow(showing row: Int, height: Int) -> Int {
    guard let column = groupColumn, height > 1 else { return row - height + 1 }
    var first = row
    var below = 0
    while first > 0 {
      let own = isFolded(first) || !beginsGroup(first, column) ? 1 : 2
      guard below + own + (isFolded(first - 1) ? 1 : 2) <= height else { break }
      below += own
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
  ///
  /// After a change a record may be elsewhere than the others of its group.
  func heading(of row: Int, clippedTo limit: Int) -> DisplayText? {
    guard let column = groupColumn, let record = window[row],
      let value = column.text(
        in: record,
        clippedTo: max(1, limit - 20),
        today: today,
        isExact: true
      )
    else { return nil }
    guard let group = record.value(of: column), let count = groups.counts?[group] else {
      return value.text
    }
    let inAll = edits.isChanged && isDivided(group, column) ? " in all" : ""
    return value.text + DisplayText(" (\(count)\(inAll))")
  }

  /// True if the records of a group that are loaded are in several places.
  private func isDivided(_ group: Value, _ column: ShownColumn) -> Bool {
    let values = window.rows.map { $0.value(of: column) }
    let begins = values.indices.filter { place in
      values[place] == group && (place == 0 || values[place - 1] != group)
    }
    return begins.count > 1
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
