import OpenSwiftData

extension TableAction {
  /// The reason why the action is not possible now; nil if it is.
  func disabledReason(_ app: AppState) -> String? {
    switch self {
    case .down, .up, .right, .left, .first, .last, .firstColumn, .lastColumn, .pageDown, .pageUp,
      .halfPageDown, .halfPageUp, .command, .palette, .help, .clear, .redraw, .suspend, .quit:
      nil
    case .nextEntity: app.status.entities.count < 2 ? "no other entity" : nil
    case .open, .mark, .markRange, .markAll, .history: app.noRecordReason
    case .copy: app.table.marks.isEmpty ? app.noRecordReason : nil
    case .edit, .change, .editOutside, .duplicate: app.readOnlyReason ?? app.noTargetReason
    case .add: app.readOnlyReason ?? app.noFieldReason
    case .delete: app.readOnlyReason ?? (app.table.marks.isEmpty ? app.noRecordReason : nil)
    case .undo, .redo: app.readOnlyReason
    case .repeatChange:
      app.readOnlyReason
        ?? (app.lastChange == nil ? "nothing to repeat" : app.noTargetReason)
    case .save: app.readOnlyReason ?? app.nothingToSaveReason
    case .nextMatch, .previousMatch: app.noSearchReason
    case .search, .filter, .sort, .sortFurther, .counts, .details: app.noEntityReason
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

extension AppState {
  /// Performs an action of the table, or reports why it is not possible.
  ///
  /// A number typed before the key becomes the `count`, only for actions that use one.
  mutating func perform(_ action: TableAction, count: Int? = nil) -> Transition {
    if let reason = action.disabledReason(self) {
      warn("\(action.rawValue): \(reason)")
      return .stay
    }
    let steps = min(count ?? 1, 1_000_000_000)
    let page = layout.rowCount
    switch action {
    case .down: table.move(toRow: table.row + steps)
    case .up: table.move(toRow: table.row - steps)
    case .right: table.move(toColumn: table.column + steps)
    case .left: table.move(toColumn: table.column - steps)
    case .first: table.move(toRow: steps - 1)
    case .last: table.move(toRow: (count ?? table.extent.count) - 1)
    case .firstColumn: table.move(toColumn: 0)
    case .lastColumn: table.move(toColumn: .max)
    case .pageDown: table.scroll(by: steps * page)
    case .pageUp: table.scroll(by: -steps * page)
    case .halfPageDown: table.scroll(by: steps * max(1, page / 2))
    case .halfPageUp: table.scroll(by: -steps * max(1, page / 2))
    case .nextEntity: showNextEntity()

    case .open: return .opening(FormScreen(editing: self))
    case .edit: return .opening(cellEditor(isEmptied: false))
    case .change: return .opening(cellEditor(isEmptied: true))
    case .add: return .opening(FormScreen(addingTo: self))
    case .duplicate: change(.duplicate, count: count)
    case .delete: change(.delete, count: count)
    case .undo: perform(Undo(), times: count)
    case .redo: perform(Redo(), times: count)
    case .repeatChange: repeatLastChange(count: count)
    case .save: perform(Save())
    case .editOutside: return editOutside()

    case .mark: toggleMark(count: count)
    case .markRange: markRange()
    case .markAll: request(.identify(0..<table.extent.count))

    case .search: return .open(SearchPrompt(self))
    case .nextMatch: searchAgain(isForward: true)
    case .previousMatch: searchAgain(isForward: false)
    case .filter: return .open(FilterPrompt(self))
    case .sort: sort(byColumn: table.column, isFurther: false)
    case .sortFurther: sort(byColumn: table.column, isFurther: true)
    case .counts: return showCounts()
    case .details: showsDetails.toggle()
    case .history: return showHistory()

    case .command: return .open(CommandPrompt(self))
    case .palette: return .open(PaletteScreen(self))
    case .copy: copy()
    case .help: return .open(TextScreen.help(self, from: TableAction.place))
    case .clear: clearStep()
    case .redraw: request(.redraw)
    case .suspend: request(.suspend)
    case .quit: quit(isDiscarding: false)
    }
    return .stay
  }

  private mutating func showNextEntity() {
    let entities = status.entities
    let place = entities.firstIndex { $0.name == table.entity?.name } ?? -1
    show(entity: entities[(place + 1) % entities.count])
  }

  private mutating func editOutside() -> Transition {
    guard let screen = cellEditor(isEmptied: false) else { return .stay }
    request(.edit(screen.field.editor.text))
    return .open(screen)
  }

  private mutating func showCounts() -> Transition {
    guard let attribute = table.currentAttribute else { return .stay }
    request(.countValues(attribute: attribute.name))
    return .open(CountsScreen(attribute: attribute))
  }

  private mutating func showHistory() -> Transition {
    guard let identifier = table.currentRow?.identifier else { return .stay }
    request(.readHistory(identifier))
    return .open(HistoryScreen(identifier: identifier))
  }

  private mutating func copy() {
    if table.marks.isEmpty { copyCell() } else { request(.copyMarked) }
  }
}

extension Transition {
  /// Opens a screen if there is one.
  fileprivate static func opening(_ screen: (any Screen)?) -> Transition {
    screen.map { .open($0) } ?? .stay
  }
}
