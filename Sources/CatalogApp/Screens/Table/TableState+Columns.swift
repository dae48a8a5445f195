import OpenSwiftData

/// Scrolling sideways, with frozen columns that stay.
extension TableState {
  /// The frozen columns before a column, which stay on the screen when the others scroll away.
  ///
  /// They may take half of the width. If they are wider, the widest ones are narrowed, and those that still do not fit
  /// scroll away.
  func stuckColumns(before left: Int, width: Int) -> [(index: Int, width: Int)] {
    var stuck: [(index: Int, width: Int)] = []
    var free = width / 2
    for index in 0..<min(left, columns.count) where columns[index].look.isFrozen {
      let least = min(self.width(of: index), Self.leastStuckWidth)
      guard free >= least + 2 else { break }
      free -= least + 2
      stuck.append((index, least))
    }
    let missing = stuck.map { self.width(of: $0.index) - $0.width }
    for place in stuck.indices.sorted(by: { (missing[$0], $0) < (missing[$1], $1) }) {
      let added = min(free, missing[place])
      stuck[place].width += added
      free -= added
    }
    return stuck
  }

  /// A wider frozen column is not narrowed further.
  private static let leastStuckWidth = 8

  /// Scrolls so that the column of the cursor is on the screen, and no room is left unused on the right.
  mutating func scrollColumns(width: Int) {
    left = max(0, min(left, columns.count - 1))
    let isStuck = stuckColumns(before: left, width: width).contains { $0.index == column }
    if left > column, !isStuck { left = column }
    while left < column, !fits(left...column, width: width) { left += 1 }
    while left > 0, fits((left - 1)...(columns.count - 1), width: width) { left -= 1 }
  }

  /// True if columns and the frozen ones before them fit.
  private func fits(_ range: ClosedRange<Int>, width: Int) -> Bool {
    var used = -2
    for column in stuckColumns(before: range.lowerBound, width: width) { used += column.width + 2 }
    for index in range {
      used += self.width(of: index) + 2
      if used > width { return false }
    }
    return true
  }

  /// The names of the columns that are shown, as they are on the screen; nil if they were not hidden or moved.
  var arrangedColumns: [String]? {
    let names = columns.map(\.name)
    return names == firstArrangement.shown.map(\.name) ? nil : names
  }

  /// The names of the paths and the computed columns that are shown, which are read with the rows.
  var shownPaths: [String] { columns.filter { !$0.look.isField }.map(\.name) }

  /// The positions of the links that are shown, whose titles are read with the rows.
  var shownLinks: [Int] {
    columns.filter { $0.look.isField && $0.attribute.type.destination != nil }.map(\.slot)
  }
}

/// Filters with paths.
extension TableState {
  /// A typed filter with the paths that it contains.
  func filterInput(
    _ text: String,
    in schema: @autoclosure () -> Schema,
    allowsWords: Bool = true
  ) -> FilterInput {
    guard let entity else { return FilterInput() }
    return FilterInput(
      text,
      for: entity,
      paths: arrangement.paths(forFilter: text, of: entity, schema()),
      today: today,
      allowsWords: allowsWords
    )
  }
}

extension ScreenHost {
  /// The paths in the text of a filter.
  func filterPaths(in text: String) -> [FieldPath] {
    table.entity.map { table.arrangement.paths(in: text, of: $0, schema) } ?? []
  }

  /// The paths of the columns, shown or not.
  var columnPaths: [FieldPath] {
    table.entity.map { table.arrangement.paths(of: $0, in: schema) } ?? []
  }

  /// A typed filter with the paths that it contains.
  func filterInput(_ text: String, allowsWords: Bool = true) -> FilterInput {
    table.filterInput(text, in: schema, allowsWords: allowsWords)
  }

  /// Asks whether records have values at the paths in the filter; a path that is misspelled matches nothing.
  mutating func checkFilterPaths() {
    guard table.filter.namesRecords else { return }
    checkPaths(filterPaths(in: table.filter.predicate).map(\.name))
  }

  /// Asks whether records have values at the paths by which they are sorted.
  mutating func checkSortPaths() {
    let ending = SortKey.dictionaryEnding
    let names = table.sort.map { key in
      let name = key.attribute
      return name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
    }
    checkPaths(names.filter { $0.contains(".") || $0.contains("[") })
  }

  /// Asks whether records have values at paths that no column shows.
  private mutating func checkPaths(_ names: [String]) {
    let shown = Set(columnPaths.map(\.name))
    let hidden = names.filter { !shown.contains($0) }
    if !hidden.isEmpty { ask(CheckPaths(paths: hidden)) }
  }

  /// The key that opens the filter.
  var filterKey: String { keys.keys(for: TableAction.filter).first?.description ?? ":filter" }
}
