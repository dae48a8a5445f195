import OpenSwiftData

extension TableScreen {
  /// The editor for the cell under the cursor, or for its column in the marked records.
  func cellEditor(isEmptied: Bool, _ host: ScreenHost) -> (any CellEditor)? {
    host.table.marks.isEmpty
      ? CellEditScreen(host, isEmptied: isEmptied) : MarkedEditScreen(host, isEmptied: isEmptied)
  }

  /// The details pane at the tree of the JSON under the cursor; nil for other values, and on a small screen.
  func treeEditor(_ host: inout TableHost) -> (any Screen)? {
    guard host.table.marks.isEmpty, case .json(let json)? = host.table.currentValue,
      let tree = JSONTree(json), let count = tree.nodes[0].count, count > 0
    else { return nil }
    let wasShown = host.screen.layout.details != nil
    if !wasShown { host.showDetails(true) }
    if let screen = DetailsScreen(treeOf: host.screen, closesPane: !wasShown) { return screen }
    if !wasShown { host.showDetails(false) }
    return nil
  }

  /// Opens the editor for the cell, and the user's editor with its text; or the user's editor with a line for each
  /// marked record.
  func editOutside(_ host: inout TableHost) -> (any Screen)? {
    guard let screen = cellEditor(isEmptied: false, host.screen) else { return nil }
    guard host.table.marks.isEmpty else {
      host.ask(ReadMarked(field: screen.field.attribute.name))
      return nil
    }
    host.request(screen.field.outsideEdit)
    return screen
  }

  // MARK: Changing the selected records

  /// Performs an action on the selected records, or on the given number from the cursor on, and stores
  /// it as the one to repeat.
  func change(_ action: RecordAction, count: Int?, _ host: inout TableHost) {
    host.screen.remember(action)
    act(action, count: count, &host)
  }

  func repeatLastChange(count: Int?, _ host: inout TableHost) {
    if let change = host.screen.past.change { act(change, count: count, &host) }
  }

  /// Performs an action on the marked records, or on the one under the cursor, or on the given number
  /// from there on.
  private func act(_ action: RecordAction, count: Int?, _ host: inout TableHost) {
    guard let count else { return host.ask(ChooseRecords(action: action, rows: nil)) }
    var action = action
    action.isCounted = true
    host.ask(ChooseRecords(action: action, rows: host.table.row..<host.table.row + count))
  }

  /// Performs an action on the records found for it, or returns a question to ask first.
  func take(
    _ action: RecordAction,
    _ identifiers: [PersistentIdentifier],
    _ labels: [String],
    _ host: inout TableHost
  ) -> (any Screen)? {
    let table = host.screen.table
    guard !identifiers.isEmpty else {
      let isDeleted = table.currentRow?.pending == .deleted && !action.isCounted
      host.warn(
        isDeleted ? "deleted record; press u to undo" : "no record to \(action.verb)"
      )
      return nil
    }
    let hidden = action.isCounted ? 0 : table.marks.hidden.intersection(identifiers).count
    let isElsewhere = identifiers != table.currentRow.map { [$0.identifier] }
    guard hidden > 0 || action.asksAboveOne && isElsewhere else {
      host.screen.perform(action, on: identifiers)
      return nil
    }
    let subject =
      action.isCounted || table.marks.isEmpty
      ? counted(identifiers.count) : table.marks.recordsText
    return ChoiceScreen.records(action, identifiers, subject: subject, labels: labels)
  }

  // MARK: Copying

  /// Copies the marked records, or the cell under the cursor.
  func copy(_ host: inout TableHost) {
    guard host.table.marks.isEmpty else { return host.ask(CopyMarked()) }
    guard let value = host.table.currentValue else { return }
    host.request(.copy(value.text))
    host.say("copied \(Value.quoted(value.text))")
  }
}

extension RecordAction {
  /// Sets a field of the selected records.
  static func set(_ assignment: Assignment) -> RecordAction {
    RecordAction(SetValues(target: .selection, assignments: [assignment]))
  }

  /// Deletes the selected records.
  static let delete = RecordAction(DeleteRecords(target: .selection))
  /// Duplicates the selected records.
  static let duplicate = RecordAction(DuplicateRecords(target: .selection))
}
