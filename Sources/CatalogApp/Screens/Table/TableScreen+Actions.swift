import OpenSwiftData

extension TableAction {
  /// The reason why the action is not possible now; nil if it is.
  func disabledReason(_ host: ScreenHost) -> String? {
    switch self {
    case .down, .up, .right, .left, .first, .last, .firstColumn, .lastColumn, .pageDown, .pageUp,
      .halfPageDown, .halfPageUp, .position, .command, .palette, .help, .clear, .redraw, .suspend,
      .quit:
      nil
    case .nextEntity, .entities: host.status.entities.count < 2 ? "no other entity" : nil
    case .open, .mark, .markRange, .history, .follow, .referrers: host.noRecordReason
    case .compare:
      host.table.marks.canBeCompared ? nil : "mark 2 to \(CompareScreen.mostRecords) records first"
    case .markAll: host.table.extent.count == 0 ? host.noRecordReason : nil
    case .copy: host.table.marks.isEmpty ? host.noRecordReason : nil
    case .edit, .change, .editOutside:
      host.readOnlyReason ?? host.noTargetReason ?? host.fixedColumnReason
    case .duplicate:
      host.readOnlyReason ?? host.table.entity?.additionRefusal ?? host.noTargetReason
    case .add: host.readOnlyReason ?? host.table.entity?.additionRefusal ?? host.noFieldReason
    case .delete:
      host.readOnlyReason ?? host.table.entity?.deletionRefusal
        ?? (host.table.marks.isEmpty ? host.noRecordReason : nil)
    case .undo, .redo: host.readOnlyReason
    case .differences: host.status.unsaved == 0 ? "no unsaved changes" : nil
    case .repeatChange:
      host.readOnlyReason
        ?? (host.past.change == nil ? "nothing to repeat" : host.noTargetReason)
    case .record: host.macros.isPlaying ? "recorded keys cannot record" : nil
    case .play: host.noMacroReason
    case .save: host.readOnlyReason ?? host.nothingToSaveReason
    case .nextMatch, .previousMatch: host.noSearchReason
    case .sort, .sortFurther, .group, .counts: host.noFieldReason ?? host.bytesReason
    case .foldGroup, .foldAllGroups: host.noGroupReason
    case .search, .filter: host.noFieldReason
    case .details, .back: host.noEntityReason
    case .invertFilter:
      host.noEntityReason
        ?? (host.table.filter.isActive ? nil : "no filter yet; press \(host.filterKey) to filter")
    case .columns, .goToColumn, .compute, .hideColumn, .identifiers, .moveColumnLeft,
      .moveColumnRight,
      .narrowColumn, .widenColumn, .fitColumn, .freezeColumn, .collapseColumn:
      host.noFieldReason
    case .expandColumn: host.noFieldReason ?? host.table.currentColumn?.noMembersReason
    }
  }

  /// True if it opens an editor for values, which reads dates relative to the current day.
  fileprivate var opensEditor: Bool {
    switch self {
    case .open, .edit, .change, .add: true
    default: false
    }
  }

  /// True if it uses the record under the cursor when none is marked.
  var needsRecord: Bool {
    switch self {
    case .open, .edit, .change, .duplicate, .delete, .repeatChange, .editOutside: true
    default: false
    }
  }
}

extension TableScreen {
  /// Performs an action of the table, or reports why it is not possible; returns the screen to open, if
  /// there is one.
  ///
  /// A number typed before the key becomes the `count`, only for actions that use one.
  mutating func perform(
    _ action: TableAction,
    count: Int? = nil,
    _ host: inout TableHost
  ) -> (any Screen)? {
    if [.open, .mark].contains(action), host.table.isFolded(host.table.row) {
      fold(&host)
      return nil
    }
    if let reason = action.disabledReason(host.screen) {
      host.warn("\(action.rawValue): \(reason)")
      return nil
    }
    if action.opensEditor { host.ask(ReadClock()) }
    let steps = min(count ?? 1, 1_000_000_000)
    let page = host.table.shownCount(height: host.screen.layout.rowCount)
    let (row, column) = (host.table.row, host.table.column)
    switch action {
    case .down: move(toRow: row + steps, &host)
    case .up: host.table.move(toRow: row - steps)
    case .right: host.table.move(toColumn: column + steps)
    case .left: host.table.move(toColumn: column - steps)
    case .first: move(toRow: steps - 1, &host)
    case .last: move(toRow: count.map { $0 - 1 } ?? .max, &host)
    case .firstColumn:
      host.table.move(toColumn: 0)
      host.table.left = 0
    case .lastColumn: host.table.move(toColumn: .max)
    case .pageDown: scroll(by: steps * page, &host)
    case .pageUp: host.table.scroll(by: -steps * page)
    case .halfPageDown: scroll(by: steps * max(1, page / 2), &host)
    case .halfPageUp: host.table.scroll(by: -steps * max(1, page / 2))
    case .nextEntity: showNextEntity(&host)
    case .entities: return EntitiesScreen(&host.screen)
    case .position: host.say(StatusBar.position(host.screen))

    case .open: return FormScreen(editing: host.screen)
    case .edit: return treeEditor(&host) ?? cellEditor(isEmptied: false, host.screen)
    case .change: return cellEditor(isEmptied: true, host.screen)
    case .add: return FormScreen(addingTo: host.screen)
    case .duplicate: change(.duplicate, count: count, &host)
    case .delete: change(.delete, count: count, &host)
    case .undo: host.perform(Undo(typed: count))
    case .redo: host.perform(Redo(typed: count))
    case .repeatChange: repeatLastChange(count: count, &host)
    case .record: host.screen.toggleRecording()
    case .play: host.screen.play(rounds: steps)
    case .save: host.perform(Save())
    case .editOutside: return editOutside(&host)

    case .mark: toggleMark(count: count, &host)
    case .markRange: markRange(&host)
    case .markAll:
      let listed = host.table.extent.listed
      host.ask(Identify(rows: 0..<(listed.isExact ? listed.number : .max)))

    case .search: return SearchPrompt(host.screen)
    case .nextMatch: host.screen.searchAgain(isForward: true)
    case .previousMatch: host.screen.searchAgain(isForward: false)
    case .filter: return FilterPrompt(host.screen)
    case .invertFilter: host.screen.filter(by: host.table.filter.inverted)
    case .sort: sort(byColumn: column, isFurther: false, &host)
    case .sortFurther: sort(byColumn: column, isFurther: true, &host)
    case .group:
      let current = host.table.currentColumn?.look
      group(by: current?.name == host.table.group ? nil : current, &host)
    case .foldGroup: fold(&host)
    case .foldAllGroups: foldAll(&host)
    case .counts: return showCounts(&host)
    case .details: return showDetails(&host)
    case .compare: return CompareScreen(&host.screen)
    case .follow: followCell(&host)
    case .referrers:
      guard let identifier = host.table.currentRow?.identifier else { return nil }
      return ReferrersScreen(of: identifier, &host.screen)
    case .back: goBack(&host)
    case .history: return showHistory(&host)
    case .differences: return ChangesScreen(&host.screen)

    case .goToColumn: return ColumnPrompt(host.screen)
    case .compute: return ComputePrompt(host.screen)
    case .columns, .hideColumn, .identifiers, .moveColumnLeft, .moveColumnRight, .narrowColumn,
      .widenColumn,
      .fitColumn, .freezeColumn, .expandColumn, .collapseColumn:
      guard let request = action.columnRequest(count: count, host.table) else { return nil }
      return arrange(request, &host)

    case .command: return CommandPrompt(host.screen)
    case .palette: return PaletteScreen(host.screen)
    case .copy: copy(&host)
    case .help: return TextScreen.help(host.screen.keys, from: place, first: hints(host.screen))
    case .clear: return clearStep(&host)
    case .redraw:
      if host.table.edits.isChanged { host.requery() }
      host.request(.redraw)
    case .suspend: host.request(.suspend)
    case .quit: return host.screen.quit(isDiscarding: false)
    }
    return nil
  }

  /// Moves the cursor to a row; if it is not known yet whether there is one, the list is counted first.
  private func move(toRow row: Int, _ host: inout TableHost) {
    if host.table.isKnown(row) {
      host.table.move(toRow: row)
    } else {
      host.ask(CountToRow(row: row))
    }
  }

  /// Scrolls down, in the same way.
  private func scroll(by rows: Int, _ host: inout TableHost) {
    let row = host.table.row + rows
    if host.table.isKnown(row) {
      host.table.scroll(by: rows)
    } else {
      host.ask(CountToRow(row: row))
    }
  }

  /// Opens the details pane; one that is open gets the keys.
  private func showDetails(_ host: inout TableHost) -> (any Screen)? {
    guard host.screen.layout.details == nil else {
      return host.screen.openScreens.detailsView == nil ? DetailsScreen(host.screen) : nil
    }
    host.showDetails(true)
    if host.screen.layout.details == nil { host.warn("details: the terminal has too few lines") }
    return nil
  }

  private func showCounts(_ host: inout TableHost) -> (any Screen)? {
    guard let attribute = host.table.currentAttribute else { return nil }
    host.ask(CountFieldValues(field: attribute.name))
    return CountsScreen(attribute: attribute)
  }

  private func showHistory(_ host: inout TableHost) -> (any Screen)? {
    guard let identifier = host.table.currentRow?.identifier else { return nil }
    host.ask(ReadHistory(record: identifier))
    return HistoryScreen(identifier: identifier)
  }
}
