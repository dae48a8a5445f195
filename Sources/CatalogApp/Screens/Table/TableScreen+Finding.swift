import OpenSwiftData

extension TableScreen {
  // MARK: Sorting

  /// Sorts by a column, or reverses its order; `isFurther` keeps the previous sort keys.
  func sort(byColumn column: Int, isFurther: Bool, _ host: inout TableHost) {
    guard host.table.columns.indices.contains(column) else { return }
    let name = host.table.columns[column].name
    var keys = host.table.sort
    if let place = keys.firstIndex(where: { $0.attribute == name }) {
      let reversed = SortKey(name, isDescending: !keys[place].isDescending)
      if isFurther { keys[place] = reversed } else { keys = [reversed] }
    } else {
      keys = (isFurther ? keys : []) + [SortKey(name)]
    }
    sort(by: keys, &host)
  }

  func sort(by keys: [SortKey], _ host: inout TableHost) {
    host.table.sort = keys
    // Who is at the top wants to see the first records of the new order.
    let edited = host.screen.openScreens.record ?? host.table.currentRow?.identifier
    let isAtTop = host.table.row == 0 && edited == host.table.currentRow?.identifier
    host.requery(keepingRecord: !isAtTop)
    let words = keys.map { $0.attribute + ($0.isDescending ? ", descending" : "") }
    host.say(
      words.isEmpty ? "no longer sorted" : "sorted by " + words.joined(separator: ", then by ")
    )
  }

  // MARK: Groups

  /// Groups the records by a column; nil ends the groups.
  func group(by column: TableColumn?, _ host: inout TableHost) {
    if let column, column.path != nil { host.table.show([column], after: nil) }
    host.table.group = column?.name
    host.requery()
    if let column, column.path != nil { host.ask(CheckPaths(paths: [column.name])) }
    guard let column else { return host.say("no longer grouped") }
    let fold = host.screen.name(of: .foldAllGroups)
    host.say(
      "grouped by \(column.name)\(column.isField ? "; press \(fold) to fold all groups" : "")"
    )
  }

  /// Folds the group under the cursor, or unfolds it.
  func fold(_ host: inout TableHost) {
    let kept = host.table.recordToKeep
    if host.table.toggleFold() { host.requery(keeping: kept) }
  }

  /// Folds all groups, or unfolds them.
  func foldAll(_ host: inout TableHost) {
    let kept = host.table.recordToKeep
    host.table.toggleAllFolds()
    host.requery(keeping: kept)
  }

  /// Requests counting the records of each group, after the list has changed.
  func countGroups(_ host: inout TableHost) {
    guard let group = host.table.group, let entity = host.table.entity else { return }
    guard host.table.groups.counts == nil || host.table.extent.count <= Self.recountedRecords else {
      return host.table.groups.counts = nil
    }
    host.ask(CountGroups(field: group, entity: entity.name))
  }

  /// The size of a list whose groups are counted again after each change.
  private static let recountedRecords = 50_000

  // MARK: Clearing

  /// Clears the next thing, and reports it and the one after it; when nothing is left, it cancels picking.
  func clearStep(_ host: inout TableHost) -> (any Screen)? {
    guard let cleared = host.table.nextToClear else {
      if host.screen.isPicking { return host.screen.cancelPicking() }
      host.say("nothing to clear; press q to quit")
      return nil
    }
    switch cleared {
    case "range": host.table.anchor = nil
    case "marks": host.table.marks.removeAll()
    case "search": host.table.search = ""
    case "filter": host.screen.filter(by: FilterInput())
    case "groups": group(by: nil, &host)
    case TableState.unseenChanges: host.table.unseen.forget()
    default: sort(by: [], &host)
    }
    let cancel = host.screen.isPicking ? "; press Esc again to cancel" : ""
    let next = host.table.nextToClear.map { "; press Esc again to clear the \($0)" } ?? cancel
    host.say("cleared the \(cleared)\(next)")
    return nil
  }

  // MARK: Other entities

  mutating func showNextEntity(_ host: inout TableHost) {
    let entities = host.status.entities
    let place = entities.firstIndex { $0.name == host.table.entity?.name } ?? -1
    show(entities[(place + 1) % entities.count], &host)
  }

  /// Shows another entity, with its table as it was last shown.
  mutating func show(_ entity: Schema.Entity, _ host: inout TableHost) {
    if let name = host.table.entity?.name { views[name] = host.table }
    var table = views[entity.name]
    if table == nil {
      var first = TableState(entity: entity)
      first.today = host.status.today
      if let problem = restoreView(of: &first, in: host.screen.schema) { host.warn(problem) }
      table = first
    }
    host.table = table ?? TableState(entity: entity)
    host.table.today = host.status.today
    if host.table.entity != entity {
      host.table = host.table.adopting(entity, in: host.screen.schema)
    }
    host.table.window = RowWindow()
    host.requery(keepingRecord: false)
  }
}

extension TableState {
  /// The next thing that Esc clears, the most recent kind first: a range, marks, the search, the
  /// filter, the order, the groups, the signs of changes by other programs.
  var nextToClear: String? {
    if anchor != nil { return "range" }
    if !marks.isEmpty { return "marks" }
    if !search.isEmpty { return "search" }
    if filter.isActive { return "filter" }
    if !sort.isEmpty { return "sort" }
    if group != nil { return "groups" }
    return unseen.isEmpty ? nil : Self.unseenChanges
  }

  fileprivate static let unseenChanges = "signs of changes by other programs"
}
